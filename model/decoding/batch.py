"""Many sentences at once: sorted by length, translated in batches, given back in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from model.data.batches import pad
from model.data.reading import read
from model.data.tokenizer import Tokenizer
from model.decoding.beam import ALPHA, beam_search
from model.decoding.greedy import Hypothesis, greedy
from model.nn.encoder_decoder import Decodable

BATCH_SIZE = 100  # sentences decoded together


def translate_batch(
    model: Decodable,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    *,
    beam: int = 1,
    alpha: float = ALPHA,
    batch_size: int = BATCH_SIZE,
) -> list[Hypothesis]:
    """The best translation of every text.

    Args:
        model: in eval mode, on any device.
        tokenizer: its tokenizer.
        texts: any sentences as they were typed, each short enough for the model.
        beam: 1 decodes greedily, more by beam search.
        alpha: length normalisation of the beam.
        batch_size: sentences decoded together.

    Returns:
        One hypothesis a text, in the order of the texts.

    Raises:
        ValueError: a text is too long for the model; the message says which.
    """
    limit = model.config.max_length
    _refuse("characters", map(len, texts), tokenizer.most_characters(limit), texts)
    ids = tokenizer.encode_ids([read(text) for text in texts])
    _refuse("tokens", map(len, ids), limit, texts)
    order = sorted(range(len(texts)), key=lambda i: len(ids[i]))
    found: dict[int, Hypothesis] = {}
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        src = pad([ids[i] for i in chosen], tokenizer.pad_id).to(model.device)
        if beam == 1:
            best = greedy(model, src, **tokenizer.special_ids)
        else:
            beams = beam_search(model, src, beam=beam, alpha=alpha, **tokenizer.special_ids)
            best = [hypotheses[0] for hypotheses in beams]
        found.update(zip(chosen, best, strict=True))
    return [found[i] for i in range(len(texts))]


def _refuse(counted: str, lengths: Iterable[int], limit: int, texts: Sequence[str]) -> None:
    """ValueError for the first text that is too long."""
    for number, (text, length) in enumerate(zip(texts, lengths, strict=True), start=1):
        if length > limit:
            raise ValueError(
                f"text {number} has {length:,} {counted}, and at most {limit:,} are taken: "
                f"{text[:60]!r} … Shorten it or leave it out."
            )
