"""Names from the subwords of a vocabulary, drawn alike: each of them can stand in a name.

"Priya" is cut into " Pri", "y" and "a". A model that has seen " Pri" in "Prison" only reads a
prison: of the names in the measurement it lost most of those that begin with a subword of ordinary
words. What it is to copy must have stood in names, and in these any subword does.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

_LONGEST = 14  # letters
_MORE = (1, 1, 2, 2, 3)  # subwords after the first


class SubwordNames:
    """Names of two to four subwords, the first of which begins a word with a capital.

    Args:
        subwords: of a vocabulary, as ``ByteLevelTokenizer.subword`` reads them. Where none begins
            a name, or none goes on with one, there are no names.
    """

    def __init__(self, subwords: Iterable[str]) -> None:
        known = list(subwords)
        self._first = [
            s[1:] for s in known if s.startswith(" ") and s.istitle() and s[1:].isalpha()
        ]
        self._more = [s for s in known if s.isalpha() and s.islower()]

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._first and self._more)

    def one(self, random: np.random.Generator) -> str:
        """A name of at most 14 letters; the tokenizer may cut it elsewhere than it was joined."""
        name = ""
        while not name or len(name) > _LONGEST:
            more = random.integers(len(self._more), size=_MORE[random.integers(len(_MORE))])
            first = self._first[random.integers(len(self._first))]
            name = first + "".join(self._more[i] for i in more)
        return name
