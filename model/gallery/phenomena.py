"""The phenomena of the gallery, each with a function that checks for it."""

from collections.abc import Callable
from dataclasses import dataclass

from model.gallery import checks
from model.gallery.checks import Scene
from model.gallery.example import Evidence
from model.maps.view import Unit
from model.trace.transformer import Rows
from model.transformer.heads import KINDS, Head, Kind


@dataclass(frozen=True)
class Phenomenon:
    """A phenomenon that one head can show."""

    name: str  # used in the keys of its texts, and in files
    check: Callable[[Scene, Head], Evidence]  # checks one head with a candidate
    min_strength: float  # smallest strength (see ``check``) with which a head shows the phenomenon
    attentions: tuple[Kind, ...] = ("cross",)  # the attentions whose heads are searched
    # whether a decoder row is named by the token that it writes, or by the token that it reads
    rows: Rows = "written"
    unit: Unit = "words"  # whether Evidence.cells count words or subwords
    removes: bool = False  # whether the check removes the head


_SELF: tuple[Kind, ...] = ("encoder_self", "decoder_self")
_ALL = (
    Phenomenon("alignment", checks.aligned, 0.5),
    Phenomenon("word_order", checks.crossed, 0.4),
    Phenomenon("negation", checks.linked, 0.4),
    Phenomenon("measure_word", checks.contrasted, 0.3),
    Phenomenon("question", checks.linked, 0.4),
    Phenomenon("one_to_many", checks.linked, 0.4),
    Phenomenon("repeated_words", checks.repeated, 0.4),
    Phenomenon("copied_name", checks.copied, 0.4, unit="subwords"),
    Phenomenon("agreement", checks.contrasted, 0.3, ("decoder_self",)),
    Phenomenon("pronoun", checks.contrasted, 0.3, ("encoder_self",)),
    Phenomenon("gender", checks.contrasted, 0.3, ("decoder_self",)),
    Phenomenon("word_sense", checks.contrasted, 0.3, ("encoder_self",)),
    Phenomenon("previous_token", checks.previous, 0.4, _SELF, rows="read", unit="subwords"),
    Phenomenon("sink", checks.sunk, 0.5, KINDS, rows="read", unit="subwords"),
    Phenomenon("misleading", checks.misleading, 0.6, unit="subwords"),
    Phenomenon("removable", checks.spared, 0.6, KINDS, unit="subwords", removes=True),
    Phenomenon("needed", checks.needed, 1.0, KINDS, unit="subwords", removes=True),
    Phenomenon("failure", checks.mistaken, 0.4),
)
PHENOMENA = {phenomenon.name: phenomenon for phenomenon in _ALL}


def check(scene: Scene, head: Head) -> Evidence | None:
    """Return the evidence in one head; None if it does not show the candidate's phenomenon."""
    phenomenon = PHENOMENA[scene.candidate.phenomenon]
    evidence = phenomenon.check(scene, head)
    return evidence if evidence.strength >= phenomenon.min_strength else None
