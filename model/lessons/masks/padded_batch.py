"""Sentences of different length in one batch: what padding is, and what hides it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from model.arrays import Array
from model.data.batches import make_batch
from model.data.tokenizer import Side
from model.decoding.greedy import greedy
from model.decoding.modified import refuse_blind
from model.nn.hooks import Hooks
from model.trace.tracing import read_sentence
from model.transformer.masks import causal_mask, flip, no_mask, padding_mask
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
    """What padding behind a sentence does to it, under some mask.

    Args:
        tokens: the S of the sentence, then the padding: S + n.
        visible: (S + n,) bool; True = may be attended to.
        weights: (n_layers, H, S, S + n) of the encoder; rows are the tokens of the sentence.
        share: (n_layers, H) what padding gets of the weight of a row, mean over the rows, 0..1.
        change: of the numbers of the encoder's result, against the sentence alone: the largest.
        translation: what is written then.
    """

    tokens: tuple[str, ...]
    visible: npt.NDArray[np.bool_]
    weights: Array
    share: Array
    change: float
    translation: str


@torch.inference_mode()
def padding_effect(
    t: TranslationModel, text: str, n_padding: int, *, hidden: Collection[int]
) -> PaddingEffect:
    """Add padding behind a sentence and let it be seen, but for some columns.

    Args:
        t: a model.
        text: the sentence.
        n_padding: tokens of padding, 0 or more; no more are added than the model has room for.
        hidden: columns that nobody may attend to, from 0, in the encoder and in cross-attention;
            those beyond the padding do not matter.

    Raises:
        InputError: the sentence is empty or too long.
        ValueError: every column is hidden.
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
