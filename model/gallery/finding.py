"""Find, for each phenomenon, the sentence and the head in which a model shows it best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import asdict

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

    A sentence is shown once, where there is another one that shows the same.

    Args:
        t: the model.
        candidates: where to look.
        report: told of each before it is looked at.
    """
    clearest: dict[str, dict[str, Seen]] = {name: {} for name in PHENOMENA}
    for candidate in candidates:
        report(candidate)
        of_sentence = clearest[candidate.phenomenon]
        for seen in _in_all_heads(t, candidate):
            known = of_sentence.get(candidate.sentence)
            if known is None or _strength(seen) > _strength(known):
                of_sentence[candidate.sentence] = seen
    found: dict[str, Seen] = {}
    for name, of_sentence in clearest.items():
        taken = {example.sentence for example, _, _ in found.values()}
        if fresh := [seen for sentence, seen in of_sentence.items() if sentence not in taken]:
            found[name] = max(fresh, key=_strength)
        elif of_sentence:
            found[name] = max(of_sentence.values(), key=_strength)
    return found


def _strength(seen: Seen) -> float:
    return seen[2].strength


def _in_all_heads(t: TranslationModel, candidate: Candidate) -> Iterator[Seen]:
    """Wherever one candidate shows its phenomenon."""
    scene = Scene(t, candidate)
    for head in all_heads(t.config):
        kind, layer, number = head
        if kind in PHENOMENA[candidate.phenomenon].attentions:
            example = Example(**asdict(candidate), attention=kind, layer=layer + 1, head=number + 1)
            if found := check(scene, head):
                yield example, scene, found
