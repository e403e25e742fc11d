"""A figure: pictures and numbers that belong together, and the bar that gives them away."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from model import Trace, TranslationModel
from ui.export.provenance import line
from ui.export.tables import Table, as_csv, as_json
from ui.text.markup import take_bar
from ui.text.translator import Translator

About = Mapping[str, object]  # what a figure shows and where its numbers come from
Tables = Mapping[str, Table]
_KINDS = ("png", "svg", "csv", "json", "copy")
_MIME = {"csv": "text/csv", "json": "application/json", "html": "text/html"}
_WANTED = "take.wanted"  # the figure whose numbers were asked for, and in which kind of file


@dataclass
class Figure:
    """What has been drawn since ``figure`` began one.

    The arguments are those of ``figure``, and more can be said in ``about`` while it is drawn;
    ``as_table`` is what its numbers are called where they stand below it as a table.
    """

    title: str
    about: dict[str, object]
    as_table: str
    _parts: list[Callable[[], Tables]] = field(default_factory=list)
    _own: Callable[[], Tables] | None = None

    def draws(self, tables: Callable[[], Tables]) -> None:
        """Count another part to it; ``tables`` makes its numbers, when somebody takes them."""
        self._parts.append(tables)

    def numbers(self, tables: Callable[[], Tables]) -> None:
        """Give away these tables, in place of those of the parts."""
        self._own = tables

    def tables(self) -> Tables:
        """What its files hold."""
        found: dict[str, Table] = {}
        for part in [self._own] if self._own else self._parts:
            for name, table in part().items():
                again = sum(other.split(" #")[0] == name for other in found)
                found[f"{name} #{again + 1}" if again else name] = table
        return found


def about(t: TranslationModel, trace: Trace, **fields: object) -> About:
    """What a picture of a sentence shows, in words that are the same in every language.

    ``fields`` are all that the numbers depend on: ``attention``, ``layer`` and ``head``, from 1 or
    which of them together; the ``measure``, where the picture does not say it. None is left out.
    """
    of_trace = {
        "checkpoint": t.name,
        "sentence": trace.source_text,
        "target": trace.target_text,
        "target_origin": trace.target_origin,
        "beam": trace.beam if trace.target_origin == "generated" else None,
    }
    order = dict.fromkeys(("attention", "layer", "head", "measure"))
    return _known(of_trace | order | fields)


def about_page(page: str, **depends: object) -> About:
    """What a picture of a page shows without a sentence; what it depends on, unless None."""
    return _known({"page": page} | depends)


def _known(fields: About) -> About:
    return {name: value for name, value in fields.items() if value is not None}


@contextmanager
def figure(name: str, tr: Translator, *, title: str, about: About) -> Iterator[Figure]:
    """Whatever is drawn within is one figure, with one button below that opens the ways to save it.

    Pictures and copies are made in the browser (``web/app/tools/export.js``). For numbers it
    asks for Streamlit's button, which is hidden, and presses it: see ``want``.

    ``name`` is that of its place on the page and of its files, ``title`` that of the picture that
    is taken away, as plain text; ``about`` says what it shows.
    """
    shown = Figure(title, dict(about), as_table=tr("grid.table"))
    with st.container(key=f"figure.{name}"):
        yield shown
        labels = {kind: tr(f"take.{kind}") for kind in _KINDS}
        st.html(take_bar(tr("take.open"), line(shown.about, tr), labels, title=title, name=name))
        for kind in _wanted(name):
            make = partial(_file, kind, shown)
            offer_file(labels[kind], make, f"{name}.{kind}", key=f"take.{name}.{kind}")


def offer_file(
    label: str, make: Callable[[], bytes], name: str, *, key: str, help: str | None = None
) -> None:
    """A button that saves a file, made when it is pressed; the page stays as it is."""
    mime = _MIME[name.rpartition(".")[2]]
    st.download_button(
        label, make, file_name=name, mime=mime, on_click="ignore", key=key, help=help
    )


def want(name: object, kind: object) -> None:
    """Offer the numbers of a figure in the next run: what a click in the browser calls."""
    if kind in ("csv", "json"):
        st.session_state[_WANTED] = name, kind


def _wanted(name: str) -> list[str]:
    wanted, kind = st.session_state.get(_WANTED, (None, ""))
    if wanted != name:
        return []
    del st.session_state[_WANTED]
    return [kind]


def _file(kind: str, fig: Figure) -> bytes:
    tables = fig.tables()
    return as_csv(tables) if kind == "csv" else as_json(tables, about=fig.about)
