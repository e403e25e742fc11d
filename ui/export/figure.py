"""A figure: pictures and their numbers, with buttons that save them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import NamedTuple

import streamlit as st

from model import Trace, TranslationModel
from model.pictures.formats import convert
from ui.export.caption import caption
from ui.export.file_name import file_stem
from ui.export.picture_check import is_drawn_here
from ui.export.provenance import line
from ui.export.python_lines import PythonLines
from ui.export.tables import Table, as_csv, as_json, as_zip
from ui.text.markup import take_bar
from ui.text.translator import Translator

About = Mapping[str, object]  # the description of a figure, the same in every language of the page
Tables = Mapping[str, Table]  # by name
_KINDS = ("png", "svg", "pdf", "csv", "json", "copy", "print")
_MIME = {
    "csv": "text/csv",
    "json": "application/json",
    "html": "text/html",
    "pdf": "application/pdf",
    "zip": "application/zip",
}
_REQUESTED = "take.wanted"  # key of the session: the requested file, see ``_Request``
_DRAWN = "take.drawn"  # key of the session: the picture for a requested PDF
# While a computation runs, the page is drawn again each second, and at its end at once. A browser
# that is busy would miss a button that only one of these runs draws. It waits for 15 seconds, see
# ``web/app/tools/save_figure.js``.
OFFERED_SECONDS = 20.0


@dataclass
class Figure:
    """A figure while it is being drawn."""

    title: str  # as for ``figure``
    about: dict[str, object]  # as for ``figure``; more may be added while it is drawn
    as_table: str  # the label of the tables below its pictures
    python: PythonLines | None = None  # as for ``figure``; may be set while it is drawn
    # For each picture, a function that returns its tables when they are saved
    _parts: list[Callable[[], Tables]] = field(default_factory=list)
    _own: Callable[[], Tables] | None = None  # tables in place of those of the pictures

    def draws(self, tables: Callable[[], Tables]) -> None:
        """Add one picture to the figure. ``tables`` computes its numbers when they are saved."""
        self._parts.append(tables)

    def numbers(self, tables: Callable[[], Tables]) -> None:
        """Save these tables in place of the tables of the pictures."""
        self._own = tables

    def tables(self) -> Tables:
        """Return the tables for the figure's files. A repeated name gets a number."""
        tables: dict[str, Table] = {}
        parts = [self._own] if self._own else self._parts
        for part in parts:
            for name, table in part().items():
                n_before = sum(other.split(" #")[0] == name for other in tables)
                tables[f"{name} #{n_before + 1}" if n_before else name] = table
        return tables


def about(t: TranslationModel, trace: Trace, **fields: object) -> About:
    """Describe a figure of a sentence. The values of the fields do not depend on the language.

    Args:
        t: the model.
        trace: of the sentence and its translation.
        **fields: everything else that the numbers depend on: ``attention``; ``layer`` and ``head``
            from 1, or "mean" and the like for several; the ``measure``, unless the picture names
            it. None is left out.
    """
    of_trace = {
        "checkpoint": t.name,
        "sentence": trace.source_text,
        "target": trace.target_text,
        "target_origin": trace.target_origin,
        "beam": trace.beam if trace.target_origin == "generated" else None,
    }
    order = dict.fromkeys(("attention", "layer", "head", "measure"))
    return _without_none(of_trace | order | fields)


def about_page(page: str, **depends: object) -> About:
    """Describe a figure that does not depend on a sentence.

    Args:
        page: that shows it.
        **depends: everything else that its numbers depend on. None is left out.
    """
    return _without_none({"page": page} | depends)


def _without_none(fields: About) -> About:
    return {name: value for name, value in fields.items() if value is not None}


@contextmanager
def figure(
    name: str, tr: Translator, *, title: str, about: About, python: PythonLines | None = None
) -> Iterator[Figure]:
    """Make a figure of everything drawn in this context, with buttons that save it.

    Pictures and copies are made in the browser (``web/app/tools/save_figure.js``). For numbers and
    for a PDF, the browser asks for a hidden button of Streamlit and presses it: see ``request``.
    For a PDF it also sends the picture, as SVG.

    Args:
        name: of the figure on the page; the names of its files begin with it.
        tr: the visitor's language.
        title: of the saved picture, plain text.
        about: the description of what it shows, from ``about`` or ``about_page``.
        python: the lines of Python that make the same figure; None if the library does not make it.
    """
    shown = Figure(title, dict(about), as_table=tr("grid.table"), python=python)
    with st.container(key=f"figure.{name}"):
        yield shown
        labels = {kind: tr(f"take.{kind}") for kind in _KINDS}
        stem = file_stem(name, shown.about)
        words = caption(title, shown.about, tr)
        st.html(
            take_bar(
                tr("take.open"),
                line(shown.about, tr),
                labels,
                title=title,
                name=name,
                stem=stem,
                caption=words,
                copy_caption=tr("take.caption"),
                python=shown.python(stem) if shown.python else "",
                python_label=tr("take.python"),
                copy_python=tr("take.lines"),
                texts=_texts_of_worksheet(shown.about),
            )
        )
        for kind in _requested(name):
            make: Callable[[], bytes]
            if kind == "pdf":
                drawn: DrawnPicture = st.session_state[_DRAWN]
                make = partial(
                    convert, drawn.svg, "pdf", width=drawn.width, title=title, description=words
                )
                file = f"{stem}.pdf"
                key = f"take.{name}.pdf.{drawn.number}"
            else:
                make, ending = _file(kind, shown, stem)
                file = f"{stem}.{ending}"
                key = f"take.{name}.{kind}"
            offer_file(labels[kind], make, file, key=key)


def _texts_of_worksheet(about: About) -> Mapping[str, str]:
    """Return the texts that a worksheet of the figure needs; "" for those that it does not have.

    They are the sentence and its translation, and the attention if the picture shows its weights.
    """
    fields = ["sentence", "target"]
    if about.get("measure") == "weights":
        fields.insert(0, "attention")
    return {field: str(about.get(field, "")) for field in fields}


def offer_file(
    label: str, make: Callable[[], bytes], name: str, *, key: str, help: str | None = None
) -> None:
    """Show a button that saves a file.

    Args:
        label: on the button.
        make: makes the file when the button is pressed.
        name: of the file, with its suffix.
        key: of Streamlit's button.
        help: shown when one points at the button.
    """
    mime = _MIME[name.rpartition(".")[2]]
    st.download_button(
        label, make, file_name=name, mime=mime, on_click="ignore", key=key, help=help
    )


class DrawnPicture(NamedTuple):
    """A picture drawn by the browser, for conversion."""

    svg: str
    width: float  # in pixels of the page
    number: int  # of the request, so that each gets a button of its own


class _Request(NamedTuple):
    """A file that the browser has asked for."""

    name: str  # of the figure
    kind: str  # "csv", "json" or "pdf"
    until: float  # when it is no longer offered, in seconds of ``monotonic``


def request(name: object, kind: object, *drawn: object) -> None:
    """Let the next runs offer a figure as a file, for ``OFFERED_SECONDS``. Called on a click.

    Args:
        name: of the figure.
        kind: "csv", "json" or "pdf".
        *drawn: for a PDF what a ``DrawnPicture`` holds, from the browser. It is checked.
    """
    until = monotonic() + OFFERED_SECONDS
    match (name, kind, *drawn):
        case (str(name), "csv" | "json" as kind):
            st.session_state[_REQUESTED] = _Request(name, kind, until)
        case (str(name), "pdf", str(svg), int(width), int(number)) if (
            is_drawn_here(svg) and width > 0
        ):
            st.session_state[_REQUESTED] = _Request(name, "pdf", until)
            st.session_state[_DRAWN] = DrawnPicture(svg, width, number)


def _requested(name: str) -> list[str]:
    """Return the requested file type of a figure as a list. An old request is forgotten.

    The list is empty if there is no request for this figure.
    """
    asked: _Request | None = st.session_state.get(_REQUESTED)
    if asked is None or asked.name != name:
        return []
    if monotonic() > asked.until:
        st.session_state.pop(_DRAWN, None)
        del st.session_state[_REQUESTED]
        return []
    return [asked.kind]


def _file(kind: str, fig: Figure, stem: str) -> tuple[Callable[[], bytes], str]:
    """Return a function that makes a file from a figure's tables, and the file's suffix.

    Args:
        kind: "json", or "csv": several tables are an archive with a file for each.
        fig: the figure.
        stem: of its files' names.
    """
    tables = fig.tables()
    if kind == "json":
        return lambda: as_json(tables, about=fig.about), "json"
    if len(tables) == 1:
        [table] = tables.values()
        return lambda: as_csv(table), "csv"
    return lambda: as_zip(tables, stem), "zip"
