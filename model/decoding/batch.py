"""Translate many sentences in batches sorted by length. Return them in their original order."""

from collections.abc import Sequence

import torch
from torch import Tensor

from model.corpora.batches import pad
from model.corpora.plain_text import normalise
from model.decoding.beam import best_translations
from model.decoding.draft import Drafter
from model.decoding.greedy import Hypothesis
from model.nn.encoder_decoder import Decodable
from model.tokenizers.tokenizer import SpecialIds, Tokenizer
from model.transformer.masks import padding_mask

BATCH_SIZE = 100  # sentences decoded together


def translate_batch(
    model: Decodable,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    *,
    beam: int = 1,
    drafter: Drafter | None = None,
) -> list[Hypothesis]:
    """Translate texts in batches, by greedy decoding or beam search.

    Args:
        model: in eval mode.
        tokenizer: of this model.
        texts: the sources, as typed.
        beam: K hypotheses kept while translating, from 1 to ``MAX_BEAM``; 1 is greedy.
        drafter: writes drafts for ``model``, to save time; None for none. Used only for greedy
            decoding of a single sentence: in a batch, the products with all sentences take more
            time than reading the weights.

    Returns:
        The best translation of every text, in their order.

    Raises:
        ValueError: a text is too long for the model, or ``beam`` is out of range.
    """
    # 1. Split the texts into tokens
    limit = model.config.max_length
    n_characters = [len(text) for text in texts]
    _refuse_long(texts, n_characters, tokenizer.max_characters(limit), unit="characters")
    ids = tokenizer.encode_ids([normalise(text) for text in texts])
    n_tokens = [len(sentence) for sentence in ids]
    _refuse_long(texts, n_tokens, limit, unit="tokens")

    # 2. Translate in batches of similar length, which need little padding
    order = sorted(range(len(texts)), key=lambda i: n_tokens[i])
    translations: dict[int, Hypothesis] = {}
    for start in range(0, len(order), BATCH_SIZE):
        batch = order[start : start + BATCH_SIZE]
        src = pad([ids[i] for i in batch], tokenizer.pad_id).to(model.device)  # (B, S)
        best = _best(model, src, beam, drafter, tokenizer.special_ids)
        translations.update(zip(batch, best, strict=True))

    # 3. Restore the order of the texts
    return [translations[i] for i in range(len(texts))]


def _best(
    model: Decodable, src: Tensor, beam: int, drafter: Drafter | None, special_ids: SpecialIds
) -> list[Hypothesis]:
    """Translate one batch.

    Args:
        model: in eval mode.
        src: (B, S) int64, EOS last, padded on the right.
        beam: K >= 1.
        drafter: writes drafts, or None.
        special_ids: ``pad_id``, ``bos_id`` and ``eos_id``.
    """
    if drafter is None or beam > 1 or len(src) > 1:
        return best_translations(model, src, beam=beam, **special_ids)
    src_mask = padding_mask(src, special_ids["pad_id"])  # (1, 1, 1, S)
    with torch.inference_mode():
        memory = model.encode(src, src_mask)  # (1, S, d_model)
    draft = drafter.translate(src, memory, src_mask, special_ids)
    if draft is None:
        return best_translations(model, src, beam=1, memory=memory, **special_ids)
    return [draft.hypothesis(special_ids["eos_id"])]


def _refuse_long(texts: Sequence[str], lengths: Sequence[int], limit: int, *, unit: str) -> None:
    """Raise ValueError for the first text that exceeds the limit.

    Args:
        texts: the texts.
        lengths: the length of each text, in units.
        limit: the largest length that is allowed.
        unit: what is counted, in the plural: "tokens" or "characters".

    Raises:
        ValueError: names the first text that is too long.
    """
    for number, (text, length) in enumerate(zip(texts, lengths, strict=True), start=1):
        if length > limit:
            raise ValueError(
                f"text {number} has {length:,} {unit}, and at most {limit:,} are taken: "
                f"{text[:60]!r} … Shorten it or leave it out."
            )
