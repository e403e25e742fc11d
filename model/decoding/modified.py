"""Decode with changed attention masks, or with ablated heads.

Masks are bool, True = may attend, as everywhere. The model itself is not changed.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from model.nn.attention_model import AttentionModel
from model.nn.hooks import Ablations, Hooks
from model.transformer.cache import DecoderCache
from model.transformer.masks import causal_mask, padding_mask

SelfMask = Callable[[int], Tensor]  # number of target tokens -> (1, 1, T, T) bool


class ModifiedCache:
    """The target tokens so far, and the caches of the attentions.

    Args:
        past: keys and values of the decoder.
        mask: (1, 1, T, T) bool, under which the tokens were read.
    """

    def __init__(self, past: DecoderCache, mask: Tensor) -> None:
        self.past = past
        self.mask = mask
        self.tokens: list[Tensor] = []  # (B, 1) each


class ModifiedTransformer:
    """Decodes like the original model, but with changed masks or ablated heads.

    Where the mask shows an earlier token what it did not see before, all tokens are read again.

    Args:
        model: in eval mode.
        self_mask: returns the mask of the decoder's self-attention for any number of tokens; None
            for the causal mask.
        ablations: by the path of an attention; None ablates no head.
    """

    def __init__(
        self,
        model: AttentionModel,
        *,
        self_mask: SelfMask | None = None,
        ablations: Ablations | None = None,
    ) -> None:
        self.model = model
        self.config = model.config
        self.device = model.device
        self.self_mask = self_mask or partial(causal_mask, device=model.device)
        self.hooks = Hooks(ablations=ablations or {})

    def new_cache(self) -> ModifiedCache:
        """Return an empty cache."""
        return ModifiedCache(self.model.new_cache(), self.self_mask(0))

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """Return the memory of ``Transformer.encode``, computed with the ablations."""
        return self.model.encode(src, src_mask, hooks=self.hooks)

    def restrict(self, written: Tensor, logits: Tensor) -> Tensor:
        """Apply the model's restrictions on output tokens; see ``EncoderDecoder.restrict``."""
        return self.model.restrict(written, logits)

    def decode(
        self, tgt: Tensor, memory: Tensor, src_mask: Tensor, *, cache: ModifiedCache
    ) -> Tensor:
        """Return the logits of the next tokens, as ``Transformer.decode`` does.

        Args:
            tgt: (B, 1) int64, the tokens that are not in the cache.
            memory: (B, S, d_model), the result of ``encode``.
            src_mask: (B, 1, 1, S) bool, True = may attend.
            cache: of the tokens before; it is extended.

        Returns:
            (B, 1, V) logits.

        Raises:
            ValueError: the mask leaves a query without any key.
        """
        cache.tokens.append(tgt)
        tokens = torch.cat(cache.tokens, dim=1)  # (B, T)
        mask = self.self_mask(tokens.shape[1])  # (1, 1, T, T)
        refuse_blind(mask)
        if not _extends(cache.mask, mask):
            cache.past.forget_target()
        cache.mask = mask

        first_new = cache.past.length
        states = self.model.decode_states(
            tokens[:, first_new:],
            memory,
            src_mask,
            tgt_mask=mask[:, :, first_new:].to(tgt.device),
            cache=cache.past,
            hooks=self.hooks,
        )  # (B, T - first_new, d_model)
        return self.model.unembed(states[:, -tgt.shape[1] :])


@torch.inference_mode()
def teacher_forced_loss(
    model: AttentionModel, src: Tensor, target: Tensor, *, self_mask: Tensor, pad_id: int
) -> Tensor:
    """Return the loss -log p of each token of a given target, in nats.

    Args:
        model: in eval mode.
        src: (1, S) int64, EOS last.
        target: (1, T + 1) int64, BOS ... EOS.
        self_mask: (1, 1, T, T) bool, of the decoder's self-attention.
        pad_id: id of the padding.

    Returns:
        (T,) float32.

    Raises:
        ValueError: the mask leaves a query without any key.
    """
    refuse_blind(self_mask)
    src_mask = padding_mask(src, pad_id)  # (1, 1, 1, S)
    memory = model.encode(src, src_mask)  # (1, S, d_model)
    states = model.decode_states(target[:, :-1], memory, src_mask, tgt_mask=self_mask)
    log_probs: Tensor = model.unembed(states)[0].log_softmax(dim=-1)  # (T, V)
    return -log_probs.gather(1, target[0, 1:, None])[:, 0]


def refuse_blind(mask: Tensor) -> None:
    """Raise ValueError if a (..., T, S) mask leaves a query without a key."""
    if not mask.any(dim=-1).all():
        raise ValueError("a query that sees no key has no softmax: show it at least one")


def _extends(before: Tensor, mask: Tensor) -> bool:
    """Return whether earlier tokens see the same keys as before; then their cache is valid."""
    n = before.shape[-1]
    sees_the_same = torch.equal(mask[..., :n, :n], before)
    sees_later_tokens = bool(mask[..., :n, n:].any())
    return sees_the_same and not sees_later_tokens
