"""A candidate as one model sees it; what several heads need is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from model.data.chinese import apart
from model.gallery.example import Candidate
from model.interventions.means import HeadMeans, read_head_means
from model.maps.view import View, ViewChoice, take_view
from model.trace.transformer import Trace
from model.translation_model import TranslationModel

_SIGNS = str.maketrans(dict.fromkeys(".,;:!?'’，。、；：！？“”", " "))


class Scene:
    """Not for several threads.

    Args:
        t: the model.
        candidate: what to look at.
        trace: of its sentence, greedily translated by this model; None: it is taken.
    """

    def __init__(
        self, t: TranslationModel, candidate: Candidate, trace: Trace | None = None
    ) -> None:
        self.t, self.candidate = t, candidate
        self.trace = trace or t.trace(candidate.sentence)
        self._views: dict[ViewChoice, View] = {}

    @cached_property
    def second(self) -> Trace:
        """What the model does with the second sentence."""
        return self.t.trace(self.candidate.second)

    @cached_property
    def means(self) -> HeadMeans | None:
        """The mean outputs of the heads; None where they were not measured."""
        return read_head_means(self.t)

    def view(self, how: ViewChoice) -> View:
        """All maps of one kind of attention."""
        if how not in self._views:
            self._views[how] = take_view(self.t.model, self.t.tokenizer, self.trace, how)
        return self._views[how]


def has_word(trace: Trace, word: str) -> bool:
    """Whether the translation has this word, not only as a part of another one."""
    return word in words_of(trace.target_text)


def words_of(text: str) -> list[str]:
    """The words without the signs between them; each Chinese character is one.

    >>> words_of("Je n'ai pas faim, merci !"), words_of("我叫Tom。")
    (['Je', 'n', 'ai', 'pas', 'faim', 'merci'], ['我', '叫', 'Tom'])
    """
    return apart(text).translate(_SIGNS).split()


def places(tokens: Sequence[str], word: str) -> list[int]:
    """Where a word stands among the words of a map."""
    return [place for place, token in enumerate(tokens) if token.strip() == word]


def run_of(tokens: Sequence[str], name: str) -> list[int]:
    """Places of the tokens that follow each other and spell a name; empty where none do.

    >>> run_of(["<bos>", " My", " Zer", "lina", "."], "Zerlina")
    [2, 3]
    """
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            if "".join(tokens[start:end]).strip() == name and tokens[start].strip():
                return list(range(start, end))
    return []
