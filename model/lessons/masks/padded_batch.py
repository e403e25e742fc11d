"""Sentences of different length in one batch: what padding is, and what hides it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from model.arrays import Array
from model.corpora.batches import make_batch
from model.decoding.greedy import greedy
from model.decoding.modified import refuse_blind
from model.nn.hooks import Hooks
from model.tokenizers.tokenizer import Side
from model.trace.tracing import read_sentence
from model.transformer.masks import causal_mask, flip, no_mask, padding_mask
from model.translation_model import TranslationModel


@dataclass(frozen=True)
class PaddedBatch:
    """A batch of B sentences and their translations, all of one length by padding."""

    src_tokens: tuple[tuple[str, ...], ...]  # B rows of S tokens
    tgt_tokens: tuple[tuple[str, ...], ...]  # B rows of T tokens, the decoder's input
    src_padding: Array  # (B, S) bool; True = may be attended to
    tgt_padding: Array  # (B, T) bool; likewise
    causal: Array  # (T, T) bool
    records: Mapping[str, Array]  # of the forward pass, with the batch axis


@torch.inference_mode()
def padded_batch(t: TranslationModel, sentences: Sequence[str]) -> PaddedBatch:
    """Translate sentences, put them into one batch and run it; InputError as ``read_sentence``."""
    sources = [
        [token.id for token in read_sentence(t.model, t.tokenizer, text)] for text in sentences
    ]
    targets = [[t.tokenizer.bos_id, *hypothesis.ids] for hypothesis in t.translate(sentences)]
    batch = make_batch(list(zip(sources, targets, strict=True)), t.tokenizer.pad_id)
    records: dict[str, Tensor] = {}
    src_padding = padding_mask(batch.src, t.tokenizer.pad_id)  # (B, 1, 1, S)
    tgt_padding = padding_mask(batch.tgt, t.tokenizer.pad_id)
    tgt_padding[..., 0] = True  # the start token, which is the padding's in some models
    t.model(batch.src, batch.tgt, src_padding, hooks=Hooks(records))
    return PaddedBatch(
        src_tokens=_subwords(t, batch.src, "source"),
        tgt_tokens=_subwords(t, batch.tgt, "target"),
        src_padding=src_padding[:, 0, 0].numpy(),
        tgt_padding=tgt_padding[:, 0, 0].numpy(),
        causal=causal_mask(batch.tgt.shape[1])[0, 0].numpy(),
        records={name: tensor.numpy() for name, tensor in records.items()},
    )


@dataclass(frozen=True)
class PaddingEffect:
    """What padding behind a sentence does to it, under some mask."""

    tokens: tuple[str, ...]  # the S of the sentence, then the padding: S + n
    visible: npt.NDArray[np.bool_]  # (S + n,); True = may be attended to
    weights: Array  # (n_layers, H, S, S + n) of the encoder; rows are the tokens of the sentence
    share: Array  # (n_layers, H) what padding gets of the weight of a row, mean over the rows, 0..1
    change: float  # of the numbers of the encoder's result, against the sentence alone: the largest
    translation: str  # what is written then


@torch.inference_mode()
def padding_effect(
    t: TranslationModel, text: str, n_padding: int, *, hidden: Collection[int]
) -> PaddingEffect:
    """Add padding behind a sentence and let it be seen, but for some columns.

    Args:
        n_padding: tokens of padding; no more are added than the model has room for.
        hidden: columns that nobody may attend to, from 0, in the encoder and in cross-attention;
            those beyond the padding do not matter. ValueError where it is every column.
    """
    ids = [token.id for token in read_sentence(t.model, t.tokenizer, text)]
    n = min(n_padding, t.config.max_length - len(ids))
    alone, src = torch.tensor([ids]), torch.tensor([ids + [t.tokenizer.pad_id] * n])
    mask = flip(no_mask(1, src.shape[1]), [(0, column) for column in set(hidden)])
    refuse_blind(mask)
    [found] = greedy(t.model, src, src_mask=mask, **t.tokenizer.special_ids)
    records: dict[str, Tensor] = {}
    padded = t.model.encode(src, mask, hooks=Hooks(records))[:, : len(ids)]  # (1, S, d_model)
    memory = t.model.encode(alone, padding_mask(alone, t.tokenizer.pad_id))
    maps = [records[f"encoder.{layer}.self.weights"] for layer in range(t.config.n_layers)]
    weights = torch.cat(maps)[:, :, : len(ids)]  # (n_layers, H, S, S + n)
    return PaddingEffect(
        tokens=_subwords(t, src, "source")[0],
        visible=mask[0, 0, 0].numpy(),
        weights=weights.numpy(),
        share=weights[..., len(ids) :].sum(dim=-1).mean(dim=-1).numpy(),
        change=(padded - memory).abs().max().item(),
        translation=t.decode(found),
    )


def _subwords(t: TranslationModel, ids: Tensor, side: Side) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(t.tokenizer.subword(id, side) for id in row) for row in ids.tolist())
