"""Leave one source token out and see what becomes of the output: is attention where it matters?

Source: Jain & Wallace 2019, "Attention is not Explanation", section 4.2.1 (leave-one-out).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from model.interventions.batches import rows_at_once
from model.interventions.effect import Effect, effect_on, ids_of
from model.trace.transformer import Trace
from model.transformer.transformer import Transformer
from model.translation_model import TranslationModel


def leave_one_token_out(t: TranslationModel, trace: Trace) -> Effect:
    """Hide every source token once, from the encoder and from the decoder.

    Positions stay: the token is masked, not removed, so that nothing else moves.

    Args:
        t: the model that the trace was taken of.
        trace: of a sentence.

    Returns:
        (S, T): row s without source token s.
    """
    return joined(list(leave_tokens_out(t, trace)))


def leave_tokens_out(t: TranslationModel, trace: Trace) -> Iterator[Effect]:
    """``leave_one_token_out``, some tokens at a time; ``joined`` puts them together."""
    for logits in read_without_each_token(t.model, *ids_of(trace)):
        yield effect_on(trace, logits)


@torch.inference_mode()
def read_without_each_token(model: Transformer, src: Tensor, tgt: Tensor) -> Iterator[Tensor]:
    """Read one target with every source token hidden once, some tokens at a time.

    Args:
        model: in eval mode.
        src: (1, S) ids without padding.
        tgt: (1, T) ids, BOS first.

    Yields:
        (n, T, V) logits without each of the next n source tokens.
    """
    seen = ~torch.eye(src.shape[1], dtype=torch.bool)[:, None, None, :]  # (S, 1, 1, S)
    for mask in torch.split(seen, rows_at_once(tgt.shape[1], model.config.vocab_size)):
        yield model(src.expand(len(mask), -1), tgt.expand(len(mask), -1), mask)


def joined(parts: Sequence[Effect]) -> Effect:
    """All tokens of a sentence, from some at a time."""
    return Effect(
        np.concatenate([part.log_probs for part in parts]),
        np.concatenate([part.distance for part in parts]),
    )
