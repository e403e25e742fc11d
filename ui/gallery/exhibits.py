"""The prepared examples of all models, recomputed with the current models."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import exp, floor

import numpy as np
import numpy.typing as npt

from model import CheckpointError, InputError, TranslationModel
from model.corpora.pairs import Languages
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
from ui.export.python_lines import PythonLines, lines_of_map
from ui.export.tables import Labels
from ui.frame.page import PAGES
from ui.state.address import EXPERIMENTS, EXPLORER, SHARED, Address, encode, spell_heads
from ui.state.hub_choices import with_choices
from ui.state.memory import remember
from ui.state.models import checkpoint_names, folder_of, open_model, trace_of
from ui.text.markup import exhibit_text
from ui.text.numbers import signed
from ui.text.translator import Translator

Prepared = tuple[str, Example]  # the name of a checkpoint, and one of its examples


@dataclass(frozen=True)
class Exhibit:
    """One prepared example, computed with the current model."""

    example: Example
    evidence: Evidence  # what was measured just now
    target_text: str  # the translation
    second_text: str  # the translation of the second sentence; empty if there is none
    languages: Languages  # source and target language of the model
    weights: npt.NDArray[np.float32]  # (T, S) map of the head
    labels: Labels  # the displayed tokens of both sides
    causal: bool  # whether cells right of the diagonal were hidden from the model
    about: About  # the description of the map for its files
    python: PythonLines  # the code that makes the map

    def tile(self, theme: Theme) -> str:
        """Return the map as a small picture in a data URL."""
        return tile(
            self.weights,
            query_tokens=self.labels.rows,
            key_tokens=self.labels.columns,
            framed=self.evidence.cells,
            causal=self.causal,
            colours=COLOURS[theme],
        )

    def alt(self, tr: Translator) -> str:
        """Describe the picture in words: its framed cells and their weights."""
        rows, columns, _ = self.labels
        cells = [
            f"{rows[row]} → {columns[column]} {self.weights[row, column]:.2f}"
            for row, column in self.evidence.cells
        ]
        return tr("gallery.alt", place=self.head(tr), cells="; ".join(cells) or "–")

    def head(self, tr: Translator) -> str:
        """Return the name of the head; if its row labels are unusual, the name says so."""
        title = tr(
            "map.title_head",
            attention=tr(f"attention.{self.example.attention}"),
            layer=self.example.layer,
            head=self.example.head,
        )
        has_read_rows = PHENOMENA[self.example.phenomenon].rows == "read"
        if has_read_rows and self.example.attention != "encoder_self":
            return tr("map.title_read", title=title)
        return title

    def text(self, tr: Translator) -> str:
        """Return the sentence, its translation and the explanation as HTML."""
        return exhibit_text(
            self.example.sentence, self.target_text, look(self, tr), languages=self.languages
        )


def title(phenomenon: str, tr: Translator) -> str:
    """Return the title of an example."""
    return tr(f"gallery.{phenomenon}.title")


def look(exhibit: Exhibit, tr: Translator) -> str:
    """Return the explanation of an example, with newly measured numbers."""
    example = exhibit.example
    evidence = exhibit.evidence
    no_link = ("", "")
    first_link, second_link, *_ = (*example.links, no_link, no_link)
    row, column = first_link
    next_row, next_column = second_link
    return tr(
        f"gallery.{example.phenomenon}.look",
        percent=floor(100 * evidence.strength),  # the text says "at least"
        row=row,
        column=column,
        next_row=next_row,
        next_column=next_column,
        here=example.changes[0],
        there=example.changes[1],
        second=example.second,
        second_text=exhibit.second_text,
        name=example.name,
        lost=f"{evidence.lost:.2f}",
        change=signed(-evidence.lost, "+.3f"),
        times=f"{exp(min(evidence.lost, 50.0)):,.0f}",
        hits=evidence.hits,
        hits_read=evidence.hits_read,
        n=len(evidence.cells),
    )


def all_examples() -> list[Prepared]:
    """Return all examples in the gallery's order, without those of unusable checkpoints."""
    prepared: list[Prepared] = []
    for name in checkpoint_names():
        if exists(folder_of(name) / GALLERY):
            with suppress(CheckpointError):
                t = open_model(name)
                examples: list[Example] = remember("gallery", t.version, partial(read_gallery, t))
                prepared += [(name, example) for example in examples]
    return prepared


def examples_of(checkpoint: str) -> list[Prepared]:
    """Return the examples of a checkpoint, or of the first checkpoint that has examples."""
    prepared = all_examples()
    for name in (checkpoint, *checkpoint_names()):
        own = [
            (of_checkpoint, example) for of_checkpoint, example in prepared if of_checkpoint == name
        ]
        if own:
            return own
    return []


def exhibits(examples: Sequence[Prepared]) -> Iterator[tuple[Prepared, Exhibit]]:
    """Compute the given examples one by one.

    Examples that a model no longer shows, or that are too long for the server, are left out.
    """
    for checkpoint, example in examples:
        with suppress(InputError, CheckpointError):
            t = with_choices(open_model(checkpoint), _address_of(example))
            key = (t.version, example)
            exhibit = remember("gallery", key, partial(_exhibit, t, example))
            if exhibit:
                yield (checkpoint, example), exhibit


def link_to(prepared: Prepared) -> tuple[str, dict[str, str]]:
    """Return a link to an example in full size: its page and its parameters."""
    checkpoint, example = prepared
    phenomenon = PHENOMENA[example.phenomenon]
    is_first = checkpoint == checkpoint_names()[0]  # links leave out the first checkpoint
    address = replace(_address_of(example), checkpoint="" if is_first else checkpoint)
    if phenomenon.removes:
        ablated = replace(address, ablated=spell_heads([example.head_index]), mode="mean")
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


def _address_of(example: Example) -> Address:
    """Return the address of an example's sentence, with the languages and the prefix for it."""
    return Address(
        sentence=example.sentence,
        source_language=example.source_language,
        target_language=example.target_language,
        prefix=example.prefix,
    )


def _exhibit(t: TranslationModel, example: Example) -> Exhibit | None:
    """Compute an example with the current model; None if the model no longer shows it."""
    phenomenon = PHENOMENA[example.phenomenon]
    scene = Scene(t, example, trace_of(t, example.sentence))
    evidence = check(scene, example.head_index)
    if evidence is None:
        return None
    kind, layer, head = example.head_index
    options = ViewOptions(kind=kind, rows=phenomenon.rows, unit=phenomenon.unit)
    view = scene.view(options)
    description = about(
        t,
        scene.trace,
        attention=kind,
        layer=example.layer,
        head=example.head,
        measure="weights",
        rows=options.rows,
        unit=options.unit,
    )
    return Exhibit(
        example=example,
        evidence=evidence,
        target_text=scene.trace.target_text,
        second_text=scene.second.target_text if example.second else "",
        languages=t.languages,
        weights=view.heads[layer, head].copy(),
        labels=Labels(display(view.query_tokens), display(view.key_tokens)),
        causal=options.causal,
        about=description,
        python=lines_of_map(
            t,
            scene.trace,
            kind=kind,
            view="head",
            layer=layer,
            head=head,
            unit=options.unit,
            rows=options.rows,
        ),
    )
