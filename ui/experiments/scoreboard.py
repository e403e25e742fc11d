"""Compare maps with measured effects: which map matches the loss when source tokens are hidden?"""

from collections.abc import Mapping
from math import isnan

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model import Trace, TranslationModel
from model.arrays import Array
from model.evaluation.bootstrap import Estimate
from model.faithfulness.agreement import agreement, most_divided
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
from ui.frame.compared_maps import compared_maps
from ui.frame.controls import choose
from ui.frame.head_kinds import analysis_or_none, best_aligning_head
from ui.frame.pickers import choose_named
from ui.frame.picture import show_table
from ui.server.work import show_work
from ui.state.speed import seconds_to_read
from ui.text.markup import escape_markdown
from ui.text.numbers import decimals
from ui.text.translator import Translator

_WIDEST_CELL = 88  # pixels


def show_scoreboard(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """Let the visitor choose a word; show which map best predicts what hiding each token costs it.

    Args:
        trace: of the sentence and its translation.
        t: the model.
        tr: the visitor's language.
    """
    n_words = len(trace.tgt_tokens) - 1
    if not n_words or len(ordinary_positions(trace)) < 2:
        st.markdown(tr("experiments.too_short"))
        return
    n_src = len(trace.src)
    with st.container(key="experiments-board"):
        board = st.container()  # the choice of how tokens are hidden, which few need, is below it
        mode: OcclusionMode = choose_named("experiments.way", OCCLUSION_MODES, tr)
        with board:
            show_work(
                "experiments.scoreboard",
                (t.version, trace.source_text, trace.tgt_ids, mode),
                lambda: iter(
                    [(occlusion_costs(t, trace, mode, max_set_size=1), source_maps(t, trace))]
                ),
                lambda parts: _show(parts[0], trace, t, mode, tr),
                tr,
                start=tr("experiments.measure_maps"),
                total=1,
                seconds=seconds_to_read(t, 2 * n_src * (n_src + n_words)),
            )
    with st.container(key="experiments-corpus"):
        _show_corpus(t, mode, tr)


def _show(
    measured: tuple[OcclusionCosts, Mapping[str, Array]],
    trace: Trace,
    t: TranslationModel,
    mode: OcclusionMode,
    tr: Translator,
) -> None:
    """Draw what each map says about one word, beside what hiding each token costs.

    Args:
        measured: the costs of hiding each source token, and the maps by name.
        trace: the traced translation.
        t: the model and its tokenizer.
        mode: how a source token is hidden.
    """
    costs, maps = measured
    positions = costs.positions
    source = display(trace.src_tokens)
    words = display(trace.next_tokens)
    labels = Labels(
        columns=[source[position] for position in positions], languages=(None, t.languages[0])
    )

    # 1. Choose a word: at first the one that tells the maps apart best.
    names = compared_maps(maps, t.config.n_layers, best_aligning_head(t))
    scores_of_words = {name: agreement(maps[name], costs) for name in names}
    with st.container(key="slide-control", horizontal=True, width="content"):
        step = choose(
            tr("experiments.word"),
            range(len(costs.each_hidden)),
            key="experiments.judged",
            default=most_divided([*scores_of_words.values()], costs),
            format_func=lambda n: f"{n + 1} · {escape_markdown(words[n])}",
            wrap=True,
        )
    word = words[step]

    # 2. Sort the maps: hits first, then by correlation.
    # of each map: the hit comes first, ρ is the last but one, see ``agreement``
    scores = {name: of_words[step] for name, of_words in scores_of_words.items()}

    def hit_and_rho(name: str) -> list[float]:
        hit, *_, rho, _ = scores[name]
        return np.nan_to_num([hit, rho], nan=-2.0).tolist()  # NaN is ranked below every correlation

    order = sorted(scores, key=hit_and_rho, reverse=True)

    # 3. Show the loss when each token is hidden, and this word's row in every map.
    title = tr("experiments.title_scoreboard", word=word)
    description = about(t, trace, measure="agreement", way=mode, target_step=step + 1)
    with figure("scoreboard", tr, title=title, about=description) as fig:
        of_word = costs.each_hidden[step]
        needed = int(of_word.argmax())
        hits = [float(scores[name][0]) for name in order]
        rows_that_hit = [row for row, hit in enumerate(hits, start=1) if hit]
        st.markdown(
            tr(
                "experiments.board_says",
                word=escape_markdown(word),
                token=escape_markdown(labels.columns[needed]),
                cost=f"{of_word[needed]:.2f}",
                hits=int(sum(hits)),
                n=len(order),
            )
        )
        # The measured row comes first, so that each map is compared straight down its columns.
        of_maps = [maps[name][step, positions] for name in order]
        rows = np.stack([of_word, *of_maps])
        largest = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-12)  # a row may be all 0
        names_of_maps = [_name(name, tr) for name in order]
        notes_of_maps = [_note(scores[name], tr) for name in order]
        board = Matrix(
            rows / largest,
            tr("experiments.maps"),
            labels=labels._replace(rows=[tr("experiments.lost"), *names_of_maps]),
            scale="weights",
            notes=[tr("experiments.nats", cost=decimals(of_word[needed])), *notes_of_maps],
            large=True,
            scaled=True,
            frames=[(row, needed) for row in (0, *rows_that_hit)],
        )
        show_matrices([board], fig, key="experiments.scoreboard", widest=_WIDEST_CELL)
        fig.draws(lambda: {"loss": Table.of(token=labels.columns, nats=of_word)})
        rhos = [float(scores[name][-2]) for name in order]
        fig.draws(lambda: {"agreement": Table.of(map=order, hit=hits, rho=rhos)})
    st.caption(tr("experiments.scoreboard_note"))


def _show_corpus(t: TranslationModel, mode: OcclusionMode, tr: Translator) -> None:
    """Show the scores of each map over many sentences, if measured, with the best map first."""
    analysis = analysis_or_none(t)
    if analysis is None or analysis.faithfulness is None:
        return
    map_scores: MapScores = getattr(analysis.faithfulness, mode)
    scores = map_scores.maps
    names = compared_maps(scores, t.config.n_layers, best_aligning_head(t))
    names.sort(key=lambda name: -scores[name].hit.value)
    st.header(tr("experiments.over_corpus", n=analysis.faithfulness.sentences), anchor=False)
    intervals = choose_named("experiments.intervals", ("hidden", "shown"), tr)
    text_of = _interval if intervals == "shown" else _value
    columns = {
        "map": [_name(name, tr) for name in names],
        "hit": [text_of(scores[name].hit) for name in names],
        "lost": [text_of(scores[name].comprehensiveness[0]) for name in names],
        "lost_three": [text_of(scores[name].comprehensiveness[-1]) for name in names],
        "kept": [text_of(scores[name].sufficiency[0]) for name in names],
        "rho": [text_of(scores[name].rho) for name in names],
    }
    table = {tr(f"experiments.board.{name}"): cells for name, cells in columns.items()}
    show_table(pd.DataFrame(table), key="experiments.board")
    note = tr(
        "experiments.board_note",
        best=f"{map_scores.best[0]:.2f}",
        mean=f"{map_scores.mean[0]:.2f}",
    )
    if intervals == "shown":
        note = tr.join([tr("experiments.intervals_note"), note])
    st.caption(note)


def _value(estimate: Estimate) -> str:
    return decimals(estimate.value)


def _interval(estimate: Estimate) -> str:
    return f"{_value(estimate)} [{decimals(estimate.low)}, {decimals(estimate.high)}]"


def _name(name: str, tr: Translator) -> str:
    """Return the label of a map from its name in ``source_maps``, such as "head.3.1"."""
    kind, *numbers = name.split(".")
    head = dict(zip(("layer", "head"), numbers, strict=False))
    return tr(f"experiments.map.{kind}", **head)


def _note(score: Array, tr: Translator) -> str:
    """Return the note after a row: the correlation, and whether the map is a hit.

    ``score`` is a row of ``agreement``.
    """
    hit, *_, correlation, _ = score
    rho = "–" if isnan(correlation) else decimals(correlation)
    if hit:
        return f"ρ {rho} · {tr('experiments.hit')}"
    return f"ρ {rho}"
