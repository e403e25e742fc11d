"""A figure: pictures and numbers that belong together, and the bar that gives them away."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import streamlit as st

from ui.export.provenance import About, line
from ui.export.tables import Table, as_csv, as_json
from ui.text.markup import take_bar
from ui.text.translator import Translator

Tables = Mapping[str, Table]
_KINDS = ("png", "svg", "csv", "json", "copy")


@dataclass
class Figure:
    """What has been drawn since ``figure`` began one.

    The arguments are those of ``figure``; ``as_table`` is what its numbers are called where they
    stand below it as a table.
    """

    name: str
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

    def note(self, **more: object) -> None:
        """Say more of what it shows."""
        self.about |= more

    def tables(self) -> Tables:
        """What its files hold."""
        found: dict[str, Table] = {}
        for part in [self._own] if self._own else self._parts:
            for name, table in part().items():
                again = sum(other.split(" #")[0] == name for other in found)
                found[f"{name} #{again + 1}" if again else name] = table
        return found


@contextmanager
def figure(name: str, tr: Translator, *, title: str, about: About) -> Iterator[Figure]:
    """Whatever is drawn within is one figure, with one bar below.

    The bar's buttons are HTML. Those for pictures and copies are listened to in the browser alone
    (``ui/components/tools/take.js``); those for numbers press Streamlit's own, which are hidden and
    compute nothing before they are pressed.

    ``name`` is that of its place on the page and of its files, ``title`` that of the picture that
    is taken away, as plain text; ``about`` says what it shows, see ``ui.export.provenance``.
    """
    shown = Figure(name, title, dict(about), as_table=tr("grid.table"))
    with st.container(key=f"figure.{name}"):
        yield shown
        labels = {kind: tr(f"take.{kind}") for kind in _KINDS}
        st.html(take_bar(line(shown.about, tr), labels, title=title, name=name))
        for kind, mime, write in (
            ("csv", "text/csv", lambda: as_csv(shown.tables())),
            ("json", "application/json", lambda: as_json(shown.tables(), about=shown.about)),
        ):
            st.download_button(
                labels[kind],
                write,
                file_name=f"{name}.{kind}",
                mime=mime,
                on_click="ignore",
                key=f"take.{name}.{kind}",
            )
