"""Put sentences of different lengths into one batch, with padding and a padding mask."""

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

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PaddedBatch:
    """A batch of B sentences and their translations, padded to one length."""

    src_tokens: tuple[tuple[str, ...], ...]  # B rows of S tokens
    tgt_tokens: tuple[tuple[str, ...], ...]  # B rows of T tokens, the decoder's input
    src_padding: BoolArray  # (B, S); True = may be attended to
    tgt_padding: BoolArray  # (B, T); True = may be attended to
    causal: BoolArray  # (T, T); True = may be attended to
    records: Mapping[str, Array]  # the records of the forward pass, with the batch axis


@torch.inference_mode()
def padded_batch(t: TranslationModel, sentences: Sequence[str]) -> PaddedBatch:
    """Translate sentences, and run the model on one batch of all sentence pairs.

    Args:
        t: the model.
        sentences: B of them.

    Raises:
        InputError: a sentence cannot be read; see ``read_sentence``.
    """
    # 1. Make a batch of the sources and the model's own translations.
    sources = []
    for text in sentences:
        tokens = read_sentence(t.model, t.tokenizer, text)
        sources.append([token.id for token in tokens])
    targets = [[t.tokenizer.bos_id, *hypothesis.ids] for hypothesis in t.translate(sentences)]
    batch = make_batch(list(zip(sources, targets, strict=True)), t.tokenizer.pad_id)

    # 2. Make the masks.
    src_mask = padding_mask(batch.src, t.tokenizer.pad_id)  # (B, 1, 1, S)
    tgt_mask = padding_mask(batch.tgt, t.tokenizer.pad_id)  # (B, 1, 1, T)
    # always show the start token, because some models use the id of the padding for it
    tgt_mask[..., 0] = True
    causal = causal_mask(batch.tgt.shape[1])  # (1, 1, T, T)

    # 3. Run the model once.
    records: dict[str, Tensor] = {}
    t.model(batch.src, batch.tgt, src_mask, hooks=Hooks(records))
    return PaddedBatch(
        src_tokens=_subwords(t, batch.src, "source"),
        tgt_tokens=_subwords(t, batch.tgt, "target"),
        src_padding=src_mask[:, 0, 0].numpy(),
        tgt_padding=tgt_mask[:, 0, 0].numpy(),
        causal=causal[0, 0].numpy(),
        records={name: tensor.numpy() for name, tensor in records.items()},
    )


@dataclass(frozen=True)
class PaddingEffect:
    """The effect of padding after a sentence on the encoder, for a given mask."""

    tokens: tuple[str, ...]  # the S tokens of the sentence, then the padding: S + n
    visible: BoolArray  # (S + n,); True = may be attended to
    weights: Array  # (n_layers, H, S, S + n) of the encoder; rows are the tokens of the sentence
    share: Array  # (n_layers, H) share of the weight on padding, mean over the rows, 0 to 1
    # largest change of a number in the encoder's output, compared with the sentence alone
    change: float
    translation: str  # of the padded sentence


@torch.inference_mode()
def padding_effect(
    t: TranslationModel, text: str, n_padding: int, *, hidden: Collection[int]
) -> PaddingEffect:
    """Append padding to a sentence, but mask only some of it.

    Args:
        t: the model.
        text: the sentence.
        n_padding: tokens of padding; fewer are added if the model has not enough positions.
        hidden: columns that nothing may attend to, from 0, in the encoder and in cross-attention;
            those beyond the padding do not matter.

    Raises:
        InputError: the sentence cannot be read; see ``read_sentence``.
        ValueError: every column is hidden.
    """
    # 1. Pad the sentence, and make its mask.
    ids = [token.id for token in read_sentence(t.model, t.tokenizer, text)]
    n_src = len(ids)
    n_added = min(n_padding, t.config.max_length - n_src)
    src = torch.tensor([ids + [t.tokenizer.pad_id] * n_added])  # (1, S + n)
    mask = flip(no_mask(1, src.shape[1]), [(0, column) for column in set(hidden)])
    refuse_blind(mask)

    # 2. Translate and encode the padded sentence.
    [hypothesis] = greedy(t.model, src, src_mask=mask, **t.tokenizer.special_ids)
    records: dict[str, Tensor] = {}
    padded = t.model.encode(src, mask, hooks=Hooks(records))[:, :n_src]  # (1, S, d_model)
    maps = [records[f"encoder.{layer}.self.weights"] for layer in range(t.config.n_layers)]
    weights = torch.cat(maps)[:, :, :n_src]  # (n_layers, H, S, S + n)

    # 3. Encode the same sentence without padding.
    alone = torch.tensor([ids])  # (1, S)
    memory = t.model.encode(alone, padding_mask(alone, t.tokenizer.pad_id))  # (1, S, d_model)
    return PaddingEffect(
        tokens=_subwords(t, src, "source")[0],
        visible=mask[0, 0, 0].numpy(),
        weights=weights.numpy(),
        share=weights[..., n_src:].sum(dim=-1).mean(dim=-1).numpy(),
        change=(padded - memory).abs().max().item(),
        translation=t.decode(hypothesis),
    )


def _subwords(t: TranslationModel, ids: Tensor, side: Side) -> tuple[tuple[str, ...], ...]:
    """Return the texts of the tokens of (B, S) ids.

    Args:
        t: the model and its tokenizer.
        ids: (B, S) token ids.
        side: whether the texts are sources or targets.
    """
    return tuple(tuple(t.tokenizer.subword(id, side) for id in row) for row in ids.tolist())
