"""Define sentence pairs, references and languages, the data types of every corpus."""

from collections.abc import Collection
from itertools import islice

Pair = tuple[str, str]  # source, target
References = dict[str, list[str]]  # source -> its translations
Languages = tuple[str | None, str | None]  # codes of two, such as source and target; None: unknown


def evenly_spaced_pairs(pairs: Collection[Pair], n: int) -> list[Pair]:
    """Return about ``n`` evenly spaced pairs, because corpora are sorted by length."""
    step = 1 + len(pairs) // n
    return list(islice(pairs, 0, None, step))
