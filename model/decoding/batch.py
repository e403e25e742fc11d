"""Many sentences at once: sorted by length, translated in batches, given back in order."""

from collections.abc import Iterable, Sequence

from model.corpora.batches import pad
from model.corpora.plain_text import read
from model.decoding.beam import best_translations
from model.decoding.greedy import Hypothesis
from model.nn.encoder_decoder import Decodable
from model.tokenizers.tokenizer import Tokenizer

BATCH_SIZE = 100  # sentences decoded together


def translate_batch(
    model: Decodable, tokenizer: Tokenizer, texts: Sequence[str], *, beam: int = 1
) -> list[Hypothesis]:
    """The best translation of every text, in their order, or ValueError; a beam of 1 is greedy."""
    limit = model.config.max_length
    _refuse("characters", map(len, texts), tokenizer.most_characters(limit), texts)
    ids = tokenizer.encode_ids([read(text) for text in texts])
    _refuse("tokens", map(len, ids), limit, texts)
    order = sorted(range(len(texts)), key=lambda i: len(ids[i]))
    found: dict[int, Hypothesis] = {}
    for start in range(0, len(order), BATCH_SIZE):
        chosen = order[start : start + BATCH_SIZE]
        src = pad([ids[i] for i in chosen], tokenizer.pad_id).to(model.device)
        best = best_translations(model, src, beam=beam, **tokenizer.special_ids)
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
