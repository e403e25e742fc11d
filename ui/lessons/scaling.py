"""The lesson about √d_k and the softmax: random vectors, and one row of a sentence."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from model import Trace
from model.arrays import Array
from model.lessons import scaling
from model.maps.measures import entropy
from model.pictures.tokens import display
from model.transformer.heads import attention_name
from ui.charts.chart import Chart
from ui.charts.columns import bars, columns
from ui.charts.lines import lines
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import About, Figure, about, about_page, figure
from ui.export.lesson_lines import (
    QuerySource,
    lines_of_dimension,
    lines_of_scores,
    lines_of_temperature,
)
from ui.export.tables import Labels
from ui.frame.controls import select, slide_along, type_number
from ui.frame.head_kinds import rows_of
from ui.frame.pickers import attention_picker, choose_named, place_picker
from ui.frame.picture import show_chart, show_heatmap
from ui.server.page_slots import fragment
from ui.server.work import show_work
from ui.state.memory import remember
from ui.state.models import PageRun
from ui.text.languages import sides
from ui.text.translator import Translator

D_KS = tuple(2**power for power in range(11))  # values of d_k
TEMPERATURES = tuple(2.0 ** (power / 2) for power in range(-10, 11))
_N_DRAWS = 200  # queries
_N_KEYS = 16  # keys of each query
_MEASURES = ("variance", "entropy", "gradient")
_N_TIMED = 256  # queries, and as many keys, on which the score functions are timed
_REPEATS = 7  # repetitions of each timing; the fastest counts


@fragment
def show_dimension(tr: Translator) -> None:
    """Show the effect of d_k on one softmax, and on means over many softmaxes."""
    # 1. Ask for d_k and the seed
    with st.container(horizontal=True, vertical_alignment="bottom"):
        d_k = slide_along(tr("scaling.d_k"), D_KS, default=64, key="scaling.d_k", width="stretch")
        seed = type_number(
            tr("scaling.seed"),
            1,
            9999,
            default=1,
            key="scaling.seed",
            help=tr("scaling.seed_help"),
            width=140,
        )
    at = D_KS.index(d_k)

    # 2. Compute everything for undivided scores, and for scores divided by √d_k
    plain = _sweep(seed, divide=False)
    divided = _sweep(seed, divide=True)
    q, k = scaling.draw_vectors(seed, n_draws=1, n_keys=_N_KEYS, d_k=D_KS[-1])
    plain_row = scaling.dot_products(q, k, d_k, divide=False)[0].softmax(dim=-1)  # (S,)
    divided_row = scaling.dot_products(q, k, d_k, divide=True)[0].softmax(dim=-1)  # (S,)

    # 3. Draw one softmax at the chosen d_k, and the means over all d_k
    description = about_page("scaling", d_k=d_k, seed=seed, keys=_N_KEYS, draws=_N_DRAWS)
    python = lines_of_dimension(D_KS, d_k=d_k, seed=seed, n_draws=_N_DRAWS, n_keys=_N_KEYS)
    title = tr("scaling.view_dimension")
    with figure("dimension", tr, title=title, about=description, python=python) as fig:
        st.markdown(tr("scaling.row", d_k=d_k, keys=_N_KEYS))
        chart = _weight_columns(
            {tr("scaling.plain"): plain_row.numpy(), tr("scaling.divided"): divided_row.numpy()},
            [f"k{n}" for n in range(1, _N_KEYS + 1)],
            tr,
            height=260,
        )
        show_chart(chart, fig, key="scaling.row")
        three = st.columns(3, gap="medium", vertical_alignment="bottom")  # equally high charts
        for column, measure in zip(three, _MEASURES, strict=True):
            plain_curve = getattr(plain, measure).numpy()  # (N,), one value for each d_k
            divided_curve = getattr(divided, measure).numpy()
            chart = lines(
                {tr("scaling.plain"): plain_curve, tr("scaling.divided"): divided_curve},
                np.array(D_KS),
                x_title=tr("scaling.d_k_axis"),
                y_title=tr(f"scaling.{measure}"),
                log_x=True,
                log_y=measure == "variance",
                points=True,
                mark_x=d_k,
                legend=False,  # the chart above has it
                titled=False,
                height=240,
            )
            with column:
                st.markdown(
                    tr(
                        f"scaling.{measure}_now",
                        plain=_short(float(plain_curve[at])),
                        divided=_short(float(divided_curve[at])),
                    )
                )
                show_chart(chart, fig, key=f"scaling.{measure}")
    st.caption(tr("scaling.drawn", draws=_N_DRAWS, keys=_N_KEYS))


def _sweep(seed: int, *, divide: bool) -> scaling.Sweep:
    """Return the measures for every d_k, cached for all visitors."""

    def measure() -> scaling.Sweep:
        q, k = scaling.draw_vectors(seed, n_draws=_N_DRAWS, n_keys=_N_KEYS, d_k=D_KS[-1])
        return scaling.sweep(q, k, D_KS, divide=divide)

    return remember("dimensions", (seed, divide), measure)


def _weight_columns(
    rows: Mapping[str, Array], keys: Sequence[str], tr: Translator, *, height: int
) -> Chart:
    """Draw attention weights as columns: at each key, one column for each name.

    Args:
        rows: (S,) weights by name.
        keys: S labels.
        height: of the chart, in pixels.
    """
    return columns(
        rows,
        labels=keys,
        label_title=tr("scaling.key"),
        value_title=tr("scaling.weight"),
        height=height,
    )


def _short(value: float) -> str:
    """Return a number with two decimals; below 0.01 with one significant digit."""
    return f"{value:,.2f}" if value >= 0.01 else f"{value:.1g}"


@dataclass(frozen=True)
class SoftmaxRow:
    """One query of the visitor's sentence in one head, with its keys and values."""

    q: Tensor  # (d_head,)
    k: Tensor  # (S, d_head), only the keys that the query may see
    v: Tensor  # (S, d_head)
    key_tokens: Sequence[str]  # S visible tokens
    key_language: str | None  # None if it is not known
    position: int  # of the query in its sentence, from 0
    about: About
    source: QuerySource  # where the row comes from, for the lines of Python


def pick_row(trace: Trace, run: PageRun, tr: Translator) -> SoftmaxRow:
    """Ask for attention, layer, head and query; return the vectors of this query.

    Args:
        trace: of the visitor's sentence.
        run: the page's model and address.
        tr: the visitor's language.
    """
    # 1. Ask
    address = run.address
    maps = trace.attention(address.attention, rows=rows_of(run.model, address))
    query_tokens = display(maps.query_tokens)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        attention_picker(tr)
        place_picker(run.config, tr)
        position = select(
            tr("scaling.query"),
            range(len(query_tokens)),
            default=1,
            key="scaling.query",
            format_func=lambda n: f"{n} · {query_tokens[n]}",
            width=170,
        )

    # 2. Read the vectors of this head. A decoder query sees no later position
    layer, head = address.layer_and_head
    path = attention_name(address.attention, layer)
    q = torch.tensor(trace.records[f"{path}.q"][head])  # (T, d_head)
    k = torch.tensor(trace.records[f"{path}.k"][head])  # (S, d_head)
    v = torch.tensor(trace.records[f"{path}.v"][head])  # (S, d_head)
    n_visible = position + 1 if address.attention == "decoder_self" else len(k)
    return SoftmaxRow(
        q=q[position],
        k=k[:n_visible],
        v=v[:n_visible],
        key_tokens=display(maps.key_tokens[:n_visible]),
        key_language=sides(run.model.languages, address.attention)[1],
        position=position,
        about=about(
            run.model,
            trace,
            page="scaling",
            **address.one_head,
            query=position,
            query_token=query_tokens[position],
        ),
        source=QuerySource(run.model, trace, address.attention, layer, head, position),
    )


def show_temperature(row: SoftmaxRow, tr: Translator) -> None:
    """Show the weights at a chosen temperature beside the model's weights (temperature 1)."""
    temperature = slide_along(
        tr("scaling.temperature"),
        TEMPERATURES,
        default=4.0,
        key="scaling.temperature",
        format_func=lambda value: f"{value:.3g}",
    )
    at = TEMPERATURES.index(temperature)

    # 1. Compute the weights at every temperature, and two measures of them
    scores = scaling.scaled_dot(row.q[None], row.k)  # (1, S)
    weights = (scores / torch.tensor(TEMPERATURES)[:, None]).softmax(dim=-1)  # (N, S)
    measures = {
        "entropy": entropy(weights.numpy()),  # (N,)
        "jacobian": scaling.gradient_size(weights).numpy(),  # (N,)
    }

    # 2. Draw the weights
    description = {**row.about, "temperature": temperature}
    python = lines_of_temperature(row.source, TEMPERATURES, at=at)
    title = tr("scaling.view_temperature")
    with figure("temperature", tr, title=title, about=description, python=python) as fig:
        weights_column, measures_column = st.columns([3, 2], gap="large")
        with weights_column:
            chart = _weight_columns(
                {
                    tr("scaling.model_row"): scores[0].softmax(dim=-1).numpy(),
                    tr("scaling.tempered_row", temperature=f"{temperature:.3g}"): weights[
                        at
                    ].numpy(),
                },
                row.key_tokens,
                tr,
                height=300,  # so low that it ends on a screen of 720 pixels
            )
            show_chart(chart, fig, key="scaling.tempered")
            d_head = len(row.q)
            undivided = f"{1 / math.sqrt(d_head):.3g}"  # this τ gives the row without the division
            st.caption(tr("scaling.undivided", d_head=d_head, temperature=undivided))

        # 3. Draw the measures
        with measures_column:
            for measure, values in measures.items():
                st.markdown(tr(f"scaling.{measure}_at", value=f"{float(values[at]):.3f}"))
                chart = lines(
                    {tr(f"scaling.{measure}"): values},
                    np.array(TEMPERATURES),
                    x_title=tr("scaling.temperature_axis"),
                    y_title=tr(f"scaling.{measure}"),
                    log_x=True,
                    mark_x=temperature,
                    titled=False,  # higher than the chart, its title would take the scale's room
                    height=150,
                )
                show_chart(chart, fig, key=f"scaling.temperature_{measure}")
    st.markdown(tr.section("scaling", "temperature"))


def show_bench(row: SoftmaxRow, tr: Translator) -> None:
    """Show weights, gradient and output of every score function; on a click, also the cost."""
    # 1. Ask for softmax or argmax, for the window, and for the seed of the parameters
    n_keys = len(row.k)
    d_k = len(row.q)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice = choose_named("scaling.choice", ("soft", "hard"), tr)
        reach = n_keys
        scope = choose_named("scaling.scope", ("global", "local"), tr)
        if scope == "local":
            reach = type_number(
                tr("scaling.reach"), 0, 20, default=2, key="scaling.reach", width=140
            )
        seed = type_number(
            tr("scaling.parameters"),
            1,
            9999,
            default=1,
            key="scaling.parameters",
            help=tr("scaling.parameters_help"),
            width=180,
        )

    # 2. Compute weights, gradient and output of every score function
    functions = scaling.draw_score_functions(seed, d_k=d_k, n_positions=n_keys)
    mask = scaling.window(n_keys, row.position, reach)
    answers = {
        tr(f"scaling.name_{name}"): scaling.answer(
            functions[name], row.q, row.k, row.v, mask, hard=choice == "hard"
        )
        for name in scaling.NAMES
    }

    # 3. Show the results and the costs
    description = {**row.about, "choice": choice, "scope": scope, "reach": reach, "seed": seed}
    python = lines_of_scores(row.source, reach=reach, hard=choice == "hard", seed=seed)
    title = tr("scaling.view_bench")
    with figure("scores", tr, title=title, about=description, python=python) as fig:
        _show_answers(answers, row, fig, tr)
    _show_costs(d_k, tr)
    st.markdown(tr.section("scaling", "bench"))


def _show_answers(
    answers: Mapping[str, scaling.Answer], row: SoftmaxRow, fig: Figure, tr: Translator
) -> None:
    """Draw weights, gradients and outputs of all score functions, by name.

    Args:
        answers: by the names of the score functions.
        row: the query that they answer, and its keys.
        fig: the figure that the pictures belong to.
    """
    names = list(answers)
    weights = np.stack([answer.weights.numpy() for answer in answers.values()])  # (functions, S)
    outputs = np.stack([answer.output.numpy() for answer in answers.values()])  # (functions, d_v)
    gradients = {name: answer.gradient for name, answer in answers.items()}
    weights_column, gradients_column = st.columns([3, 2], gap="large")
    with weights_column:
        st.markdown(tr("scaling.bench_weights"))
        show_heatmap(
            weights,
            fig,
            Labels(names, row.key_tokens, (None, row.key_language)),
            weight_title=tr("scaling.weight"),
            key="scaling.bench_weights",
        )
    with gradients_column:
        st.markdown(tr("scaling.bench_gradients"))
        chart = bars(gradients, title=tr("scaling.bench_gradient"), number_format=".2~g")
        show_chart(chart, fig, key="scaling.bench_gradients")
    matrix = Matrix(outputs, tr("scaling.bench_outputs"), labels=Labels(names))
    show_matrices([matrix], fig, key="scaling.outputs")


def _show_costs(d_k: int, tr: Translator) -> None:
    """Measure the score functions' times on a click. The results are stored for this visitor."""

    def measure() -> Iterator[tuple[scaling.Name, float]]:
        functions = scaling.draw_score_functions(0, d_k=d_k, n_positions=_N_TIMED)
        return scaling.measure_costs(functions, n=_N_TIMED, d_k=d_k, repeats=_REPEATS)

    show_work(
        "scaling.measure",
        (d_k, _N_TIMED),
        measure,
        lambda timings: _show_ratios(dict(timings), d_k, tr),
        tr,
        start=tr("scaling.measure", n=_N_TIMED, d_k=d_k),
        total=len(scaling.NAMES),
        shared=False,
    )


def _show_ratios(seconds: Mapping[scaling.Name, float], d_k: int, tr: Translator) -> None:
    """Draw the time of each score function, relative to the dot product."""
    ratios = {tr(f"scaling.name_{name}"): seconds[name] / seconds["dot"] for name in scaling.NAMES}
    chart = bars(ratios, title=tr("scaling.cost"), number_format=".3~g")
    description = about_page("scaling", d_k=d_k, n=_N_TIMED)
    with figure("cost", tr, title=tr("scaling.cost"), about=description) as fig:
        show_chart(chart, fig, key="scaling.cost")
    st.caption(tr("scaling.measured", milliseconds=f"{1000 * seconds['dot']:.3g}"))
