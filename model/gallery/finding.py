"""For each phenomenon the sentence and the head in which a model shows it best, and their file."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from model.checkpoint.fingerprint import fingerprint
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Text, read_json, write_json
from model.files.regular_file import is_there
from model.gallery.checks import Scene
from model.gallery.example import Candidate, Evidence, Example
from model.gallery.phenomena import PHENOMENA, check
from model.transformer.heads import all_heads
from model.translation_model import TranslationModel

GALLERY = "gallery.json"
_REMEDY = "Make it again with python -m model.find_examples."
Seen = tuple[Example, Scene, Evidence]


class Gallery(Struct, frozen=True):
    """``gallery.json``; ``model`` marks the weights that the examples were found in."""

    model: Text
    examples: list[Example]


def find(
    t: TranslationModel,
    candidates: Sequence[Candidate],
    report: Callable[[Candidate], None] = lambda _: None,
) -> dict[str, Seen]:
    """The best example of every phenomenon that the model shows, in the order of ``PHENOMENA``.

    A sentence is shown once, where there is another one that shows the same. ``report`` is told of
    each candidate before it is looked at.
    """
    seen: dict[str, list[Seen]] = {name: [] for name in PHENOMENA}
    for candidate in candidates:
        report(candidate)
        if in_heads := [*_in_all_heads(t, candidate)]:
            seen[candidate.phenomenon].append(max(in_heads, key=_strength))
    found: dict[str, Seen] = {}
    for name, of_one in seen.items():
        taken = {example.sentence for example, _, _ in found.values()}
        fresh = [one for one in of_one if one[0].sentence not in taken]
        if of_one:
            found[name] = max(fresh or of_one, key=_strength)
    return found


def _strength(seen: Seen) -> float:
    return seen[2].strength


def _in_all_heads(t: TranslationModel, candidate: Candidate) -> Iterator[Seen]:
    """Wherever one candidate shows its phenomenon."""
    scene = Scene(t, candidate)
    for head in all_heads(t.config):
        kind, layer, number = head
        if kind in PHENOMENA[candidate.phenomenon].attentions:
            place = {"attention": kind, "layer": layer + 1, "head": number + 1}
            example = Example(**asdict(candidate) | place)
            if found := check(scene, head):
                yield example, scene, found


def save_gallery(t: TranslationModel, examples: Iterable[Example]) -> Path:
    """Write them with a mark of the model they belong to, in the words of a link."""
    return write_json(t.folder / GALLERY, Gallery(fingerprint(t.model), list(examples)))


def read_gallery(t: TranslationModel) -> list[Example]:
    """What was written; none where nothing was, or where the model has changed since.

    Raises:
        CheckpointError: the file is damaged.
    """
    path = t.folder / GALLERY
    if not is_there(path):
        return []
    gallery = read_json(path, Gallery, remedy=_REMEDY)
    if gallery.model != fingerprint(t.model):
        return []
    heads = all_heads(t.config)
    for example in gallery.examples:
        phenomenon = PHENOMENA.get(example.phenomenon)
        possible = phenomenon is not None and example.attention in phenomenon.attentions
        if not possible or example.place not in heads:
            raise CheckpointError(f"The file {path} names what is not there. {_REMEDY}")
    return gallery.examples
