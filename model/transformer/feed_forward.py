"""The position-wise feed-forward network (section 3.3 of the paper)."""

from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks


class FeedForward(nn.Module):
    """Computes max(0, x W_1 + b_1) W_2 + b_2 for each position separately.

    Args:
        d_model: width of the residual stream.
        d_ff: width of the hidden layer.

    Source: Vaswani et al. 2017, section 3.3, equation 2.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor, *, hooks: Hooks = NO_HOOKS) -> Tensor:
        """Run the network, (B, T, d_model) -> (B, T, d_model), and record the hidden units."""
        hidden = self.w_1(x).relu()  # (B, T, d_ff)
        ffn_out: Tensor = hooks.patched("ffn_out", self.w_2(hidden))  # (B, T, d_model)
        hooks.record(hidden=hidden, ffn_out=ffn_out)
        return ffn_out
