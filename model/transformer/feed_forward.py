"""The position-wise feed-forward network (section 3.3 of the paper)."""

from __future__ import annotations

from torch import Tensor, nn

from model.nn.tape import Tape


class FeedForward(nn.Module):
    """max(0, x W_1 + b_1) W_2 + b_2, at every position alone.

    Source: Vaswani et al. 2017, section 3.3, equation 2.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor, *, tape: Tape | None = None) -> Tensor:
        """(B, T, d_model) -> (B, T, d_ff) -> (B, T, d_model)."""
        hidden = self.w_1(x).relu()  # (B, T, d_ff)
        ffn_out: Tensor = self.w_2(hidden)  # (B, T, d_model)
        if tape is not None:
            tape.record(hidden=hidden, ffn_out=ffn_out)
        return ffn_out
