"""Find the sentence and head that show each phenomenon best; read and write the result."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from model.checkpoint.fingerprint import fingerprint
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Text, read_json, write_json
from model.files.regular_file import exists
from model.gallery.checks import Scene
from model.gallery.example import Candidate, Evidence, Example
from model.gallery.phenomena import PHENOMENA, check
from model.transformer.heads import all_heads
from model.translation_model import TranslationModel

GALLERY = "gallery.json"
_REMEDY = "Make it again with python -m model.find_examples."
Shown = tuple[Example, Scene, Evidence]  # a phenomenon as one head shows it


class Gallery(Struct, frozen=True):
    """The content of ``gallery.json``; ``model`` is the fingerprint of the weights."""

    model: Text
    examples: list[Example]


def find(
    t: TranslationModel,
    candidates: Sequence[Candidate],
    report: Callable[[Candidate], None] = lambda _: None,
) -> dict[str, Shown]:
    """Find the best example of every phenomenon that the model shows.

    A sentence is used for two phenomena only if no other sentence shows the second one.

    Args:
        t: the model.
        candidates: the sentences to look through.
        report: called with each candidate before it is examined.

    Returns:
        By phenomenon, in the order of ``PHENOMENA``.
    """
    # 1. Find the best head for every candidate.
    shown: dict[str, list[Shown]] = {name: [] for name in PHENOMENA}
    for candidate in candidates:
        report(candidate)
        in_heads = list(_in_all_heads(t, candidate))
        if in_heads:
            shown[candidate.phenomenon].append(max(in_heads, key=_strength))

    # 2. Choose the best candidate for every phenomenon.
    best: dict[str, Shown] = {}
    for name, of_phenomenon in shown.items():
        used = {example.sentence for example, _, _ in best.values()}
        unused = [each for each in of_phenomenon if each[0].sentence not in used]
        if of_phenomenon:
            best[name] = max(unused or of_phenomenon, key=_strength)
    return best


def _strength(shown: Shown) -> float:
    _, _, evidence = shown
    return evidence.strength


def _in_all_heads(t: TranslationModel, candidate: Candidate) -> Iterator[Shown]:
    """Yield each head that shows the phenomenon of a candidate, with its evidence."""
    scene = Scene(t, candidate)
    for head in all_heads(t.config):
        kind, layer, number = head
        if kind not in PHENOMENA[candidate.phenomenon].attentions:
            continue
        evidence = check(scene, head)
        if evidence:
            example = Example(**asdict(candidate), attention=kind, layer=layer + 1, head=number + 1)
            yield example, scene, evidence


def save_gallery(t: TranslationModel, examples: Iterable[Example]) -> Path:
    """Write the examples with the fingerprint of their model to ``gallery.json``."""
    return write_json(t.folder / GALLERY, Gallery(fingerprint(t.model), list(examples)))


def read_gallery(t: TranslationModel) -> list[Example]:
    """Read the examples; [] if there is no file, or if the weights have changed since.

    Raises:
        CheckpointError: the file is damaged.
    """
    path = t.folder / GALLERY
    if not exists(path):
        return []
    gallery = read_json(path, Gallery, remedy=_REMEDY)
    if gallery.model != fingerprint(t.model):
        return []
    heads = all_heads(t.config)
    for example in gallery.examples:
        phenomenon = PHENOMENA.get(example.phenomenon)
        possible = phenomenon is not None and example.attention in phenomenon.attentions
        if not possible or example.head_index not in heads:
            raise CheckpointError(f"The file {path} names what is not there. {_REMEDY}")
    return gallery.examples
