"""The prepared examples of all models, each with what its model does with it, in words too."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import exp, floor

import numpy as np
import numpy.typing as npt

from model import CheckpointError, InputError, TranslationModel
from model.files.regular_file import exists
from model.gallery.checks import Scene
from model.gallery.example import Evidence, Example
from model.gallery.finding import GALLERY, read_gallery
from model.gallery.phenomena import PHENOMENA, check
from model.maps.view import ViewOptions
from model.pictures.colours import COLOURS, Theme
from model.pictures.map_svg import tile
from model.pictures.tokens import display
from ui.export.figure import About, about
from ui.export.tables import Labels
from ui.frame.page import PAGES
from ui.state.address import EXPERIMENTS, EXPLORER, SHARED, Address, encode, spell_heads
from ui.state.memory import remember
from ui.state.models import checkpoint_names, folder_of, open_model, trace_of
from ui.text.markup import exhibit_text
from ui.text.numbers import signed
from ui.text.translator import Translator

Place = tuple[str, Example]  # of a checkpoint, an example


@dataclass(frozen=True)
class Exhibit:
    """One example as its model shows it now."""

    example: Example  # what it is
    found: Evidence  # what was measured just now
    target_text: str  # the translation
    second_text: str  # that of the second sentence; empty where there is none
    languages: tuple[str | None, str | None]  # what the model reads and writes
    weights: npt.NDArray[np.float32]  # (T, S) of the head
    labels: Labels  # the visible tokens of both sides
    causal: bool  # cells right of the diagonal were hidden from the model
    about: About  # what the map is, for its files

    def tile(self, theme: Theme) -> str:
        """The map as a small picture, a data URL."""
        return tile(
            self.weights,
            query_tokens=self.labels.rows,
            key_tokens=self.labels.columns,
            framed=self.found.cells,
            causal=self.causal,
            colours=COLOURS[theme],
        )

    def alt(self, tr: Translator) -> str:
        """The picture in words: the cells with a frame, and what they hold."""
        rows, columns, _ = self.labels
        cells = "; ".join(
            f"{rows[row]} → {columns[column]} {self.weights[row, column]:.2f}"
            for row, column in self.found.cells
        )
        return tr("gallery.alt", place=self.head(tr), cells=cells or "–")

    def head(self, tr: Translator) -> str:
        """Which head it is, in words."""
        one = self.example
        attention = tr(f"attention.{one.attention}")
        return tr("map.title_head", attention=attention, layer=one.layer, head=one.head)

    def text(self, tr: Translator) -> str:
        """The sentence, its translation, and what to look for, as HTML."""
        sentence, target = self.example.sentence, self.target_text
        return exhibit_text(sentence, target, look(self, tr), languages=self.languages)


def title(phenomenon: str, tr: Translator) -> str:
    """What the example is called."""
    return tr(f"gallery.{phenomenon}.title")


def look(exhibit: Exhibit, tr: Translator) -> str:
    """Two sentences: what to look for. The numbers come from the model, just now."""
    example, found = exhibit.example, exhibit.found
    (row, column), (next_row, next_column), *_ = (*example.links, ("", ""), ("", ""))
    return tr(
        f"gallery.{example.phenomenon}.look",
        percent=floor(100 * found.strength),  # "at least": never more than there is
        row=row,
        column=column,
        next_row=next_row,
        next_column=next_column,
        here=example.changes[0],
        there=example.changes[1],
        second=example.second,
        second_text=exhibit.second_text,
        name=example.name,
        lost=f"{found.lost:.2f}",
        change=signed(-found.lost + 0.0, "+.3f"),
        times=f"{exp(min(found.lost, 50.0)):,.0f}",
        hits=found.hits,
        n=len(found.cells),
    )


def places() -> list[Place]:
    """All examples, in the order of the gallery; of a checkpoint that cannot be used none."""
    found: list[Place] = []
    for name in checkpoint_names():
        if exists(folder_of(name) / GALLERY):
            with suppress(CheckpointError):
                t = open_model(name)
                examples: list[Example] = remember("gallery", t.version, partial(read_gallery, t))
                found += [(name, example) for example in examples]
    return found


def places_of(checkpoint: str) -> list[Place]:
    """The examples of a checkpoint, as an address names it, or else of the first one with some."""
    found = places()
    for name in (checkpoint, *checkpoint_names()):
        if own := [place for place in found if place[0] == name]:
            return own
    return []


def exhibits(chosen: Sequence[Place]) -> Iterator[tuple[Place, Exhibit]]:
    """These examples one by one, but what a model does not show any more or a server not take."""
    for checkpoint, example in chosen:
        with suppress(InputError, CheckpointError):
            t = open_model(checkpoint)
            key = (t.version, example)
            if exhibit := remember("gallery", key, partial(_taken, t, example)):
                yield (checkpoint, example), exhibit


def door(place: Place) -> tuple[str, dict[str, str]]:
    """The page that shows an example whole, and the parameters of its link."""
    checkpoint, example = place
    phenomenon = PHENOMENA[example.phenomenon]
    first = checkpoint == checkpoint_names()[0]  # which goes without saying
    address = Address(sentence=example.sentence, checkpoint="" if first else checkpoint)
    if phenomenon.removes:
        ablated = replace(address, ablated=spell_heads([example.place]), mode="mean")
        return PAGES["experiments"], encode(ablated, (*SHARED, *EXPERIMENTS))
    address = replace(
        address,
        attention=example.attention,
        layer=example.layer,
        head=example.head,
        view="head",
        rows=phenomenon.rows,
        unit=phenomenon.unit,
    )
    return PAGES["explorer"], encode(address, EXPLORER)


def _taken(t: TranslationModel, example: Example) -> Exhibit | None:
    """None where the model does not show it, though its file says so."""
    phenomenon = PHENOMENA[example.phenomenon]
    scene = Scene(t, example, trace_of(t, example.sentence))
    found = check(scene, example.place)
    if found is None:
        return None
    kind, layer, head = example.place
    how = ViewOptions(kind=kind, rows=phenomenon.rows, unit=phenomenon.unit)
    view = scene.view(how)
    one_head = {"attention": kind, "layer": example.layer, "head": example.head}
    what = about(t, scene.trace, **one_head, measure="weights", rows=how.rows, unit=how.unit)
    return Exhibit(
        example=example,
        found=found,
        target_text=scene.trace.target_text,
        second_text=scene.second.target_text if example.second else "",
        languages=t.languages,
        weights=view.heads[layer, head].copy(),
        labels=Labels(display(view.query_tokens), display(view.key_tokens)),
        causal=how.causal,
        about=what,
    )
