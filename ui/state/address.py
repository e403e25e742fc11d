"""The explorer's choices as a web address, and back. Pure: no Streamlit.

The values are the same in every language. Whatever is in a link, reading it gives an
address that can be shown: numbers are clamped and junk is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypedDict, get_args, get_type_hints

from model.interventions.ablation import Mode
from model.maps.view import Aggregate, Cells, Unit
from model.trace.transformer import Rows
from model.transformer.heads import KINDS, Head, Kind
from ui.text.examples import DEFAULT_SENTENCE, SECOND_SENTENCE

Panel = Literal["map", "lines", "steps", "compare", "beam", "logit_lens", "space"]
Beside = Literal["head", "checkpoint", "target"]
SecondTarget = Literal["own", "same"]
Special = Literal["shown", "hidden"]

PANELS: tuple[Panel, ...] = get_args(Panel)
OF_HEADS: tuple[Panel, ...] = ("map", "lines", "steps", "compare")  # what depends on layer and head
WIDE: tuple[Panel, ...] = ("beam", "logit_lens")  # a column for each token: nothing at their side
SPECIALS: tuple[Special, ...] = get_args(Special)
BESIDE: tuple[Beside, ...] = get_args(Beside)
SECOND_TARGETS: tuple[SecondTarget, ...] = get_args(SecondTarget)
BEAMS = (1, 2, 4, 8)
LONGEST = 1000  # characters of one text in a link
_HEAD = re.compile(r"([edc])([1-9][0-9]?)\.([1-9][0-9]?)")


@dataclass(frozen=True, kw_only=True)
class Address:
    """What the visitor looks at.

    Args:
        sentence: the source text, as typed.
        checkpoint: a folder's name; empty for the first one.
        attention: which of the three attentions.
        layer: from 1.
        head: from 1.
        view: one head; mean or maximum over the heads of a layer; mean over all layers; rollout.
        rows: whether a decoder row is named by the token it writes or the one it reads.
        cells: attention weights, or value norms.
        unit: subwords of the vocabulary, or words.
        special: whether BOS and EOS are shown.
        panel: one map, lines between tokens, the decoding step by step, two maps at once, a beam
            as a tree, the logit lens, or the residual stream in space.
        beam: hypotheses kept while decoding; 1 is greedy.
        target: a translation given by the visitor; empty to let the model write it.
        show: which of a page's experiments; empty for the first.
        ablated: heads, as ``spell_heads`` writes them.
        mode: how these heads are ablated.
        second: a sentence to compare with.
        beside: what stands beside the map: another head, the same sentence through another
            checkpoint, or what the model writes where the visitor gave a target.
        second_checkpoint: the other checkpoint, a folder's name; empty for the first one.
        second_layer: of the map beside it, from 1.
        second_head: likewise.
        second_target: whether the other checkpoint translates by itself or reads the same target.
    """

    sentence: str = DEFAULT_SENTENCE
    checkpoint: str = ""
    attention: Kind = "cross"
    layer: int = 3
    head: int = 1
    view: Aggregate = "mean"
    rows: Rows = "written"
    cells: Cells = "weights"
    unit: Unit = "subwords"
    special: Special = "shown"
    panel: Panel = "map"
    beam: int = 1
    target: str = ""
    show: str = ""
    ablated: str = ""
    mode: Mode = "zero"
    second: str = SECOND_SENTENCE
    beside: Beside = "head"
    second_checkpoint: str = ""
    second_layer: int = 3
    second_head: int = 2
    second_target: SecondTarget = "own"

    @property
    def place(self) -> tuple[int, int]:
        """Layer and head from 0, as models count; whoever else counts does so from 1."""
        return self.layer - 1, self.head - 1

    @property
    def has_rollout(self) -> bool:
        """Whether a rollout of what is looked at is defined."""
        return self.attention != "cross" and self.cells == "weights"


class Place(TypedDict):
    """Layer and head from 1, as fields of an address and values of a text."""

    layer: int
    head: int


def counted(layer: int, head: int) -> Place:
    """As people count: the other way round than ``Address.place``."""
    return {"layer": layer + 1, "head": head + 1}


NAMES = tuple(field.name for field in fields(Address))
SHARED = ("sentence", "checkpoint")  # the same on every page
EXPERIMENTS = ("show", "ablated", "mode", "second")
EXPLORER = tuple(name for name in NAMES if name not in EXPERIMENTS)
_DEFAULT = Address()
_TYPES = get_type_hints(Address)


def encode(address: Address, names: Sequence[str] = NAMES) -> dict[str, str]:
    """The parameters of a link: only what differs from the defaults.

    Args:
        address: what to link to.
        names: the fields that the page has; others stay out of its link.

    Returns:
        Texts by field. A text longer than ``LONGEST`` stays out too.
    """
    values = {name: getattr(address, name) for name in names}
    return {
        name: str(value)
        for name, value in values.items()
        if value != getattr(_DEFAULT, name) and len(str(value)) <= LONGEST
    }


def decode(values: Mapping[str, object], *, longest: int | None = LONGEST) -> Address:
    """Make any values an address: those of a link, and those that a browser says of its widgets.

    Unknown fields are ignored; what a field cannot be gives its default. None is such a value:
    Streamlit says it of a widget that was not drawn.

    Args:
        values: by field.
        longest: most characters of a text; None where its box has seen to that.
    """

    found: dict[str, Any] = {}
    for name, kind in _TYPES.items():
        value, default = values.get(name), getattr(_DEFAULT, name)
        if kind is str:
            found[name] = _text(value, default)[:longest]
        elif kind is int:
            found[name] = _number(value, default)
        else:
            found[name] = next((one for one in get_args(kind) if one == value), default)
    found["beam"] = max(beam for beam in BEAMS if beam <= found["beam"])
    found["ablated"] = spell_heads(read_heads(found["ablated"]))
    return Address(**found)


def clamped(address: Address, n_layers: int, n_heads: int) -> Address:
    """The same address with layer and head that a model has, and a view that is defined."""
    view = "mean" if address.view == "rollout" and not address.has_rollout else address.view
    layer, head = min(address.layer, n_layers), min(address.head, n_heads)
    return replace(address, layer=layer, head=head, view=view)


def showing(address: Address, shows: Sequence[str]) -> Address:
    """The same address with an experiment that the page has.

    Args:
        address: of a link or of another page.
        shows: names of the page's experiments; the first one goes without saying.
    """
    return address if address.show in shows[1:] else replace(address, show="")


def spell_heads(heads: Iterable[Head]) -> str:
    """A set of heads, each by the first letter of its attention, its layer and number from 1.

    >>> spell_heads([("encoder_self", 0, 2), ("cross", 1, 0)])
    'c2.1-e1.3'
    """
    return "-".join(f"{kind[0]}{layer + 1}.{head + 1}" for kind, layer, head in sorted(set(heads)))


def read_heads(text: str) -> list[Head]:
    """The heads that ``spell_heads`` wrote; what is no head is left out."""
    kinds = {kind[0]: kind for kind in KINDS}
    found = (_HEAD.fullmatch(part) for part in text[:LONGEST].split("-"))
    return [(kinds[head[1]], int(head[2]) - 1, int(head[3]) - 1) for head in found if head]


def _text(value: object, default: str) -> str:
    if not isinstance(value, str):
        return default
    return value.encode("utf-8", "replace").decode("utf-8")


def _number(value: object, default: int) -> int:
    """A whole number from 1 to nine digits: itself, or as a link spells it."""
    spelt = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(spelt, str) or len(spelt) > 9 or not (spelt.isascii() and spelt.isdigit()):
        return default
    return max(1, int(spelt))
