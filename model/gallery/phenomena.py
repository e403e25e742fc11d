"""All that the gallery can show, and how it is checked that a model shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from model.gallery.example import Found
from model.gallery.looks import aligned, contrasted, copied, crossed, linked, mistaken, repeated
from model.gallery.patterns import previous, sunk
from model.gallery.removals import needed, spared
from model.gallery.scene import Scene
from model.maps.view import Unit
from model.trace.transformer import Rows
from model.transformer.heads import KINDS, Head, Kind


@dataclass(frozen=True, kw_only=True)
class Phenomenon:
    """One thing to be seen in one head.

    Args:
        name: of its texts, and in the files.
        check: what a model does with a candidate in one head.
        least: the strength from which on it is there.
        attentions: in whose heads it is looked for.
        rows: whether a decoder row is named by the token that it writes, or reads.
        unit: whether ``Found.cells`` count words or subwords.
        removes: whether the head is removed.
    """

    name: str
    check: Callable[[Scene, Head], Found]
    least: float
    attentions: tuple[Kind, ...] = ("cross",)
    rows: Rows = "written"
    unit: Unit = "words"
    removes: bool = False


_SELF: tuple[Kind, ...] = ("encoder_self", "decoder_self")
_ALL = (
    Phenomenon(name="alignment", check=aligned, least=0.5),
    Phenomenon(name="word_order", check=crossed, least=0.4),
    Phenomenon(name="negation", check=linked, least=0.4),
    Phenomenon(name="measure_word", check=contrasted, least=0.3),
    Phenomenon(name="question", check=linked, least=0.4),
    Phenomenon(name="one_to_many", check=linked, least=0.4),
    Phenomenon(name="repeated_words", check=repeated, least=0.4),
    Phenomenon(name="copied_name", check=copied, least=0.4, unit="subwords"),
    Phenomenon(name="agreement", check=contrasted, least=0.3, attentions=("decoder_self",)),
    Phenomenon(name="pronoun", check=contrasted, least=0.3, attentions=("encoder_self",)),
    Phenomenon(name="gender", check=contrasted, least=0.3, attentions=("decoder_self",)),
    Phenomenon(name="word_sense", check=contrasted, least=0.3, attentions=("encoder_self",)),
    Phenomenon(
        name="previous_token",
        check=previous,
        least=0.4,
        attentions=_SELF,
        rows="read",
        unit="subwords",
    ),
    Phenomenon(name="sink", check=sunk, least=0.5, attentions=KINDS, rows="read", unit="subwords"),
    Phenomenon(
        name="removable", check=spared, least=0.6, attentions=KINDS, unit="subwords", removes=True
    ),
    Phenomenon(
        name="needed", check=needed, least=1.0, attentions=KINDS, unit="subwords", removes=True
    ),
    Phenomenon(name="failure", check=mistaken, least=0.4),
)
PHENOMENA = {phenomenon.name: phenomenon for phenomenon in _ALL}


def check(scene: Scene, head: Head) -> Found | None:
    """What the model does in one head; None where it does not show the candidate's phenomenon.

    Args:
        scene: a candidate, seen by the model.
        head: any.
    """
    phenomenon = PHENOMENA[scene.candidate.phenomenon]
    found = phenomenon.check(scene, head)
    return found if found.strength >= phenomenon.least else None
