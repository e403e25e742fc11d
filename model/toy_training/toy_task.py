"""A toy task: rows of a few symbols, and the correct output for each row."""

import string
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from model.corpora.batches import Batch, make_batch

Symbols = tuple[str, ...]

PAD, BOS, EOS = 0, 1, 2  # token ids
SPECIAL: Symbols = ("<pad>", "<bos>", "<eos>")  # the special tokens, by id
DIGITS: Symbols = tuple(string.digits)
LETTERS: Symbols = tuple(string.ascii_lowercase)


class ToyExample(NamedTuple):
    """One row: the source symbols, and the correct target symbols."""

    source: Symbols
    target: Symbols


@dataclass(frozen=True)
class ToyTask:
    """A rule that determines the target of any source."""

    symbols: Symbols  # all symbols of sources and targets
    solve: Callable[[Symbols], Symbols]  # source -> target

    def row(self, source: Symbols) -> ToyExample:
        """Return an example: a source with its correct target."""
        return ToyExample(source, self.solve(source))

    def batch(self, rows: Sequence[ToyExample]) -> Batch:
        """Return the ids of some rows, padded on the right."""
        return make_batch([(self.ids(row.source), self.ids(row.target)) for row in rows], PAD)

    @cached_property
    def vocabulary(self) -> Symbols:
        """The special tokens and the symbols, by id."""
        return (*SPECIAL, *self.symbols)

    @cached_property
    def _id_of(self) -> dict[str, int]:
        return {symbol: id for id, symbol in enumerate(self.vocabulary)}

    def ids(self, symbols: Iterable[str]) -> list[int]:
        """Return BOS, the ids of the symbols, EOS."""
        return [BOS, *(self._id_of[symbol] for symbol in symbols), EOS]


def sort_symbols(symbols: Symbols) -> Symbols:
    """Return the symbols in ascending order, as the task "sort" requires."""
    return tuple(sorted(symbols))
