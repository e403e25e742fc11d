"""A figure: pictures and numbers that belong together, and the bar that gives them away."""

from __future__ import annotations

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

    Args:
        name: of its place on the page and of its files.
        title: of the picture that is taken away.
        about: what it shows, from ``ui.export.provenance``.
        as_table: what its numbers are called where they stand below it as a table.
    """

    name: str
    title: str
    about: dict[str, object]
    as_table: str
    _parts: list[Callable[[], Tables]] = field(default_factory=list)
    _own: Callable[[], Tables] | None = None

    def draws(self, tables: Callable[[], Tables]) -> None:
        """Count another part to it.

        Args:
            tables: makes the numbers that the part shows, when somebody takes them.
        """
        self._parts.append(tables)

    def numbers(self, tables: Callable[[], Tables]) -> None:
        """Give away these tables, in place of those of the parts; arguments as for ``draws``."""
        self._own = tables

    def note(self, **more: object) -> None:
        """Say more of what it shows."""
        self.about |= more

    def as_csv(self) -> bytes:
        """Its file of numbers alone."""
        return as_csv(self.tables())

    def as_json(self) -> bytes:
        """Its file that says what they show, too."""
        return as_json(self.tables(), about=self.about)

    def tables(self) -> Tables:
        """What its files hold."""
        if self._own is not None:
            return self._own()
        found: dict[str, Table] = {}
        for part in self._parts:
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

    Args:
        name: of its place on the page, and of its files.
        title: of the picture that is taken away, as plain text.
        about: what it shows, from ``ui.export.provenance``.
    """
    shown = Figure(name, title, dict(about), as_table=tr("grid.table"))
    with st.container(key=f"figure.{name}"):
        yield shown
        labels = {kind: tr(f"take.{kind}") for kind in _KINDS}
        st.html(take_bar(line(shown.about, tr), labels, title=title, name=name))
        for kind, (write, mime) in {
            "csv": (shown.as_csv, "text/csv"),
            "json": (shown.as_json, "application/json"),
        }.items():
            st.download_button(
                labels[kind],
                write,
                file_name=f"{name}.{kind}",
                mime=mime,
                on_click="ignore",
                key=f"take.{name}.{kind}",
            )
