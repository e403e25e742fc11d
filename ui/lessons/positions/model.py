"""The positions of the loaded model: its matrix, what that is added to, words in another order."""

from functools import partial

import numpy as np
import streamlit as st

from model import InputError, Trace, TranslationModel
from model.lessons.positions import ReorderError, chance_cosine, compare_orders
from model.pictures.tokens import display
from model.trace.residual_stream import cosines
from model.transformer.config import ModelConfig
from model.transformer.positional import wave_names
from ui.charts.columns import columns
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about, about_page, figure
from ui.export.tables import Labels
from ui.frame.controls import slide, type_text
from ui.frame.page import in_words
from ui.frame.picture import show_chart
from ui.server.log import fragment
from ui.state.limits import check
from ui.state.memory import remember
from ui.text.markup import alert
from ui.text.numbers import signed
from ui.text.translator import Translator

FIRST, SECOND = "dog bites man", "man bites dog"


def show_differences(config: ModelConfig, tr: Translator) -> None:
    """A sentence for each difference from the paper's formula; nothing where there is none."""
    said = []
    if config.positions == "halves":
        said.append(tr("positions.own_halves"))
    if config.frequencies == "tensor2tensor":
        said.append(tr("positions.own_tensor2tensor"))
    if said:
        st.markdown(" ".join([*said, tr("positions.own_drawn")]))


def show_matrix(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Rows are positions, named by the visitor's tokens; columns are the dimensions."""
    positions, layout = model.model.src_embedding.positions, model.config.positions
    most, d_model = positions.shape
    n = slide(tr("positions.count"), 8, most, default=48, key="positions.count")
    names = [f"{p} {token}" for p, token in enumerate(display(trace.src_tokens))]
    rows = [*names, *(str(p) for p in range(len(names), n))]
    matrix = Matrix(
        positions[:n].numpy(),
        tr("positions.matrix"),
        f"({n}, {d_model})",
        Labels(rows[:n], wave_names(d_model, layout), (model.languages[0], None)),
        limit=1.0,
    )
    what = about_page("positions", n=n, d_model=d_model)
    with figure("positions", tr, title=tr("positions.view_matrix"), about=what) as fig:
        show_matrices([matrix], fig, key="positions.matrix")
    st.caption(tr(f"positions.matrix_{layout}"))


def show_addition(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Norms of the two summands and of their sum, for every token of the visitor's sentence."""
    token, position, total = (
        trace.records[f"encoder.{name}"] for name in ("token_embedding", "position", "embedded")
    )  # each (S, d_model)
    embedding = "token_embedding" if model.config.scale_embedding else "plain_embedding"
    norms = {
        tr(f"positions.{embedding}"): np.linalg.norm(token, axis=-1),
        tr("positions.position_vector"): np.linalg.norm(position, axis=-1),
        tr("positions.embedded"): np.linalg.norm(total, axis=-1),
    }
    chart = columns(
        norms,
        labels=display(trace.src_tokens),
        label_title=tr("positions.token"),
        value_title=tr("positions.norm"),
        limit=1.05 * max(float(values.max()) for values in norms.values()),
        height=380,
    )
    what = about(model, trace, page="positions")
    with figure("addition", tr, title=tr("positions.title_addition"), about=what) as fig:
        show_chart(chart, fig, key="positions.norms")
    found, d_model = cosines(token, position), token.shape[-1]
    numbers = {
        "norm": f"{np.linalg.norm(position[0]):.2f}",
        "mean": signed(found.mean()),
        "low": signed(found.min()),
        "high": signed(found.max()),
        "chance": f"{chance_cosine(d_model):.2f}",
    }
    st.markdown(tr("positions.cosines", d_model=d_model, **numbers))
    st.markdown(tr.section("positions", "addition"))


def show_contrast(model: TranslationModel, tr: Translator) -> None:
    """Learned positions and RoPE in words, with the numbers of the loaded model."""
    n, d_model = model.config.max_length, model.config.d_model
    waves, learned, rope = st.columns(3, gap="large")
    waves.markdown(tr.section("positions", "contrast waves"))
    learned.markdown(tr.section("positions", "contrast learned"))
    rope.markdown(tr.section("positions", "contrast RoPE"))
    parameters = f"{n * d_model:,}"
    learned.markdown(tr("positions.table", n=n, d_model=d_model, parameters=parameters))


@fragment
def show_order(model: TranslationModel, tr: Translator) -> None:
    """Two sentences to type, and what the encoder makes of either."""
    with st.container(horizontal=True):
        first, second = (
            type_text(tr(f"positions.{name}"), default=text, key=f"positions.{name}")
            for name, text in (("first", FIRST), ("second", SECOND))
        )
    try:
        check(model, first, second)
        key, compare = (model.version, first, second), partial(compare_orders, model, first, second)
        pair = remember("orders", key, lambda: [compare(positions=on) for on in (False, True)])
    except InputError as problem:
        st.html(alert(in_words(problem, tr)))
    except ReorderError:
        st.html(alert(tr("positions.no_permutation")))
    else:
        languages = model.languages[0], model.languages[0]
        strongest = max(float(result.distance.max()) for result in pair)
        what = about_page(
            "positions", checkpoint=model.name, sentence=first, second_sentence=second
        )
        with figure("word_order", tr, title=tr("positions.view_order"), about=what) as fig:
            sides = zip(st.columns(2, gap="large"), ("without", "with"), pair, strict=True)
            for column, name, result in sides:
                matrix = Matrix(
                    result.distance.numpy(),
                    tr(f"positions.{name}"),
                    tr("positions.distances"),
                    Labels(display(result.first), display(result.second), languages),
                    limit=strongest,
                )
                with column:
                    form = ".1e" if result.largest < 1e-3 else ".2f"
                    st.metric(tr(f"positions.{name}"), f"{result.largest:{form}}")
                    st.caption(tr("positions.largest"))
                    show_matrices([matrix], fig, key=f"positions.distances_{name}")
    st.markdown(tr.section("positions", "order"))
