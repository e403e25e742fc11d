"""Every way of saying where a word came from, beside what hiding each source token costs it."""

from collections.abc import Collection, Mapping
from math import isnan

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model import Trace, TranslationModel
from model.arrays import Array
from model.evaluation.bootstrap import Estimate
from model.faithfulness.agreement import agreement
from model.faithfulness.corpus import MapScores
from model.faithfulness.occlusion import (
    OCCLUSION_MODES,
    OcclusionCosts,
    OcclusionMode,
    occlusion_costs,
    ordinary_positions,
)
from model.faithfulness.source_maps import source_maps
from model.pictures.tokens import display
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about, figure
from ui.export.tables import Labels, Table
from ui.frame.controls import choose
from ui.frame.head_kinds import best_aligning_head, sound_analysis
from ui.frame.pickers import choose_named
from ui.frame.picture import show_table
from ui.server.work import AT_ONCE, show_work
from ui.text.markup import escape_markdown
from ui.text.translator import Translator

_LAYERS = ("mean", "contributions")  # maps of which every layer is shown
_WHOLE = ("mean_layers", "value_norms_layers", "alti", "gradient", "gradient_input", "random")


def show_scoreboard(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """A word of the translation, and how far each map agrees with what it needed."""
    n_words = len(trace.tgt_tokens) - 1
    if not n_words or len(ordinary_positions(trace)) < 2:
        st.markdown(tr("experiments.too_short"))
        return
    tokens = display(trace.next_tokens)
    with st.container(horizontal=True):
        step = choose(
            tr("experiments.word"),
            range(n_words),
            key="experiments.judged",
            default=max(range(n_words), key=lambda n: len(tokens[n])),  # a word of content
            format_func=lambda n: f"{n + 1} · {escape_markdown(tokens[n])}",
            wrap=True,
        )
        way: OcclusionMode = choose_named("experiments.way", OCCLUSION_MODES, tr)
    n_src = len(trace.src)
    show_work(
        "experiments.scoreboard",
        (t.version, trace.source_text, trace.tgt_ids, way),
        lambda: iter([(occlusion_costs(t, trace, way, max_set_size=1), source_maps(t, trace))]),
        lambda parts: _show(parts[0], step, trace, t, tr),
        tr,
        start=tr("experiments.measure_maps"),
        total=1,
        small=2 * n_src * (n_src + n_words) <= AT_ONCE,
    )
    _show_corpus(t, way, tr)


def _show(
    measured: tuple[OcclusionCosts, Mapping[str, Array]],
    step: int,
    trace: Trace,
    t: TranslationModel,
    tr: Translator,
) -> None:
    found, maps = measured
    places, word = found.positions, display(trace.next_tokens)[step]
    tokens = [display(trace.src_tokens)[place] for place in places]
    scores = {name: agreement(maps[name], found)[step] for name in _shown(t, maps)}
    # maps that hit come first, then those that agree more
    ends = {name: np.nan_to_num(one[[0, -1]], nan=-2.0).tolist() for name, one in scores.items()}
    order = sorted(scores, key=ends.__getitem__, reverse=True)
    title = tr("experiments.title_scoreboard", word=word)
    what = about(t, trace, measure="agreement", target_step=step + 1)
    with figure("scoreboard", tr, title=title, about=what) as fig:
        labels = Labels(columns=tokens, languages=(None, t.languages[0]))
        row = Matrix(found.each_hidden[step][None], tr("experiments.lost"), labels=labels)
        show_matrices([row], fig, key="experiments.lost")
        rows = np.stack([maps[name][step, places] for name in order])
        board = Matrix(
            rows / np.maximum(rows.max(axis=1, keepdims=True), 1e-12),
            tr("experiments.maps"),
            labels=labels._replace(rows=[_name(name, tr) for name in order]),
            scale="weights",
            notes=[_note(scores[name], tr) for name in order],
            large=True,
        )
        show_matrices([board], fig, key="experiments.scoreboard")
        hit, rho = ([float(scores[name][n]) for name in order] for n in (0, -1))
        fig.draws(lambda: {"agreement": Table.of(map=order, hit=hit, rho=rho)})
    st.caption(tr("experiments.scoreboard_note"))


def _show_corpus(t: TranslationModel, way: OcclusionMode, tr: Translator) -> None:
    """The same over many sentences, where that was measured: a row for each map, the best first."""
    analysis = sound_analysis(t)
    if analysis is None or (found := analysis.faithfulness) is None:
        return
    believed: MapScores = getattr(found, way)
    names = sorted(_shown(t, believed.maps), key=lambda name: -believed.maps[name].hit.value)
    each = [believed.maps[name] for name in names]
    st.header(tr("experiments.over_corpus", n=found.sentences), anchor=False)
    columns = {
        "map": [_name(name, tr) for name in names],
        "hit": [_interval(one.hit) for one in each],
        "lost": [_interval(one.comprehensiveness[0]) for one in each],
        "lost_three": [_interval(one.comprehensiveness[-1]) for one in each],
        "kept": [_interval(one.sufficiency[0]) for one in each],
        "rho": [_interval(one.rho) for one in each],
    }
    table = {tr(f"experiments.board.{name}"): cells for name, cells in columns.items()}
    show_table(pd.DataFrame(table), key="experiments.board")
    best, mean = (f"{nats[0]:.2f}" for nats in (believed.best, believed.mean))
    st.caption(tr("experiments.board_note", best=best, mean=mean))


def _interval(one: Estimate) -> str:
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]".replace("-", "−")


def _shown(t: TranslationModel, maps: Collection[str]) -> list[str]:
    """The start page's head, every layer, the whole model, gradients and chance."""
    layers = [f"{name}.{n + 1}" for name in _LAYERS for n in range(t.config.n_layers)]
    best = best_aligning_head(t)
    head = [f"read.{best[0] + 1}.{best[1] + 1}"] if best else []
    return [name for name in (*head, *layers, *_WHOLE) if name in maps]


def _name(name: str, tr: Translator) -> str:
    kind, *numbers = name.split(".")
    places = dict(zip(("layer", "head"), numbers, strict=False))
    return tr(f"experiments.map.{kind}", **places)


def _note(score: Array, tr: Translator) -> str:
    rho = "–" if isnan(score[-1]) else f"{score[-1]:.2f}".replace("-", "−")
    return f"ρ {rho}" + (f" · {tr('experiments.hit')}" if score[0] else "")
