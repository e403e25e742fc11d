"""A teacher's own examples, read from a file or a link, and shown like the prepared examples."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import streamlit as st

from model import InputError, TranslationModel
from model.corpora.pairs import Languages
from model.gallery.own_examples import (
    MAX_BYTES,
    MAX_EXAMPLES,
    ExamplesError,
    OwnExample,
    pack,
    read_own_examples,
    unpack,
)
from model.maps.view import ViewOptions, aggregate, attention_view
from model.pictures.colours import COLOURS, Theme
from model.pictures.map_svg import tile
from model.pictures.tokens import display
from model.trace.transformer import Rows
from ui.export.figure import About, about, figure
from ui.export.python_lines import PythonLines, lines_of_map
from ui.export.tables import Labels
from ui.frame.controls import slide_along, upload
from ui.frame.head_kinds import rows_of
from ui.frame.page import PAGES, format_sentence
from ui.frame.picture import show_heatmap
from ui.gallery.one_example import one_example
from ui.state.address import EXPLORER, LONGEST, Address, clamp_to_model, decode, encode
from ui.state.codecs import Notation
from ui.state.models import trace_of
from ui.state.visitor import visitor
from ui.text.markup import alert, exhibit_card, exhibit_text, paragraph
from ui.text.translator import Translator
from ui.tour.tour import show_walk

_OWN = "gallery.own"  # key of the examples
_FILE = "gallery.file"  # key of the control for a file
_EXAMPLE = "gallery.own_example"  # key of the number of the example in full size
_CODEC: Notation[tuple[OwnExample, ...]] = Notation((), unpack, pack)


@dataclass(frozen=True)
class OwnExhibit:
    """One example of a teacher, computed with the current model."""

    example: OwnExample
    address: Address  # the view in the explorer
    target_text: str
    weights: npt.NDArray[np.float32]  # (T, S)
    labels: Labels
    causal: bool
    limit: float  # the number that gets the strongest colour
    title: str  # of the map
    about: About
    python: PythonLines  # the code that makes the map

    def tile(self, theme: Theme) -> str:
        """Return the map as a small picture in a data URL."""
        return tile(
            self.weights / self.limit,
            query_tokens=self.labels.rows,
            key_tokens=self.labels.columns,
            framed=(),
            causal=self.causal,
            colours=COLOURS[theme],
        )

    def text(self, tr: Translator, languages: Languages) -> str:
        """Return the sentence, its translation, the hint and the question as HTML."""
        html = exhibit_text(
            self.example.sentence, self.target_text, self.example.look, languages=languages
        )
        if self.example.question:
            html += paragraph(tr("gallery.question", text=self.example.question), kind="look")
        return html


def own_examples() -> tuple[OwnExample, ...]:
    """Return the examples of the visitor's file or link; () if there are none."""
    return visitor().get(_OWN, _CODEC)


def ask_own_examples(tr: Translator) -> None:
    """Let the visitor choose a file of examples, or return to the prepared examples."""
    examples = own_examples()
    if examples:
        if len(pack(examples)) > LONGEST:
            st.caption(tr("gallery.own_too_long", n=LONGEST))
        else:
            st.caption(tr("gallery.own_link"))
        st.button(tr("gallery.own_back"), key="gallery.back", on_click=_forget)
        return
    st.header(tr("gallery.own"), anchor=False)
    st.caption(tr("gallery.own_format", n=MAX_EXAMPLES))
    file = upload(
        tr("gallery.own_file"),
        tr("many.choose"),
        key=_FILE,
        largest=1,
        refused=tr("gallery.own_refused", kilobytes=MAX_BYTES // 1000),
        own_tab=tr("many.own_tab"),
    )
    if file is None:
        return
    try:
        visitor().set({_OWN: read_own_examples(file.getvalue())})
    except ExamplesError as error:
        st.html(alert(_fault_sentence(error, tr)))
    else:
        st.rerun()


def _fault_sentence(error: ExamplesError, tr: Translator) -> str:
    """Say why a file holds no examples, and what to do."""
    if error.file_format:
        return format_sentence(error.file_format, tr)
    return tr(f"gallery.own_fault.{error.fault}", **error.values)


def _forget() -> None:
    visitor().set({_OWN: ()})


def show_own(
    t: TranslationModel, examples: Sequence[OwnExample], tr: Translator, *, only_one: bool
) -> None:
    """Show all examples as cards, or one example in full size with its bubble of text.

    Args:
        t: the model.
        examples: at least one.
        tr: the visitor's language.
        only_one: whether the visitor sees one example at a time.
    """
    if only_one:
        _show_one(t, examples, tr)
        return
    with st.container(key="gallery"):
        for n, example in enumerate(examples, start=1):
            with st.container(border=True, height="stretch", gap="small"):
                _show_card(t, example, n, tr)


def _show_card(t: TranslationModel, example: OwnExample, n: int, tr: Translator) -> None:
    """Show the card of one example, with a small map and a link.

    Args:
        t: the model and its tokenizer.
        example: the sentence, the task and the view.
        n: number of the example.
    """
    exhibit = _exhibit(t, example, tr)
    if exhibit is None:
        st.html(alert(tr("gallery.not_shown")))
        return
    name = tr("gallery.own_title", n=n)
    card = exhibit_card(
        name,
        exhibit.text(tr, t.languages),
        exhibit.tile(st.context.theme.type or "light"),
        on_paper=exhibit.tile("light"),
        alt=exhibit.title,
        caption=exhibit.title,
    )
    st.html(card)
    _show_link(exhibit, name, tr)


def _show_one(t: TranslationModel, examples: Sequence[OwnExample], tr: Translator) -> None:
    """Show the example that the slider selects, with a large map and its bubble of text."""
    numbers = [*range(1, len(examples) + 1)]
    n = slide_along(
        tr("gallery.which"),
        numbers,
        key=_EXAMPLE,
        default=1,
        format_func=lambda n: tr("gallery.own_title", n=n),
    )
    example = examples[n - 1]
    exhibit = _exhibit(t, example, tr)
    name = tr("gallery.own_title", n=n)
    if exhibit is None:
        st.header(name, anchor=False)
        st.html(alert(tr("gallery.not_shown")))
    else:
        with (
            one_example(name, exhibit.text(tr, t.languages)),
            figure(
                "example", tr, title=exhibit.title, about=exhibit.about, python=exhibit.python
            ) as fig,
        ):
            show_heatmap(
                exhibit.weights,
                fig,
                exhibit.labels,
                weight_title=tr(f"cells.{exhibit.address.cells}"),
                causal=exhibit.causal,
                normalised=False,
                limit=exhibit.limit,
            )
        _show_link(exhibit, name, tr)
    show_walk(
        " ".join(filter(None, (example.look, example.question))) if exhibit else "",
        target=".st-key-figure-example .st-key-map",
        at=n,
        n_examples=len(examples),
        open_nth=lambda n: visitor().set({_EXAMPLE: n}),
        tr=tr,
    )


def _show_link(exhibit: OwnExhibit, name: str, tr: Translator) -> None:
    params = encode(exhibit.address, EXPLORER)
    st.page_link(PAGES["explorer"], label=tr("gallery.open", name=name), query_params=params)


def _exhibit(t: TranslationModel, example: OwnExample, tr: Translator) -> OwnExhibit | None:
    """Compute an example with the current model; None if the sentence is too long."""
    checkpoint = visitor().field("checkpoint")
    fields = {**example.fields, "sentence": example.sentence, "checkpoint": checkpoint}
    address = clamp_to_model(decode(fields), t.config.n_layers, t.config.n_heads)
    layer, head = address.layer_and_head
    options = ViewOptions(
        kind=address.attention, rows=rows_of(t, address), cells=address.cells, unit=address.unit
    )
    with suppress(InputError):
        trace = trace_of(t, example.sentence)
        view = attention_view(t.model, t.tokenizer, trace, options)
        weights = aggregate(view, address.view, layer=layer, head=head).copy()
        description = about(
            t,
            trace,
            attention=address.attention,
            layer=address.layer,
            head=address.head if address.view == "head" else address.view,
            measure=address.cells,
            rows=options.rows,
            unit=options.unit,
        )
        return OwnExhibit(
            example=example,
            address=address,
            target_text=trace.target_text,
            weights=weights,
            labels=Labels(display(view.query_tokens), display(view.key_tokens)),
            causal=options.causal,
            limit=1.0 if options.cells == "weights" else float(weights.max()) or 1.0,
            title=_title(address, options.rows, t.config.n_heads, tr),
            about=description,
            python=lines_of_map(
                t,
                trace,
                kind=address.attention,
                view=address.view,
                layer=layer,
                head=head,
                cells=address.cells,
                unit=address.unit,
                rows=options.rows,
            ),
        )
    return None


def _title(address: Address, rows: Rows, n_heads: int, tr: Translator) -> str:
    """Return the name of the map: one head, or all heads of a layer.

    Args:
        address: what the map shows.
        rows: by which token its rows are labelled; the title says so if by the token read.
        n_heads: of a layer.
        tr: the visitor's language.
    """
    attention = tr(f"attention.{address.attention}")
    layer = address.layer
    if address.view == "head":
        title = tr("map.title_head", attention=attention, layer=layer, head=address.head)
    elif address.cells == "weights":
        title = tr("map.title_mean", attention=attention, layer=layer, heads=n_heads)
    else:
        title = tr("map.title_sum", attention=attention, layer=layer, heads=n_heads)
    if rows == "read" and address.attention != "encoder_self":
        return tr("map.title_read", title=title)
    return title
