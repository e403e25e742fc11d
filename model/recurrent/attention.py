"""Additive and dot-product attention between a decoder state and the encoder states."""

import math

from torch import Tensor, nn


class AdditiveAttention(nn.Module):
    """Additive attention: e_j = vᵀ tanh(W_a s + U_a h_j), α = softmax(e), c = Σ_j α_j h_j.

    s is a state of the decoder, and the h_j are the states of the encoder.

    Args:
        d_hidden: width of s.
        d_memory: width of each h_j.
        d_attention: width of the hidden layer.

    Source: Bahdanau et al. 2015, section 3.1 and appendix A.1.2.
    """

    def __init__(self, d_hidden: int, d_memory: int, d_attention: int) -> None:
        super().__init__()
        self.w_a = nn.Linear(d_hidden, d_attention)
        self.u_a = nn.Linear(d_memory, d_attention, bias=False)
        self.v_a = nn.Linear(d_attention, 1, bias=False)

    def forward(
        self, s: Tensor, keys: Tensor, memory: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Attend to the source from one decoder state.

        Args:
            s: (B, d_hidden), the state.
            keys: (B, S, d_attention), ``u_a`` of the memory: they are the same for every state.
            memory: (B, S, d_memory), the states h_j of the encoder.
            mask: (B, S) bool, True = may attend.

        Returns:
            Context c (B, d_memory), masked scores e (B, S), and weights α (B, S).
        """
        hidden = (self.w_a(s)[:, None] + keys).tanh()  # (B, S, d_attention)
        scores = self.v_a(hidden)[..., 0]  # (B, S)
        masked_scores = scores.masked_fill(~mask, -math.inf)  # (B, S)
        weights = masked_scores.softmax(dim=-1)  # (B, S)
        context = (weights[:, None] @ memory)[:, 0]  # (B, 1, S) (B, S, d_memory) -> (B, d_memory)
        return context, masked_scores, weights


def dot_attention(s: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Compute scores e_tj = s_tᵀ h_j, weights α_t = softmax(e_t), contexts c_t = Σ_j α_tj h_j.

    It learns nothing and scales nothing. No state depends on the attention. So the attention of all
    steps is computed at once.

    Args:
        s: (B, T, d_hidden), the states of the decoder.
        memory: (B, S, d_hidden), the states h_j of the encoder.
        mask: (B, S) bool, True = may attend.

    Returns:
        Context c (B, T, d_hidden), masked scores e (B, T, S), and weights α (B, T, S).

    Source: Luong et al. 2015, section 3.1, "dot".
    """
    scores = s @ memory.transpose(1, 2)  # (B, T, S)
    masked_scores = scores.masked_fill(~mask[:, None], -math.inf)  # (B, T, S)
    weights = masked_scores.softmax(dim=-1)  # (B, T, S)
    return weights @ memory, masked_scores, weights
