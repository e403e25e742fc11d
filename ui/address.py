"""The explorer's choices as a web address, and back. Pure: no Streamlit.

The values are the same in every language. Whatever is in a link, reading it gives an
address that can be shown: numbers are clamped and junk is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, cast

from ui.examples import DEFAULT_SENTENCE, SECOND_SENTENCE

Attention = Literal["encoder_self", "decoder_self", "cross"]
View = Literal["head", "mean", "max", "layers", "rollout"]
Rows = Literal["written", "read"]
Cells = Literal["weights", "norms"]
Panel = Literal["map", "lines", "steps", "beam", "lens"]
Unit = Literal["pieces", "words"]
Special = Literal["shown", "hidden"]
Mode = Literal["zero", "uniform", "mean"]
Place = tuple[Attention, int, int]  # attention, layer and head, from 0

ATTENTIONS: tuple[Attention, ...] = ("encoder_self", "decoder_self", "cross")
VIEWS: tuple[View, ...] = ("head", "mean", "max", "layers", "rollout")
ROWS: tuple[Rows, ...] = ("written", "read")
CELLS: tuple[Cells, ...] = ("weights", "norms")
PANELS: tuple[Panel, ...] = ("map", "lines", "steps", "beam", "lens")
UNITS: tuple[Unit, ...] = ("pieces", "words")
SPECIALS: tuple[Special, ...] = ("shown", "hidden")
MODES: tuple[Mode, ...] = ("zero", "uniform", "mean")
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
        cells: attention weights, or the norms of what they bring.
        unit: pieces of the vocabulary, or words.
        special: whether BOS and EOS are shown.
        panel: one map, lines between tokens, the decoding step by step, a beam as
            a tree, or the logit lens.
        beam: hypotheses kept while decoding; 1 is greedy.
        target: a translation given by the visitor; empty to let the model write it.
        show: which of a page's experiments; empty for the first.
        off: heads that are changed, as ``spell_heads`` writes them.
        mode: what is done to these heads.
        second: a sentence to compare with.
    """

    sentence: str = DEFAULT_SENTENCE
    checkpoint: str = ""
    attention: Attention = "cross"
    layer: int = 3
    head: int = 1
    view: View = "mean"
    rows: Rows = "written"
    cells: Cells = "weights"
    unit: Unit = "pieces"
    special: Special = "shown"
    panel: Panel = "map"
    beam: int = 1
    target: str = ""
    show: str = ""
    off: str = ""
    mode: Mode = "zero"
    second: str = SECOND_SENTENCE


NAMES = tuple(field.name for field in fields(Address))
SHARED = ("sentence", "checkpoint")  # the same on every page
EXPERIMENTS = ("show", "off", "mode", "second")
EXPLORER = tuple(name for name in NAMES if name not in EXPERIMENTS)
_DEFAULT = Address()


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


def decode(parameters: Mapping[str, str]) -> Address:
    """Read a link. Unknown fields and impossible values give the default."""
    return Address(
        sentence=_text(parameters.get("sentence", _DEFAULT.sentence)),
        checkpoint=_text(parameters.get("checkpoint", "")),
        attention=cast(Attention, _one_of(parameters.get("attention"), ATTENTIONS, "cross")),
        layer=_number(parameters.get("layer"), _DEFAULT.layer),
        head=_number(parameters.get("head"), _DEFAULT.head),
        view=cast(View, _one_of(parameters.get("view"), VIEWS, "mean")),
        rows=cast(Rows, _one_of(parameters.get("rows"), ROWS, "written")),
        cells=cast(Cells, _one_of(parameters.get("cells"), CELLS, "weights")),
        unit=cast(Unit, _one_of(parameters.get("unit"), UNITS, "pieces")),
        special=cast(Special, _one_of(parameters.get("special"), SPECIALS, "shown")),
        panel=cast(Panel, _one_of(parameters.get("panel"), PANELS, "map")),
        beam=_nearest_beam(_number(parameters.get("beam"), _DEFAULT.beam)),
        target=_text(parameters.get("target", "")),
        show=_text(parameters.get("show", "")),
        off=spell_heads(read_heads(parameters.get("off", ""))),
        mode=cast(Mode, _one_of(parameters.get("mode"), MODES, "zero")),
        second=_text(parameters.get("second", _DEFAULT.second)),
    )


def within(address: Address, *, n_layers: int, n_heads: int) -> Address:
    """The same address with layer and head that the model has."""
    return replace(address, layer=min(address.layer, n_layers), head=min(address.head, n_heads))


def possible(address: Address) -> Address:
    """The same address, but with the mean where a rollout is asked for and not defined."""
    defined = address.attention != "cross" and address.cells == "weights"
    return address if address.view != "rollout" or defined else replace(address, view="mean")


def showing(address: Address, shows: Sequence[str]) -> Address:
    """The same address with an experiment that the page has.

    Args:
        address: of a link or of another page.
        shows: names of the page's experiments; the first one goes without saying.
    """
    return address if address.show in shows[1:] else replace(address, show="")


def spell_heads(heads: Iterable[Place]) -> str:
    """A set of heads, each by the first letter of its attention, its layer and number from 1.

    >>> spell_heads([("encoder_self", 0, 2), ("cross", 1, 0)])
    'c2.1-e1.3'
    """
    return "-".join(f"{kind[0]}{layer + 1}.{head + 1}" for kind, layer, head in sorted(set(heads)))


def read_heads(text: str) -> list[Place]:
    """The heads that ``spell_heads`` wrote; what is no head is left out."""
    kinds = {kind[0]: kind for kind in ATTENTIONS}
    found = (_HEAD.fullmatch(part) for part in text[:LONGEST].split("-"))
    return [(kinds[head[1]], int(head[2]) - 1, int(head[3]) - 1) for head in found if head]


def _text(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8")[:LONGEST]


def _one_of(value: str | None, choices: Sequence[str], default: str) -> str:
    return value if value in choices and value is not None else default


def _number(value: str | None, default: int) -> int:
    if value is None or len(value) > 9 or not (value.isascii() and value.isdigit()):
        return default
    return max(1, int(value))


def _nearest_beam(value: int) -> int:
    return max(beam for beam in BEAMS if beam <= value)
