"""The gallery on the page: all examples as cards, or one of them large."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from model.pictures.colours import COLOURS
from model.pictures.map_svg import tile
from ui.export.figure import figure
from ui.frame.controls import slide_along
from ui.frame.picture import show_heatmap
from ui.gallery.exhibits import Exhibit, Place, about, door, exhibits, name_of
from ui.gallery.words import look, marked, place_of, title
from ui.text.markup import alert, exhibit_card, exhibit_text
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
                st.html(_card(exhibit, tr))
                _door(place, tr)
    if empty:
        st.html(alert(tr("gallery.not_shown")))


def show_one(chosen: Sequence[Place], tr: Translator) -> None:
    """One example with a large map; a slider, or the arrow keys, lead to the others."""
    by_name = {name_of(place): place for place in chosen}

    def label(name: str) -> str:
        _, example = by_name[name]
        return title(example.phenomenon, tr)

    name = slide_along(
        tr("gallery.which"),
        list(by_name),
        key=_EXAMPLE,
        default=next(iter(by_name)),
        format_func=label,
    )
    walk = partial(
        show_walk,
        target=".st-key-figure-example .st-key-map",
        at=list(by_name).index(name) + 1,
        of=len(by_name),
        open_nth=lambda n: st.session_state.update({_EXAMPLE: list(by_name)[n - 1]}),
        tr=tr,
    )
    for place, exhibit in exhibits([by_name[name]]):
        st.header(title(exhibit.example.phenomenon, tr), anchor=False)
        st.html(_text(exhibit, tr))
        with figure(
            "example", tr, title=place_of(exhibit, tr), about=about(place, exhibit)
        ) as shown:
            show_heatmap(
                exhibit.weights,
                shown,
                tr,
                query_tokens=exhibit.rows,
                key_tokens=exhibit.columns,
                weight_title=tr("map.weights"),
                marked=exhibit.found.cells,
                causal=exhibit.causal,
            )
        _door(place, tr)
        walk(look(exhibit, tr))
        return
    st.html(alert(tr("gallery.not_shown")))
    walk("")


def _card(exhibit: Exhibit, tr: Translator) -> str:
    picture = tile(
        exhibit.weights,
        query_tokens=exhibit.rows,
        key_tokens=exhibit.columns,
        framed=exhibit.found.cells,
        causal=exhibit.causal,
        colours=COLOURS[st.context.theme.type or "light"],
    )
    return exhibit_card(
        title(exhibit.example.phenomenon, tr),
        _text(exhibit, tr),
        picture,
        alt=marked(exhibit, tr),
        place=place_of(exhibit, tr),
    )


def _text(exhibit: Exhibit, tr: Translator) -> str:
    return exhibit_text(
        exhibit.example.sentence,
        exhibit.target_text,
        look(exhibit, tr),
        languages=exhibit.languages,
    )


def _door(place: Place, tr: Translator) -> None:
    page, link = door(place)
    name = title(place[1].phenomenon, tr)
    st.page_link(page, label=tr("gallery.open", name=name), query_params=link)
