"""The choices that pages share (sentence, layer, head, ...), and their encoding in a link.

The values are the same in every language. Every link can be read as a valid address: numbers are
clamped and unknown parts are ignored.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypedDict, get_args, get_type_hints

from model.interventions.ablation import AblationMode
from model.maps.view import Aggregate, Cells, Unit
from model.trace.transformer import Rows
from model.transformer.heads import KINDS, Head, Kind
from ui.text.examples import DEFAULT_SENTENCE, SECOND_SENTENCE

Panel = Literal["map", "lines", "steps", "compare", "beam", "logit_lens", "space"]
Beside = Literal["head", "checkpoint", "target"]
SecondTarget = Literal["own", "same"]
Special = Literal["shown", "hidden"]
RowNames = Literal["auto", Rows]  # "auto": what suits the head, see ui.frame.head_kinds.rows_of

PANELS: tuple[Panel, ...] = get_args(Panel)
OF_HEADS: tuple[Panel, ...] = ("map", "lines", "steps", "compare")  # they depend on layer and head
WIDE: tuple[Panel, ...] = ("steps", "beam", "logit_lens")  # they use the full width
SPECIALS: tuple[Special, ...] = get_args(Special)
ROW_NAMES: tuple[RowNames, ...] = get_args(RowNames)
BESIDE: tuple[Beside, ...] = get_args(Beside)
SECOND_TARGETS: tuple[SecondTarget, ...] = get_args(SecondTarget)
BEAMS = (1, 2, 4, 8)
LONGEST = 1000  # maximum characters of one text in a link
_HEAD = re.compile(r"([edc])([1-9][0-9]?)\.([1-9][0-9]?)")


class LayerAndHead(TypedDict):
    """Layer and head from 1, as fields of an address and values of a text."""

    layer: int
    head: int


def one_based(layer: int, head: int) -> LayerAndHead:
    """Return layer and head counted from 1, given layer and head counted from 0."""
    return {"layer": layer + 1, "head": head + 1}


@dataclass(frozen=True, kw_only=True)
class Address:
    """The choices that define the visible content.

    ``layer``, ``head``, ``second_layer`` and ``second_head`` count from 1.
    """

    sentence: str = DEFAULT_SENTENCE
    checkpoint: str = ""  # a folder's name; empty for the first one
    attention: Kind = "cross"
    layer: int = 3
    head: int = 1
    view: Aggregate = "mean"
    rows: RowNames = "auto"  # a decoder row is named by the token it writes or the one it reads
    cells: Cells = "weights"
    unit: Unit = "subwords"
    special: Special = "shown"  # whether BOS and EOS are shown or hidden
    panel: Panel = "map"
    beam: int = 1  # hypotheses kept while decoding; 1 is greedy
    target: str = ""  # a translation given by the visitor; empty to let the model write it
    source_language: str = ""  # code in a multilingual model; empty for its default
    target_language: str = ""
    prefix: str = ""  # text before each sentence of T5; empty: its default; a space: none
    show: str = ""  # name of an experiment of the page; empty for the first
    ablated: str = ""  # the heads that are switched off, as ``spell_heads`` writes them
    mode: AblationMode = "zero"
    second: str = SECOND_SENTENCE  # the sentence that an experiment compares with ``sentence``
    beside: Beside = "head"  # what differs in the second map: its head, checkpoint or translation
    second_checkpoint: str = ""
    second_layer: int = 3
    second_head: int = 2
    step: int = 1  # of the lesson of five minutes
    second_target: SecondTarget = "own"  # the other checkpoint translates, or reads the same target

    @property
    def layer_and_head(self) -> tuple[int, int]:
        """``layer`` and ``head``, counted from 0 as in a model."""
        return self.layer - 1, self.head - 1

    @property
    def one_head(self) -> dict[str, Kind | int]:
        """The selected head as named fields, for texts and for the ``about`` of a figure."""
        return {"attention": self.attention, "layer": self.layer, "head": self.head}

    @property
    def has_rollout(self) -> bool:
        """Whether rollout is defined for the selected attention and measure."""
        of_weights = self.attention != "cross" and self.cells == "weights"
        return of_weights or self.cells == "contributions"


NAMES = tuple(field.name for field in fields(Address))
HUB_CHOICES = ("source_language", "target_language", "prefix")  # of some models of the Hub
# Groups of fields: a page has controls for some of these groups.
SHARED = ("sentence", "checkpoint", *HUB_CHOICES)  # the same on every page
ONE_HEAD = ("attention", "layer", "head")
EXPERIMENTS = ("show", "ablated", "mode", "second")
LESSON = ("step",)
EXPLORER = tuple(name for name in NAMES if name not in (*EXPERIMENTS, *LESSON))
_DEFAULT = Address()
_TYPES = get_type_hints(Address)


def encode(address: Address, names: Sequence[str] = NAMES) -> dict[str, str]:
    """Return the parameters of a link: all fields with non-default values, except long texts."""
    values = {name: getattr(address, name) for name in names}
    return {
        name: str(value)
        for name, value in values.items()
        if value != getattr(_DEFAULT, name) and len(str(value)) <= LONGEST
    }


def decode(values: Mapping[str, object], *, longest: int | None = LONGEST) -> Address:
    """Make a valid address from any values of a link or of widgets.

    Unknown fields are ignored. An invalid value gives the default, and so does None, Streamlit's
    value of a widget that was not drawn. Texts are cut after ``longest`` characters.
    """
    decoded: dict[str, Any] = {}
    for name, field_type in _TYPES.items():
        value = values.get(name)
        default = getattr(_DEFAULT, name)
        if field_type is str:
            text = value if isinstance(value, str) else default
            decoded[name] = text.encode("utf-8", "replace").decode("utf-8")[:longest]
        elif field_type is int:
            decoded[name] = _number(value, default)
        else:  # one of a few texts
            choices = get_args(field_type)
            decoded[name] = next((choice for choice in choices if choice == value), default)
    decoded["beam"] = max(beam for beam in BEAMS if beam <= decoded["beam"])
    decoded["ablated"] = spell_heads(read_heads(decoded["ablated"]))
    return Address(**decoded)


def clamp_to_model(address: Address, n_layers: int, n_heads: int) -> Address:
    """Limit layer and head of an address to those of the model, and its view to a defined view.

    Args:
        address: what the visitor has chosen.
        n_layers: of the model; a larger layer becomes the last one.
        n_heads: of a layer; a larger head becomes the last one.
    """
    view = address.view
    if view == "rollout" and not address.has_rollout:
        view = "mean"
    if address.panel == "lines":
        view = "head"  # the lines of all heads would be too many to follow
    layer = min(address.layer, n_layers)
    head = min(address.head, n_heads)
    return replace(address, layer=layer, head=head, view=view)


def clamp_view(address: Address, views: Sequence[str]) -> Address:
    """Limit the view of an address to the page's views; the first view is stored as ""."""
    return address if address.show in views[1:] else replace(address, show="")


def spell_heads(heads: Iterable[Head]) -> str:
    """Write a set of heads as text: the letter of the attention, then layer and head, from 1.

    >>> spell_heads([("encoder_self", 0, 2), ("cross", 1, 0)])
    'c2.1-e1.3'
    """
    return "-".join(f"{kind[0]}{layer + 1}.{head + 1}" for kind, layer, head in sorted(set(heads)))


def read_heads(text: str) -> list[Head]:
    """Read heads from a text of ``spell_heads``. Invalid entries are ignored."""
    kinds = {kind[0]: kind for kind in KINDS}
    matches = (_HEAD.fullmatch(part) for part in text[:LONGEST].split("-"))
    return [(kinds[head[1]], int(head[2]) - 1, int(head[3]) - 1) for head in matches if head]


def _number(value: object, default: int) -> int:
    """Read a whole number of one to nine digits, and return 1 for 0.

    Args:
        value: a number, the text of a link, or anything else.
        default: the result for anything else.
    """
    spelt = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(spelt, str) or len(spelt) > 9 or not (spelt.isascii() and spelt.isdigit()):
        return default
    return max(1, int(spelt))
