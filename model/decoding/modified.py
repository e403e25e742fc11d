"""A Transformer that decodes with other masks than its own, or with some heads ablated.

Masks are bool, True = may attend, as everywhere. The model itself is not changed.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from model.nn.hooks import Ablations, Hooks
from model.transformer.cache import DecoderCache
from model.transformer.masks import causal_mask, padding_mask
from model.transformer.transformer import Transformer

SelfMask = Callable[[int], Tensor]  # number of target tokens -> (1, 1, T, T) bool


class ModifiedCache:
    """The target so far: keys and values, and the mask (1, 1, T, T) under which it was read."""

    def __init__(self, past: DecoderCache, mask: Tensor) -> None:
        self.past, self.mask = past, mask
        self.tokens: list[Tensor] = []


class ModifiedTransformer:
    """Decodes in place of a Transformer in eval mode.

    ``self_mask`` gives the mask of the decoder's self-attention for any number of tokens. Where it
    shows an earlier token what it did not see before, all tokens are read again.
    """

    def __init__(
        self,
        model: Transformer,
        *,
        self_mask: SelfMask = causal_mask,
        ablations: Ablations | None = None,
    ) -> None:
        self.model, self.config, self.device = model, model.config, model.device
        self.self_mask, self.hooks = self_mask, Hooks(ablations=ablations or {})

    def new_cache(self) -> ModifiedCache:
        """Nothing read so far."""
        return ModifiedCache(self.model.new_cache(), self.self_mask(0))

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """As ``Transformer.encode``."""
        return self.model.encode(src, src_mask, hooks=self.hooks)

    def decode(
        self, tgt: Tensor, memory: Tensor, src_mask: Tensor, *, cache: ModifiedCache
    ) -> Tensor:
        """As ``Transformer.decode``; ValueError where a query sees no key."""
        cache.tokens.append(tgt)
        tokens = torch.cat(cache.tokens, dim=1)  # (B, T)
        mask = self.self_mask(tokens.shape[1])  # (1, 1, T, T)
        refuse_blind(mask)
        if not _goes_on(cache.mask, mask):
            cache.past.forget_target()
        cache.mask = mask
        first = cache.past.length
        states = self.model.decode_states(
            tokens[:, first:],
            memory,
            src_mask,
            tgt_mask=mask[:, :, first:].to(tgt.device),
            cache=cache.past,
            hooks=self.hooks,
        )
        return self.model.unembed(states[:, -tgt.shape[1] :])


@torch.inference_mode()
def teacher_forced_loss(
    model: Transformer, src: Tensor, target: Tensor, *, self_mask: Tensor, pad_id: int
) -> Tensor:
    """-log p of each token of a given target, in nats: (T,) float32.

    src (1, S) and target (1, T + 1), BOS ... EOS, are int64, self_mask (1, 1, T, T) is bool;
    ValueError where a query sees no key.
    """
    refuse_blind(self_mask)
    src_mask = padding_mask(src, pad_id)
    memory = model.encode(src, src_mask)
    states = model.decode_states(target[:, :-1], memory, src_mask, tgt_mask=self_mask)
    log_probs: Tensor = model.unembed(states)[0].log_softmax(dim=-1)  # (T, V)
    return -log_probs.gather(1, target[0, 1:, None])[:, 0]


def refuse_blind(mask: Tensor) -> None:
    """ValueError for a query that sees no key."""
    if not mask.any(dim=-1).all():
        raise ValueError("a query that sees no key has no softmax: show it at least one")


def _goes_on(before: Tensor, mask: Tensor) -> bool:
    """Whether earlier tokens see what they saw: then their keys and values are what they were."""
    n = before.shape[-1]
    return torch.equal(mask[..., :n, :n], before) and not bool(mask[..., :n, n:].any())
