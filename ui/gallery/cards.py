"""The gallery: all examples as small cards, or one example in full size."""

from collections.abc import Sequence

import streamlit as st

from ui.export.figure import figure
from ui.frame.controls import slide_along
from ui.frame.picture import show_heatmap
from ui.gallery.exhibits import Prepared, exhibits, link_to, look, title
from ui.gallery.one_example import one_example
from ui.state.visitor import visitor
from ui.text.markup import alert, exhibit_card
from ui.text.translator import Translator
from ui.tour.tour import show_walk

_EXAMPLE = "gallery.example"


def show_all(examples: Sequence[Prepared], tr: Translator) -> None:
    """Show a card for each example, as soon as this example has been computed."""
    is_empty = True
    with st.container(key="gallery"):
        for prepared, exhibit in exhibits(examples):
            is_empty = False
            with st.container(border=True, height="stretch", gap="small"):
                card = exhibit_card(
                    title(exhibit.example.phenomenon, tr),
                    exhibit.text(tr),
                    exhibit.tile(st.context.theme.type or "light"),
                    on_paper=exhibit.tile("light"),
                    alt=exhibit.alt(tr),
                    caption=exhibit.head(tr),
                )
                st.html(card)
                _show_link(prepared, tr)
    if is_empty:
        st.html(alert(tr("gallery.not_shown")))


def show_one(examples: Sequence[Prepared], tr: Translator) -> None:
    """Show one example with a large map. A slider or the arrow keys change the example."""
    # 1. The control that selects an example.
    by_name = {
        f"{checkpoint} {example.phenomenon}": (checkpoint, example)
        for checkpoint, example in examples
    }
    names = list(by_name)
    name = slide_along(
        tr("gallery.which"),
        names,
        key=_EXAMPLE,
        default=names[0],
        format_func=lambda name: title(by_name[name][1].phenomenon, tr),
    )

    # 2. The example, unless the model no longer shows the phenomenon.
    sentences = ""
    for prepared, exhibit in exhibits([by_name[name]]):
        checkpoint, example = prepared
        sentences = look(exhibit, tr)
        description = {**exhibit.about, "checkpoint": checkpoint}
        with (
            one_example(title(example.phenomenon, tr), exhibit.text(tr)),
            figure(
                "example", tr, title=exhibit.head(tr), about=description, python=exhibit.python
            ) as fig,
        ):
            show_heatmap(
                exhibit.weights,
                fig,
                exhibit.labels,
                weight_title=tr("map.weights"),
                framed=exhibit.evidence.cells,
                causal=exhibit.causal,
            )
        _show_link(prepared, tr)
    if not sentences:
        st.html(alert(tr("gallery.not_shown")))

    # 3. The bubble of text, if a teacher presents the gallery step by step.
    show_walk(
        sentences,
        target=".st-key-figure-example .st-key-map",
        at=names.index(name) + 1,
        n_examples=len(names),
        open_nth=lambda n: visitor().set({_EXAMPLE: names[n - 1]}),
        tr=tr,
    )


def _show_link(prepared: Prepared, tr: Translator) -> None:
    """Show a link to an example in full size: its map, or what happens without its head."""
    page, params = link_to(prepared)
    _, example = prepared
    name = title(example.phenomenon, tr)
    st.page_link(page, label=tr("gallery.open", name=name), query_params=params)
