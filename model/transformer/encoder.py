"""The encoder: n_layers blocks of self-attention and feed-forward network."""

from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks
from model.transformer.attention import MultiHeadAttention
from model.transformer.config import ModelConfig
from model.transformer.feed_forward import FeedForward
from model.transformer.residual import Residual


class EncoderBlock(nn.Module):
    """Let each source token attend to the whole source.

    Then it passes through the feed-forward network alone.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.feed_forward = FeedForward(config.d_model, config.d_ff)
        self.self_residual = Residual(config)
        self.ffn_residual = Residual(config)

    def forward(self, resid_pre: Tensor, mask: Tensor, *, hooks: Hooks = NO_HOOKS) -> Tensor:
        """Run one encoder block.

        Args:
            resid_pre: (B, S, d_model), the residual stream before the block.
            mask: bool, broadcastable to (B, H, S, S); True = may attend.
            hooks: record the stream and both sublayers, ablate heads, patch.

        Returns:
            resid_post: (B, S, d_model), the residual stream after the block.
        """
        resid_mid = self.self_residual(
            resid_pre, lambda x: self.self_attention(x, x, mask, hooks=hooks.child("self"))
        )
        resid_post: Tensor = self.ffn_residual(
            resid_mid, lambda x: self.feed_forward(x, hooks=hooks.child("ffn"))
        )
        resid_post = hooks.patched("resid_post", resid_post)
        hooks.record(resid_pre=resid_pre, resid_mid=resid_mid, resid_post=resid_post)
        return resid_post


class Encoder(nn.Module):
    """The stack of encoder blocks. In a pre-norm model, a final norm follows."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(EncoderBlock(config) for _ in range(config.n_layers))
        self.norm = nn.LayerNorm(config.d_model) if config.norm == "pre" else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor, *, hooks: Hooks = NO_HOOKS) -> Tensor:
        """Run all encoder blocks.

        Args:
            x: (B, S, d_model), the embedded source.
            mask: bool, broadcastable to (B, H, S, S); True = may attend.
            hooks: record ``memory`` and everything in the blocks, ablate heads, patch.

        Returns:
            memory: (B, S, d_model).
        """
        for layer, block in enumerate(self.blocks):
            x = block(x, mask, hooks=hooks.child(layer))  # (B, S, d_model)
        memory: Tensor = self.norm(x)
        hooks.record(memory=memory)
        return memory
