"""Read tables whose columns are separated by commas or semicolons (CSV).

Spreadsheets save such tables. A cell with a separator or a line break is in quotes.
"""

import csv
import re
from collections.abc import Collection, Iterable, Iterator

from model.corpora.text_checks import is_header

_DIRECTIVE = re.compile(r"sep=.", re.IGNORECASE)  # the first line that Excel reads


class QuoteError(ValueError):
    """The error for a table in which a quote is missing or too many.

    Args:
        line: in which the row begins, from 1.
    """

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(
            f"the row that begins in line {line} has a quote too many or too few: write each "
            'quote inside a cell twice ("")'
        )


def csv_lines(lines: Iterable[str], separator: str) -> Iterator[str | None]:
    """Yield each row of a table with TABs between its columns.

    Args:
        lines: of the file, without their line ends.
        separator: of the columns, one character.

    Yields:
        A row; None for a line without one: the names of the columns, or a further line of a cell
        that has several.

    Raises:
        QuoteError: the quotes of a row are wrong.

    >>> list(csv_lines(["English;French", '"Go; now.";Va !'], ";"))
    [None, 'Go; now.\\tVa !']
    """
    is_first = True
    for row in tab_separated(lines, separator, strict=True):
        is_title = is_first and row is not None and _is_title(row, separator)
        # the names of the columns may follow Excel's line
        is_first = is_first and (row is None or row.lower().startswith("sep="))
        yield None if is_title else row


def _is_title(row: str, separator: str) -> bool:
    """Return whether a row is Excel's line ``sep=;``, or holds the names of the columns."""
    columns = row.split("\t")  # ``sep=;`` was itself cut at its separator
    return bool(_DIRECTIVE.fullmatch(separator.join(columns[:2]))) or is_header(columns)


def tab_separated(
    lines: Iterable[str], separator: str, *, left_out: Collection[int] = (), strict: bool = False
) -> Iterator[str | None]:
    """Yield the rows of a table. For each further line of a row, yield None.

    Args:
        lines: of the table, without their line ends.
        separator: of the columns, one character.
        left_out: columns to leave out, from 0.
        strict: refuse a row whose quotes are wrong.

    Raises:
        QuoteError: the quotes of a row are wrong.
    """
    reader = csv.reader((line + "\n" for line in lines), delimiter=separator, strict=strict)
    n_read = 0
    try:
        for fields in reader:
            texts = [text for n, text in enumerate(fields) if n not in left_out]
            yield "\t".join(re.sub(r"\s", " ", text) for text in texts)
            yield from [None] * (reader.line_num - n_read - 1)
            n_read = reader.line_num
    except csv.Error as error:
        raise QuoteError(n_read + 1) from error
