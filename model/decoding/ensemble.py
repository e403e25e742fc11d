"""Several Transformers that write one translation together: the mean of their probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor, nn

from model.decoding.fused import FusedTransformer
from model.nn.encoder_decoder import EncoderDecoder
from model.nn.head_ablation import Ablations
from model.nn.tape import Tape
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer


@dataclass(frozen=True)
class EnsembleCache:
    """What each of the models keeps from one step to the next."""

    caches: list[Any]

    def select(self, rows: Tensor) -> Self:
        """Keep only these hypotheses, in this order: (n,) int64."""
        return type(self)([cache.select(rows) for cache in self.caches])


class Ensemble(EncoderDecoder[EnsembleCache]):
    """Models of one vocabulary as one model, in which what a single one fancies is outvoted.

    What they compute lies side by side in the last dimension, D, the sum of their d_model.

    Args:
        models: at least one, in eval mode, whose ids mean the same.

    Raises:
        ValueError: there is none, or their vocabularies are not equally large.

    Source: Sutskever et al. 2014, section 3.6.
    """

    config: ModelConfig

    def __init__(self, models: Sequence[Transformer | FusedTransformer]) -> None:
        super().__init__()
        if len({model.config.vocab_size for model in models}) != 1:
            raise ValueError("an ensemble is of one vocabulary, and of at least one model")
        self.config = min((model.config for model in models), key=lambda config: config.max_length)
        self._models = list(models)
        self._widths = [model.config.d_model for model in models]
        self._in_order = nn.ModuleList(models)  # so that all move to a device together
        self.eval()

    def new_cache(self) -> EnsembleCache:
        """Nothing read so far."""
        return EnsembleCache([model.new_cache() for model in self._models])

    def encode(
        self,
        src: Tensor,
        src_mask: Tensor,
        *,
        ablations: Ablations | None = None,
        tape: Tape | None = None,
    ) -> Tensor:
        """(B, S) ids, (B, 1, 1, S) bool -> memory (B, S, D)."""
        _refuse(ablations, tape)
        return torch.cat([model.encode(src, src_mask) for model in self._models], dim=-1)

    def decode_states(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        *,
        cache: EnsembleCache | None = None,
        ablations: Ablations | None = None,
        tape: Tape | None = None,
    ) -> Tensor:
        """(B, T) ids and (B, S, D) -> (B, T, D)."""
        _refuse(ablations, tape)
        caches = [None] * len(self._models) if cache is None else cache.caches
        memories = torch.split(memory, self._widths, dim=-1)  # each (B, S, d_model)
        states = [
            model.decode_states(tgt, own, src_mask, cache=kept)
            for model, own, kept in zip(self._models, memories, caches, strict=True)
        ]
        return torch.cat(states, dim=-1)

    def decode(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor,
        *,
        cache: EnsembleCache | None = None,
        ablations: Ablations | None = None,
        tape: Tape | None = None,
    ) -> Tensor:
        """log of the mean of the models' probabilities of every next token: (B, T, V)."""
        states = self.decode_states(
            tgt, memory, src_mask, cache=cache, ablations=ablations, tape=tape
        )
        log_probs = [
            model.unembed(own).log_softmax(dim=-1)  # (B, T, V)
            for model, own in zip(
                self._models, torch.split(states, self._widths, dim=-1), strict=True
            )
        ]
        return torch.stack(log_probs).logsumexp(dim=0) - math.log(len(log_probs))


def _refuse(ablations: Ablations | None, tape: Tape | None) -> None:
    if ablations is not None or tape is not None:
        raise ValueError("look into one of the models, not into all of them at once")
