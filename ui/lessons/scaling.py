"""The lesson about √d_k and the softmax: drawn vectors, and one row of the visitor's sentence."""

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
from ui.export.figure import About, about, about_page, figure
from ui.export.tables import Labels
from ui.frame.controls import pick, slide_along, type_number
from ui.frame.head_kinds import rows_of
from ui.frame.pickers import attention_picker, choose_named, place_picker
from ui.frame.picture import show_chart, show_heatmap
from ui.server.log import fragment
from ui.server.work import show_work
from ui.state.memory import remember
from ui.state.models import PageRun
from ui.text.translator import Translator

D_KS = tuple(2**n for n in range(11))
TEMPERATURES = tuple(2.0 ** (n / 2) for n in range(-10, 11))
_N_DRAWS, _N_KEYS = 200, 16
_MEASURES = ("variance", "entropy", "gradient")
_N, _REPEATS = 256, 7  # queries and keys of the measurement, and how often it is repeated


@fragment
def show_dimension(tr: Translator) -> None:
    """Choose d_k and see it in one softmax, and in the means over many."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        d_k = slide_along(tr("scaling.d_k"), D_KS, default=64, key="scaling.d_k", width="stretch")
        seed = _type_seed("seed", 140, tr)
    names = {False: tr("scaling.plain"), True: tr("scaling.divided")}
    measured = {name: _sweep(seed, divide) for divide, name in names.items()}
    q, k = scaling.draw_vectors(seed, n_draws=1, n_keys=_N_KEYS, d_k=D_KS[-1])
    rows = {
        name: scaling.dot_products(q, k, d_k, divide=divide)[0].softmax(dim=-1).numpy()
        for divide, name in names.items()
    }
    what = about_page("scaling", d_k=d_k, seed=seed, keys=_N_KEYS, draws=_N_DRAWS)
    with figure("dimension", tr, title=tr("scaling.view_dimension"), about=what) as fig:
        for column, measure in zip(st.columns(3, gap="medium"), _MEASURES, strict=True):
            curves = {name: getattr(of, measure).numpy() for name, of in measured.items()}
            plain, divided = (_short(float(curve[D_KS.index(d_k)])) for curve in curves.values())
            chart = lines(
                curves,
                np.array(D_KS),
                x_title=tr("scaling.d_k_axis"),
                y_title=tr(f"scaling.{measure}"),
                log_x=True,
                log_y=measure == "variance",
                points=True,
                mark_x=d_k,
                height=270,
            )
            with column:
                st.markdown(tr(f"scaling.{measure}_now", plain=plain, divided=divided))
                show_chart(chart, fig, key=f"scaling.{measure}")
        st.markdown(tr("scaling.row", d_k=d_k, keys=_N_KEYS))
        labels = [f"k{n}" for n in range(1, _N_KEYS + 1)]
        show_chart(_columns(rows, labels, 260, tr), fig, key="scaling.row")
    st.caption(tr("scaling.drawn", draws=_N_DRAWS, keys=_N_KEYS))


def _type_seed(name: str, width: int, tr: Translator) -> int:
    label, key, why = tr(f"scaling.{name}"), f"scaling.{name}", tr(f"scaling.{name}_help")
    return type_number(label, 1, 9999, default=1, key=key, help=why, width=width)


def _columns(
    rows: Mapping[str, Array], labels: Sequence[str], height: int, tr: Translator
) -> Chart:
    key, weight = tr("scaling.key"), tr("scaling.weight")
    return columns(rows, labels=labels, label_title=key, value_title=weight, height=height)


def _short(value: float) -> str:
    return f"{value:,.2f}" if value >= 0.01 else f"{value:.1g}"


def _sweep(seed: int, divide: bool) -> scaling.Sweep:
    def measured() -> scaling.Sweep:
        q, k = scaling.draw_vectors(seed, n_draws=_N_DRAWS, n_keys=_N_KEYS, d_k=D_KS[-1])
        return scaling.sweep(q, k, D_KS, divide=divide)

    return remember("dimensions", (seed, divide), measured)


@dataclass(frozen=True)
class SoftmaxRow:
    """What one query of the visitor's sentence works with in one head."""

    q: Tensor  # (d_head,)
    k: Tensor  # (S, d_head), only of the keys that the query may see
    v: Tensor  # (S, d_head)
    key_tokens: Sequence[str]  # S visible tokens
    place: int  # of the query in its sentence, from 0
    about: About


def pick_row(trace: Trace, run: PageRun, tr: Translator) -> SoftmaxRow:
    """Let the visitor choose attention, layer, head and query."""
    address = run.address
    maps = trace.attention(address.attention, rows=rows_of(run.model, address))
    queries = display(maps.query_tokens)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        attention_picker(tr)
        place_picker(run.config, tr)
        place = pick(
            tr("scaling.query"),
            range(len(queries)),
            default=1,
            key="scaling.query",
            format_func=lambda place: f"{place} · {queries[place]}",
            width=170,
        )
    layer, head = address.place
    path = attention_name(address.attention, layer)
    q, k, v = (torch.tensor(trace.records[f"{path}.{name}"][head]) for name in "qkv")
    visible = place + 1 if address.attention == "decoder_self" else len(k)
    what = about(run.model, trace, page="scaling", **address.one_head, query=place)
    key_tokens = display(maps.key_tokens[:visible])
    return SoftmaxRow(q[place], k[:visible], v[:visible], key_tokens, place, what)


def show_temperature(row: SoftmaxRow, tr: Translator) -> None:
    """The weights at the chosen temperature beside the model's own, which is 1."""
    temperature = slide_along(
        tr("scaling.temperature"),
        TEMPERATURES,
        default=4.0,
        key="scaling.temperature",
        format_func=lambda value: f"{value:.3g}",
    )
    scores = scaling.scaled_dot(row.q[None], row.k)  # (1, S)
    heat = torch.tensor(TEMPERATURES)[:, None]  # (N, 1)
    weights = (scores / heat).softmax(dim=-1)  # (N, S)
    now, d_head = TEMPERATURES.index(temperature), len(row.q)
    rows = {
        tr("scaling.model_row"): scores[0].softmax(dim=-1).numpy(),
        tr("scaling.tempered_row", temperature=f"{temperature:.3g}"): weights[now].numpy(),
    }
    measured = {
        "entropy": entropy(weights.numpy()),
        "jacobian": scaling.gradient_size(weights).numpy(),
    }
    what = {**row.about, "temperature": temperature}
    with figure("temperature", tr, title=tr("scaling.view_temperature"), about=what) as fig:
        large, curves = st.columns([3, 2], gap="large")
        with large:
            show_chart(_columns(rows, row.key_tokens, 480, tr), fig, key="scaling.tempered")
            undivided = f"{1 / math.sqrt(d_head):.3g}"
            st.caption(tr("scaling.undivided", d_head=d_head, temperature=undivided))
        with curves:
            for measure, values in measured.items():
                st.markdown(tr(f"scaling.{measure}_at", value=f"{float(values[now]):.3f}"))
                chart = lines(
                    {tr(f"scaling.{measure}"): values},
                    np.array(TEMPERATURES),
                    x_title=tr("scaling.temperature_axis"),
                    y_title=tr(f"scaling.{measure}"),
                    log_x=True,
                    mark_x=temperature,
                    height=230,
                )
                show_chart(chart, fig, key=f"scaling.temperature_{measure}")
    st.markdown(tr.section("scaling", "temperature"))


def show_bench(row: SoftmaxRow, tr: Translator) -> None:
    """Weights, gradient, output and, when asked, the cost of every score function."""
    n_keys, d_k = len(row.k), len(row.q)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice = choose_named("scaling.choice", ("soft", "hard"), tr)
        reach = n_keys
        if choose_named("scaling.scope", ("global", "local"), tr) == "local":
            label = tr("scaling.reach")
            reach = type_number(label, 0, 20, default=2, key="scaling.reach", width=140)
        seed = _type_seed("parameters", 180, tr)
    functions = scaling.draw_score_functions(seed, d_k=d_k, n_positions=n_keys)
    mask, hard = scaling.window(n_keys, row.place, reach), choice == "hard"
    answers = {
        tr(f"scaling.name_{name}"): scaling.answer(
            functions[name], row.q, row.k, row.v, mask, hard=hard
        )
        for name in scaling.NAMES
    }
    _show_answers(answers, row, {**row.about, "choice": choice, "reach": reach, "seed": seed}, tr)
    _show_costs(d_k, tr)
    st.markdown(tr.section("scaling", "bench"))


def _show_answers(
    answers: Mapping[str, scaling.Answer], row: SoftmaxRow, what: About, tr: Translator
) -> None:
    names, found = list(answers), answers.values()
    slopes = {name: one.gradient for name, one in answers.items()}
    gradients = bars(slopes, title=tr("scaling.bench_gradient"), number_format=".2~g")
    outputs = torch.stack([one.output for one in found]).numpy()
    with figure("scores", tr, title=tr("scaling.view_bench"), about=what) as fig:
        left, right = st.columns([3, 2], gap="large")
        with left:
            st.markdown(tr("scaling.bench_weights"))
            show_heatmap(
                np.stack([one.weights.numpy() for one in found]),
                fig,
                Labels(names, row.key_tokens),
                weight_title=tr("scaling.weight"),
                key="scaling.bench_weights",
            )
        with right:
            st.markdown(tr("scaling.bench_gradients"))
            show_chart(gradients, fig, key="scaling.bench_gradients")
        matrix = Matrix(outputs, tr("scaling.bench_outputs"), labels=Labels(names))
        show_matrices([matrix], fig, key="scaling.outputs")


def _show_costs(d_k: int, tr: Translator) -> None:
    """Measured when asked; what was measured stays for this visitor."""

    def measure() -> Iterator[tuple[scaling.Name, float]]:
        functions = scaling.draw_score_functions(0, d_k=d_k, n_positions=_N)
        return scaling.measure_costs(functions, n=_N, d_k=d_k, repeats=_REPEATS)

    show_work(
        "scaling.measure",
        (d_k, _N),
        measure,
        lambda found: _show_ratios(dict(found), d_k, tr),
        tr,
        start=tr("scaling.measure", n=_N, d_k=d_k),
        total=len(scaling.NAMES),
        shared=False,
    )


def _show_ratios(seconds: Mapping[scaling.Name, float], d_k: int, tr: Translator) -> None:
    ratios = {tr(f"scaling.name_{name}"): seconds[name] / seconds["dot"] for name in scaling.NAMES}
    what = about_page("scaling", d_k=d_k, n=_N)
    with figure("cost", tr, title=tr("scaling.cost"), about=what) as fig:
        chart = bars(ratios, title=tr("scaling.cost"), number_format=".3~g")
        show_chart(chart, fig, key="scaling.cost")
    st.caption(tr("scaling.measured", milliseconds=f"{1000 * seconds['dot']:.3g}"))
