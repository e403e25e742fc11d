"""One measure of all heads over all snapshots, and when heads of a kind appear."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.arrays import Array
from model.heads.statistics import POSITIONAL
from model.heads.timeline import SENTENCES, Timeline, since
from model.transformer.heads import KINDS, Kind
from ui.charts.lines import head_curves
from ui.export.figure import about, about_page, figure
from ui.frame.page import problems_told
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart
from ui.learning.snapshots import measure, open_snapshots, read_target, timelines
from ui.server.log import fragment
from ui.state.address import one_based
from ui.text.translator import Translator

_MEASURES = ("entropy", "positional", "agreement", "names")
_ALIGNED = 0.5  # least weight on the right name that counts as having found it


@fragment
def show_measures(
    t: TranslationModel, final: Trace, kind: Kind, place: tuple[int, int], tr: Translator
) -> None:
    """Curves of the chosen measure, and the answer to "when?".

    ``final`` is the trained model's trace of the sentence, ``place`` layer and head from 0.
    """
    with problems_told(tr):
        with st.spinner(tr("learning.measuring")):
            fixed = measure(t)
        steps = list(open_snapshots(t))
        st.header(tr("learning.measures"), anchor=False)
        _show_answers(fixed, steps, tr)
        name, pairs = _choose_measure(kind, tr)
        is_fixed = pairs == "fixed"
        found = (fixed if is_fixed else timelines([[*read_target(t, final).values()]])).get(kind)
        if found is None or np.isnan(values := getattr(found, name)).any():
            st.caption(tr("learning.nothing_to_measure"))
            return
        _, n_layers, n_heads = values.shape
        chart = head_curves(
            values,
            steps,
            layer_names=[tr("grid.layer_number", n=n + 1) for n in range(n_layers)],
            head_names=[tr("grid.head_number", n=n + 1) for n in range(n_heads)],
            chosen=place,
            x_title=tr("learning.step"),
            y_title=tr(f"learning.measure.{name}"),
        )
        over_fixed = about_page("learning", checkpoint=t.name, sentences=len(SENTENCES))
        what = over_fixed if is_fixed else about(t, final)
        what = {**what, "attention": kind, **one_based(*place), "curves": name}
        title = tr("learning.measures")
        with figure("measures", tr, title=title, about=what) as fig:
            show_chart(chart, fig, key="learning.curves")
        rows = found.n_names if name == "names" else found.n_rows
        st.caption(f"{tr(f'learning.about_{name}')} {tr('learning.rows', n=rows)}")


def _choose_measure(kind: Kind, tr: Translator) -> tuple[str, str]:
    """The measure, and of which pairs of sentences."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_named(
            "learning.measure",
            _MEASURES if kind == "cross" else _MEASURES[:-1],
            tr,
            default="names" if kind == "cross" else "positional",
            key=f"learning.measure.{kind == 'cross'}",
            wrap=True,
        )
        pairs = choose_named(
            "learning.pairs",
            ("fixed", "yours"),
            tr,
            format_func=lambda name: tr(f"learning.pairs.{name}", n=len(SENTENCES)),
            wrap=True,
        )
    return name, pairs


def _show_answers(fixed: Mapping[Kind, Timeline], steps: list[int], tr: Translator) -> None:
    """From which step on the first head is positional, and finds names."""
    if not fixed:
        return
    positional = _first({kind: fixed[kind].positional for kind in KINDS}, POSITIONAL, steps, tr)
    names = _first({"cross": fixed["cross"].names}, _ALIGNED, steps, tr)
    answers = tr("learning.when_positional", answer=positional)
    st.markdown(answers + "  \n" + tr("learning.when_names", answer=names))


def _first(values: Mapping[Kind, Array], level: float, steps: list[int], tr: Translator) -> str:
    """The head that reaches a level first and keeps it; of several the one with most there."""
    reached = [
        (place, -of_kind[place, layer, head], kind, layer, head)
        for kind, of_kind in values.items()
        for layer, head in np.ndindex(of_kind.shape[1:])
        if (place := since(of_kind[:, layer, head], level)) is not None
    ]
    if not reached:
        return tr("learning.when_never")
    place, _, kind, layer, head = min(reached)
    where, step = one_based(layer, head), f"{steps[place]:,}"
    return tr("learning.when", attention=tr(f"attention.{kind}"), **where, step=step)
