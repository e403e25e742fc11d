"""Sentences of different length in one batch: what padding is, and what hides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from model.batches import make_batch
from model.masked_run import greedy_masked
from model.masks import causal_mask, padding_mask
from model.tape import Tape
from model.trace import Array, read_sentence
from model.translation_model import TranslationModel


@dataclass(frozen=True)
class PaddedBatch:
    """A batch of B sentences and their translations, all of one length by padding.

    Args:
        src_tokens: B rows of S tokens.
        tgt_tokens: B rows of T tokens, the decoder's input.
        src_padding: (B, S) bool; True = may be attended to.
        tgt_padding: (B, T) bool; likewise.
        causal: (T, T) bool.
        records: of the forward pass, with the batch axis.
    """

    src_tokens: tuple[tuple[str, ...], ...]
    tgt_tokens: tuple[tuple[str, ...], ...]
    src_padding: Array
    tgt_padding: Array
    causal: Array
    records: Mapping[str, Array]


@torch.inference_mode()
def padded_batch(t: TranslationModel, sentences: Sequence[str]) -> PaddedBatch:
    """Translate the sentences, put them into one batch and run it once.

    Raises:
        InputError: a sentence is empty or too long.
    """
    sources = [
        [token.id for token in read_sentence(t.model, t.tokenizer, text)] for text in sentences
    ]
    targets = [[t.tokenizer.bos_id, *hypothesis.ids] for hypothesis in t.translate(sentences)]
    batch = make_batch(list(zip(sources, targets, strict=True)), t.tokenizer.pad_id)
    tape = Tape()
    src_padding = padding_mask(batch.src, t.tokenizer.pad_id)  # (B, 1, 1, S)
    tgt_padding = padding_mask(batch.tgt, t.tokenizer.pad_id)
    t.model(batch.src, batch.tgt, src_padding, tape=tape)
    return PaddedBatch(
        src_tokens=_pieces(t, batch.src),
        tgt_tokens=_pieces(t, batch.tgt),
        src_padding=src_padding[:, 0, 0].numpy(),
        tgt_padding=tgt_padding[:, 0, 0].numpy(),
        causal=causal_mask(batch.tgt.shape[1])[0, 0].numpy(),
        records={name: tensor.numpy() for name, tensor in tape.records.items()},
    )


@dataclass(frozen=True)
class PaddingEffect:
    """What padding does to a sentence, hidden and seen.

    Args:
        hidden: largest change of a number of the encoder's result when padding is added, hidden.
        seen: the same when it can be attended to.
        translation_hidden: what is written then.
        translation_seen: likewise.
    """

    hidden: float
    seen: float
    translation_hidden: str
    translation_seen: str


@torch.inference_mode()
def padding_effect(t: TranslationModel, text: str, n_padding: int) -> PaddingEffect:
    """Add padding behind a sentence, once with the padding mask and once without.

    Args:
        t: a model.
        text: the sentence.
        n_padding: tokens of padding, 0 or more.

    Raises:
        InputError: the sentence is empty or, with its padding, too long.
    """
    ids = [token.id for token in read_sentence(t.model, t.tokenizer, text)]
    room = t.config.max_length - len(ids)
    src = torch.tensor([ids + [t.tokenizer.pad_id] * min(n_padding, room)])
    alone = torch.tensor([ids])
    memory = t.model.encode(alone, padding_mask(alone, t.tokenizer.pad_id))  # (1, S, d_model)
    masks = {
        "hidden": padding_mask(src, t.tokenizer.pad_id),
        "seen": torch.ones(1, 1, 1, src.shape[1], dtype=torch.bool),
    }
    change, written = {}, {}
    for name, mask in masks.items():
        padded = t.model.encode(src, mask)[:, : len(ids)]
        change[name] = (padded - memory).abs().max().item()
        found = greedy_masked(
            t.model, src, self_mask=causal_mask, src_mask=mask, **t.tokenizer.special_ids
        )
        written[name] = t.decode(found)
    return PaddingEffect(change["hidden"], change["seen"], written["hidden"], written["seen"])


def _pieces(t: TranslationModel, ids: Tensor) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(t.tokenizer.piece(id) for id in row) for row in ids.tolist())
