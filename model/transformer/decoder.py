"""The decoder: n_layers of masked self-attention, cross-attention and feed-forward network."""

from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks
from model.transformer.attention import MultiHeadAttention
from model.transformer.cache import AttentionCache, DecoderCache
from model.transformer.config import ModelConfig
from model.transformer.feed_forward import FeedForward
from model.transformer.residual import Residual


class DecoderBlock(nn.Module):
    """Let each target token attend to the target so far, then to the source.

    Then it passes through the feed-forward network alone.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.cross_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.feed_forward = FeedForward(config.d_model, config.d_ff)
        self.self_residual = Residual(config)
        self.cross_residual = Residual(config)
        self.ffn_residual = Residual(config)

    def forward(
        self,
        resid_pre: Tensor,
        memory: Tensor,
        self_mask: Tensor,
        cross_mask: Tensor,
        *,
        self_cache: AttentionCache | None = None,
        cross_cache: AttentionCache | None = None,
        hooks: Hooks = NO_HOOKS,
    ) -> Tensor:
        """Run one decoder block.

        Args:
            resid_pre: (B, T, d_model), the residual stream before the block.
            memory: (B, S, d_model), the encoder's result.
            self_mask: bool, broadcastable to (B, H, T, tokens so far); True = may attend.
            cross_mask: bool, broadcastable to (B, H, T, S); True = may attend.
            self_cache: keys and values of earlier target tokens; it is extended.
            cross_cache: keys and values of the source; the first call fills it.
            hooks: record the stream and every sublayer, ablate heads, patch.

        Returns:
            resid_post: (B, T, d_model), the residual stream after the block.
        """
        resid_mid = self.self_residual(
            resid_pre,
            lambda x: self.self_attention(
                x, x, self_mask, cache=self_cache, hooks=hooks.child("self")
            ),
        )
        resid_cross = self.cross_residual(
            resid_mid,
            lambda x: self.cross_attention(
                x, memory, cross_mask, cache=cross_cache, hooks=hooks.child("cross")
            ),
        )
        resid_post: Tensor = self.ffn_residual(
            resid_cross, lambda x: self.feed_forward(x, hooks=hooks.child("ffn"))
        )
        resid_post = hooks.patched("resid_post", resid_post)
        hooks.record(
            resid_pre=resid_pre, resid_mid=resid_mid, resid_cross=resid_cross, resid_post=resid_post
        )
        return resid_post


class Decoder(nn.Module):
    """The stack of decoder blocks. In a pre-norm model, a final norm follows."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(DecoderBlock(config) for _ in range(config.n_layers))
        self.norm = nn.LayerNorm(config.d_model) if config.norm == "pre" else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        self_mask: Tensor,
        cross_mask: Tensor,
        *,
        cache: DecoderCache | None = None,
        hooks: Hooks = NO_HOOKS,
    ) -> Tensor:
        """Run all decoder blocks.

        Args:
            x: (B, T, d_model), the embedded target.
            memory: (B, S, d_model), the encoder's result.
            self_mask: bool, broadcastable to (B, H, T, tokens so far); True = may attend.
            cross_mask: bool, broadcastable to (B, H, T, S); True = may attend.
            cache: of earlier decoding steps; it is extended.
            hooks: record ``decoded`` and everything in the blocks, ablate heads, patch.

        Returns:
            decoded: (B, T, d_model), from which the next tokens are read.
        """
        for layer, block in enumerate(self.blocks):
            x = block(
                x,
                memory,
                self_mask,
                cross_mask,
                self_cache=None if cache is None else cache.self_attention[layer],
                cross_cache=None if cache is None else cache.cross_attention[layer],
                hooks=hooks.child(layer),
            )  # (B, T, d_model)
        decoded: Tensor = self.norm(x)
        hooks.record(decoded=decoded)
        return decoded
