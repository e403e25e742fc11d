"""The columns of a line: source TAB target TAB whatever else, in every command and on the page."""

from __future__ import annotations

import re

from model.data.reading import read

# What manythings.org writes into the third column of each line; who wrote it, and no translation.
_ATTRIBUTION = re.compile(r"CC-BY \S+ .*tatoeba\.org.*")


def columns(line: str) -> list[str]:
    """Each as it is read, without an attribution.

    >>> columns("Hi.\\tSalut !\\tCC-BY 2.0 (France) Attribution: tatoeba.org #538123 (CM)")
    ['Hi.', 'Salut !']
    """
    return [read(column) for column in line.split("\t") if not _ATTRIBUTION.match(column.strip())]
