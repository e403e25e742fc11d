"""The first attentions for translation: a small network scores two states, or their dot product."""

import math

from torch import Tensor, nn


class AdditiveAttention(nn.Module):
    """e_j = vᵀ tanh(W_a s + U_a h_j), α = softmax(e), c = Σ_j α_j h_j.

    s is the decoder's state, of width d_hidden, h_j are the encoder's, of d_memory.

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
        """Look at the source from one state s (B, d_hidden) of the decoder.

        Memory (B, S, d_memory), its keys ``u_a`` (B, S, d_attention), and a bool mask (B, S), True
        = may attend -> context (B, d_memory), masked scores (B, S), weights (B, S).
        """
        hidden = (self.w_a(s)[:, None] + keys).tanh()  # (B, S, d_attention)
        masked_scores = self.v_a(hidden)[..., 0].masked_fill(~mask, -math.inf)  # (B, S)
        weights = masked_scores.softmax(dim=-1)  # (B, S)
        context = (weights[:, None] @ memory)[:, 0]  # (B, 1, S) (B, S, d_memory) -> (B, d_memory)
        return context, masked_scores, weights


def dot_attention(s: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """e_tj = s_tᵀ h_j, α_t = softmax(e_t), c_t = Σ_j α_tj h_j.

    Nothing is learned and nothing is scaled; s looks after its step, so all steps can be
    computed at once: (B, T, d_hidden), with memory (B, S, d_hidden) and mask (B, S) bool, True =
    may attend -> context (B, T, d_hidden), masked scores (B, T, S), weights (B, T, S).

    Source: Luong et al. 2015, section 3.1, "dot".
    """
    scores = s @ memory.transpose(1, 2)  # (B, T, S)
    masked_scores = scores.masked_fill(~mask[:, None], -math.inf)  # (B, T, S)
    weights = masked_scores.softmax(dim=-1)  # (B, T, S)
    return weights @ memory, masked_scores, weights
