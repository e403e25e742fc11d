"""Decide which lines of a corpus become sentence pairs, and give the reason for each other line.

Each line that is left out has one reason:

- "without a partner": there is no second column, or one of two files has ended;
- "undecodable": a column is not valid UTF-8, or holds a zero byte;
- "over-long": a column has too many characters for a sentence;
- "empty": nothing visible is left of a column;
- "repeated": the pair has come before (only ``read_corpora`` looks for these).

The text of the others is normalised (``model.corpora.plain_text``), and nothing else is changed.
"""

from collections import Counter
from collections.abc import Sequence

from model.corpora.pairs import Pair
from model.corpora.plain_text import normalise

MAX_CHARACTERS = 1000  # a longer text is not a sentence
_MAX_COLUMN_BYTES = 100_000  # before normalisation, which can shorten a text

WITHOUT_PARTNER = "without a partner"
UNDECODABLE = "undecodable"
OVER_LONG = "over-long"
EMPTY = "empty"
REPEATED = "repeated"


def clean_pair(columns: Sequence[bytes | None]) -> Pair | str:
    """Return the normalised pair, or the reason why the line is left out.

    Args:
        columns: of one line: source, target and whatever else; None where a file has ended.
    """
    if len(columns) < 2 or columns[0] is None or columns[1] is None:
        return WITHOUT_PARTNER
    source_bytes = columns[0]
    target_bytes = columns[1]
    if max(len(source_bytes), len(target_bytes)) > _MAX_COLUMN_BYTES:
        return OVER_LONG
    if b"\0" in source_bytes or b"\0" in target_bytes:
        return UNDECODABLE
    try:
        source = normalise(source_bytes.decode())
        target = normalise(target_bytes.decode())
    except UnicodeDecodeError:
        return UNDECODABLE
    if not source or not target:
        return EMPTY
    if max(len(source), len(target)) > MAX_CHARACTERS:
        return OVER_LONG
    return source, target


def cleaning_summary(n_pairs: int, dropped: Counter[str]) -> str:
    """Summarise the number of pairs, and the number of dropped lines for each reason.

    >>> cleaning_summary(3, Counter({EMPTY: 2, REPEATED: 1}))
    '3 pairs; lines left out: 2 empty, 1 repeated'
    """
    summary = f"{n_pairs:,} pairs"
    if dropped:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in sorted(dropped.items()))
        summary += f"; lines left out: {reasons}"
    return summary
