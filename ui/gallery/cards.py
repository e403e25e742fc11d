"""The gallery on the page: all examples as cards, or one of them large."""

from collections.abc import Sequence

import streamlit as st

from ui.export.figure import figure
from ui.frame.controls import slide_along
from ui.frame.picture import show_heatmap
from ui.gallery.exhibits import Place, door, exhibits, look, title
from ui.text.markup import alert, exhibit_card
from ui.text.translator import Translator
from ui.tour.tour import show_walk

_EXAMPLE = "gallery.example"


def show_all(chosen: Sequence[Place], tr: Translator) -> None:
    """A card for each example, the first ones while the next are computed."""
    empty = True
    with st.container(key="gallery"):
        for place, exhibit in exhibits(chosen):
            empty = False
            with st.container(border=True, height="stretch", gap="small"):
                picture = exhibit.tile(st.context.theme.type or "light")
                words = title(exhibit.example.phenomenon, tr), exhibit.text(tr)
                st.html(exhibit_card(*words, picture, alt=exhibit.alt(tr), place=exhibit.head(tr)))
                _door(place, tr)
    if empty:
        st.html(alert(tr("gallery.not_shown")))


def show_one(chosen: Sequence[Place], tr: Translator) -> None:
    """One example with a large map; a slider, or the arrow keys, lead to the others."""
    by_name = {f"{checkpoint} {one.phenomenon}": (checkpoint, one) for checkpoint, one in chosen}
    names = list(by_name)
    name = slide_along(
        tr("gallery.which"),
        names,
        key=_EXAMPLE,
        default=names[0],
        format_func=lambda name: title(by_name[name][1].phenomenon, tr),
    )
    said = ""
    for place, exhibit in exhibits([by_name[name]]):
        said = look(exhibit, tr)
        st.header(title(exhibit.example.phenomenon, tr), anchor=False)
        st.html(exhibit.text(tr))
        what = {**exhibit.about, "checkpoint": place[0]}
        with figure("example", tr, title=exhibit.head(tr), about=what) as fig:
            show_heatmap(
                exhibit.weights,
                fig,
                exhibit.labels,
                weight_title=tr("map.weights"),
                marked=exhibit.found.cells,
                causal=exhibit.causal,
            )
        _door(place, tr)
    if not said:
        st.html(alert(tr("gallery.not_shown")))
    show_walk(
        said,
        target=".st-key-figure-example .st-key-map",
        at=names.index(name) + 1,
        of=len(names),
        open_nth=lambda n: st.session_state.update({_EXAMPLE: names[n - 1]}),
        tr=tr,
    )


def _door(place: Place, tr: Translator) -> None:
    page, link = door(place)
    name = title(place[1].phenomenon, tr)
    st.page_link(page, label=tr("gallery.open", name=name), query_params=link)
