"""The decoder: masked self-attention, cross-attention and feed-forward, n_layers times."""

from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks
from model.transformer.attention import MultiHeadAttention
from model.transformer.cache import AttentionCache, DecoderCache
from model.transformer.config import ModelConfig
from model.transformer.feed_forward import FeedForward
from model.transformer.residual import Residual


class DecoderBlock(nn.Module):
    """Every target token looks back over the target, then at the source, then thinks.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.cross_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.feed_forward = FeedForward(config.d_model, config.d_ff, config.activation)
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
        """resid_pre (B, T, d_model), memory (B, S, d_model) -> resid_post (B, T, d_model).

        The masks are bool, broadcastable to (B, H, T, T) and (B, H, T, S); True = may attend. The
        caches hold earlier keys and values of the target, and those of the source.
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
    """The stack of blocks; with pre-norm a last norm, since the stream itself is never normed."""

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
        """Embedded target (B, T, d_model) and memory (B, S, d_model) -> (B, T, d_model)."""
        for layer, block in enumerate(self.blocks):
            x = block(
                x,
                memory,
                self_mask,
                cross_mask,
                self_cache=None if cache is None else cache.self_attention[layer],
                cross_cache=None if cache is None else cache.cross_attention[layer],
                hooks=hooks.child(layer),
            )
        decoded: Tensor = self.norm(x)
        hooks.record(decoded=decoded)
        return decoded
