"""The prepared examples of all models, each with what its model does with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from model import CheckpointError, InputError, TranslationModel
from model.files.regular_file import is_there
from model.gallery.checks import Scene
from model.gallery.example import Example, Found
from model.gallery.finding import GALLERY, read_gallery
from model.gallery.phenomena import PHENOMENA, check
from model.maps.view import ViewChoice
from model.pictures.tokens import display
from ui.export.provenance import About
from ui.frame.page import PAGES
from ui.state.address import EXPERIMENTS, EXPLORER, SHARED, Address, encode, spell_heads
from ui.state.memory import remember
from ui.state.models import checkpoint_names, folder_of, open_model, trace_of

Place = tuple[str, Example]  # of a checkpoint, an example


@dataclass(frozen=True)
class Exhibit:
    """One example as its model shows it now.

    Args:
        example: what it is.
        found: what was measured just now.
        target_text: the translation.
        second_text: that of the second sentence; empty where there is none.
        languages: what the model reads and writes.
        weights: (T, S) of the head.
        rows: T visible tokens.
        columns: S visible tokens.
        causal: cells right of the diagonal were hidden from the model.
    """

    example: Example
    found: Found
    target_text: str
    second_text: str
    languages: tuple[str | None, str | None]
    weights: npt.NDArray[np.float32]
    rows: Sequence[str]
    columns: Sequence[str]
    causal: bool


def places() -> list[Place]:
    """All examples of the checkpoints that are there, in the order of the gallery.

    A checkpoint that cannot be used has none: its own pages say what is wrong with it.
    """
    found: list[Place] = []
    for name in checkpoint_names():
        if is_there(folder_of(name) / GALLERY):
            with suppress(CheckpointError):
                found += [(name, example) for example in _examples(open_model(name))]
    return found


def places_of(checkpoint: str) -> list[Place]:
    """The examples of one checkpoint; where it has none, of the first one that has.

    Args:
        checkpoint: as an address names it.
    """
    found = places()
    for name in (checkpoint, *checkpoint_names()):
        if own := [place for place in found if place[0] == name]:
            return own
    return []


def name_of(place: Place) -> str:
    """What a link calls an example."""
    checkpoint, example = place
    return f"{checkpoint} {example.phenomenon}"


def exhibits(chosen: Sequence[Place]) -> Iterator[tuple[Place, Exhibit]]:
    """These examples one by one, computed once for all visitors.

    Left out is what its model does not show any more, and a sentence that is longer than this
    server takes.
    """
    for place in chosen:
        with suppress(InputError, CheckpointError):
            if exhibit := _exhibit(*place):
                yield place, exhibit


def about(place: Place, exhibit: Exhibit) -> About:
    """What the map of an example is, for its files."""
    checkpoint, example = place
    return {
        "checkpoint": checkpoint,
        "sentence": example.sentence,
        "target": exhibit.target_text,
        "target_origin": "generated",
        "beam": 1,
        "attention": example.attention,
        "layer": example.layer,
        "head": example.head,
        "measure": "weights",
        "rows": PHENOMENA[example.phenomenon].rows,
        "unit": PHENOMENA[example.phenomenon].unit,
    }


def door(place: Place) -> tuple[str, dict[str, str]]:
    """The page that shows an example whole, and the parameters of its link."""
    checkpoint, example = place
    phenomenon = PHENOMENA[example.phenomenon]
    if phenomenon.removes:
        address = Address(
            sentence=example.sentence,
            checkpoint=_linked(checkpoint),
            ablated=spell_heads([example.place]),
            mode="mean",
        )
        return PAGES["experiments"], encode(address, (*SHARED, *EXPERIMENTS))
    address = Address(
        sentence=example.sentence,
        checkpoint=_linked(checkpoint),
        attention=example.attention,
        layer=example.layer,
        head=example.head,
        view="head",
        rows=phenomenon.rows,
        unit=phenomenon.unit,
    )
    return PAGES["explorer"], encode(address, EXPLORER)


def _linked(checkpoint: str) -> str:
    """The first one goes without saying."""
    return "" if checkpoint == checkpoint_names()[0] else checkpoint


def _examples(t: TranslationModel) -> list[Example]:
    return remember("gallery", t.version, lambda: read_gallery(t))


def _exhibit(checkpoint: str, example: Example) -> Exhibit | None:
    t = open_model(checkpoint)
    return remember("gallery", (t.version, example), lambda: _taken(t, example))


def _taken(t: TranslationModel, example: Example) -> Exhibit | None:
    """None where the model does not show it, though its file says so."""
    phenomenon = PHENOMENA[example.phenomenon]
    scene = Scene(t, example, trace_of(t, example.sentence))
    found = check(scene, example.place)
    if found is None:
        return None
    kind, layer, head = example.place
    how = ViewChoice(kind=kind, rows=phenomenon.rows, unit=phenomenon.unit)
    view = scene.view(how)
    return Exhibit(
        example=example,
        found=found,
        target_text=scene.trace.target_text,
        second_text=scene.second.target_text if example.second else "",
        languages=t.languages,
        weights=view.heads[layer, head].copy(),
        rows=display(view.query_tokens),
        columns=display(view.key_tokens),
        causal=how.causal,
    )
