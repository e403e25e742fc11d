"""Find, for each phenomenon, the sentence and the head in which a model shows it best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from model.gallery.example import Candidate, Example, Found
from model.gallery.phenomena import PHENOMENA, check
from model.gallery.scene import Scene
from model.heads.importance import all_heads
from model.translation_model import TranslationModel

Seen = tuple[Example, Scene, Found]


def find(
    t: TranslationModel,
    candidates: Sequence[Candidate],
    report: Callable[[Candidate], None] = lambda _: None,
) -> dict[str, Seen]:
    """The best example of every phenomenon that the model shows, in the order of ``PHENOMENA``.

    Args:
        t: the model.
        candidates: where to look.
        report: told of each before it is looked at.
    """
    best: dict[str, Seen] = {}
    for candidate in candidates:
        report(candidate)
        name = candidate.phenomenon
        for seen in _in_all_heads(t, candidate):
            if name not in best or seen[2].strength > best[name][2].strength:
                best[name] = seen
    return {name: best[name] for name in PHENOMENA if name in best}


def _in_all_heads(t: TranslationModel, candidate: Candidate) -> Iterator[Seen]:
    """Wherever one candidate shows its phenomenon."""
    scene = Scene(t, candidate)
    for head in all_heads(t.config):
        kind, layer, number = head
        if kind in PHENOMENA[candidate.phenomenon].attentions:
            example = Example(candidate=candidate, attention=kind, layer=layer + 1, head=number + 1)
            if found := check(scene, head):
                yield example, scene, found
