"""One measure of all heads over all snapshots, and the step at which a behaviour first appears."""

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
from ui.export.learning_lines import lines_of_measures
from ui.frame.page import show_problems
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart
from ui.learning.snapshots import measure, open_snapshots, read_target, timelines
from ui.server.page_slots import fragment
from ui.state.address import one_based
from ui.text.translator import Translator

_MEASURES = ("entropy", "positional", "agreement", "names")  # of a cross-attention head
_MEASURES_WITHOUT_NAMES = ("entropy", "positional", "agreement")  # of any other head
_NAME_FOUND = 0.5  # a head aligns names if it gives the right name at least this weight


@fragment
def show_measures(
    model: TranslationModel, final: Trace, kind: Kind, head: tuple[int, int], tr: Translator
) -> None:
    """Draw a measure of all heads over the snapshots, and say when heads first show a behaviour.

    Args:
        model: the trained model.
        final: its trace of the visitor's sentence.
        kind: which of the three attentions.
        head: the chosen layer and head, from 0.
        tr: the visitor's language.
    """
    with show_problems(tr):
        # 1. Measure the fixed sentences, and say when heads first show a behaviour
        with st.spinner(tr("learning.measuring")):
            fixed = measure(model)
        steps = list(open_snapshots(model))
        st.header(tr("learning.measures"), anchor=False)
        _show_first_heads(fixed, steps, tr)

        # 2. Ask for the measure and the sentences
        name, pairs = _choose_measure(kind, tr)
        if pairs == "fixed":
            timeline = fixed.get(kind)
            description = about_page("learning", checkpoint=model.name, sentences=len(SENTENCES))
        else:
            traces = list(read_target(model, final).values())
            timeline = timelines([traces]).get(kind)
            description = about(model, final)
        if timeline is None or np.isnan(getattr(timeline, name)).any():
            st.caption(tr("learning.nothing_to_measure"))
            return

        # 3. Draw the measure of all heads
        values = getattr(timeline, name)  # (N, layers, heads)
        _, n_layers, n_heads = values.shape
        chart = head_curves(
            values,
            steps,
            layer_names=[tr("grid.layer_number", n=n + 1) for n in range(n_layers)],
            head_names=[tr("grid.head_number", n=n + 1) for n in range(n_heads)],
            chosen=head,
            x_title=tr("learning.step"),
            y_title=tr(f"learning.measure.{name}"),
        )
        description = {**description, "attention": kind, **one_based(*head), "curves": name}
        title = tr("learning.measures")
        sentences = None if pairs == "fixed" else [final.source_text]
        python = lines_of_measures(model, sentences, kind=kind, measure=name)
        with figure("measures", tr, title=title, about=description, python=python) as fig:
            show_chart(chart, fig, key="learning.curves")
        n_rows = timeline.n_names if name == "names" else timeline.n_rows
        st.caption(tr.join([tr(f"learning.about_{name}"), tr("learning.rows", n=n_rows)]))


def _choose_measure(kind: Kind, tr: Translator) -> tuple[str, str]:
    """Ask for the measure, and for the sentences: "fixed" or "yours"."""
    is_cross = kind == "cross"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_named(
            "learning.measure",
            _MEASURES if is_cross else _MEASURES_WITHOUT_NAMES,
            tr,
            default="names" if is_cross else "positional",
            key=f"learning.measure.{is_cross}",
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


def _show_first_heads(timelines: Mapping[Kind, Timeline], steps: list[int], tr: Translator) -> None:
    """Show the step at which the first head becomes positional, or aligns names."""
    if not timelines:
        return
    positional = {kind: timelines[kind].positional for kind in KINDS}
    names: dict[Kind, Array] = {"cross": timelines["cross"].names}
    first_positional = _first_head(positional, POSITIONAL, steps, tr)
    first_for_names = _first_head(names, _NAME_FOUND, steps, tr)
    st.markdown(
        tr("learning.when_positional", answer=first_positional)
        + "  \n"  # a line break of Markdown
        + tr("learning.when_names", answer=first_for_names)
    )


def _first_head(
    values: Mapping[Kind, Array], level: float, steps: list[int], tr: Translator
) -> str:
    """Say which head first stays at or above a level, and from which step.

    If several heads reach the level at the same step, the head with the largest value is named.

    Args:
        values: attention to (N, layers, heads) values.
        level: the smallest value that counts.
        steps: of the N snapshots.
        tr: the visitor's language.
    """
    reached = []
    for kind, of_kind in values.items():
        for layer, head in np.ndindex(of_kind.shape[1:]):
            snapshot = since(of_kind[:, layer, head], level)
            if snapshot is not None:
                value = of_kind[snapshot, layer, head]
                reached.append((snapshot, -value, kind, layer, head))
    if not reached:
        return tr("learning.when_never")
    snapshot, _, kind, layer, head = min(reached)
    return tr(
        "learning.when",
        attention=tr(f"attention.{kind}"),
        **one_based(layer, head),
        step=f"{steps[snapshot]:,}",
    )
