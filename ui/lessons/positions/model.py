"""The positions of the loaded model: their matrix, their sum with embeddings, and word order."""

import numpy as np
import streamlit as st

from model import InputError, Trace, TranslationModel
from model.arrays import Array
from model.hub.model import HubTransformer
from model.lessons.positions import (
    OrderExperiment,
    ReorderError,
    chance_cosine,
    compare_orders,
    rotation,
)
from model.pictures.tokens import CONTINUES, display
from model.trace.residual_stream import cosines, norms
from model.transformer.positional import positional_encoding, wave_names
from model.translation_model import require_paper
from ui.charts.columns import columns
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, about, about_page, figure
from ui.export.lesson_lines import (
    lines_of_addition,
    lines_of_other_ways,
    lines_of_relative_bias,
)
from ui.export.python_lines import lines_of_positions, lines_of_two_orders
from ui.export.tables import Labels
from ui.frame.controls import slide, type_text
from ui.frame.page import problem_sentence
from ui.frame.picture import show_chart
from ui.server.page_slots import fragment
from ui.state.limits import read_within_limits
from ui.state.memory import remember
from ui.state.models import PageRun
from ui.text.markup import alert
from ui.text.numbers import signed
from ui.text.translator import Translator

FIRST = "dog bites man"
SECOND = "man bites dog"
_MAX_DISTANCE = 16  # tokens between query and key, in the picture of the bias of T5
# The pictures of other position methods:
_N_SHOWN = 16  # positions
_D_SHOWN = 16  # dimensions
_N_BEYOND = 4  # positions beyond the end of a learned table, which are empty
_TURNED = 3  # the position whose rotation is drawn
_LOWEST_ROW = 20  # pixels of a row of the matrix: a class can read the tokens
_D_OPENED = 64  # dimensions of the matrix that are shown at first
_SEED = 0  # of the learned positions, which are random numbers here
_NEARLY_ZERO = (
    1e-3  # a smaller difference is rounding, and is called 0, with its power of ten beside it
)


def show_matrix(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Draw the matrix that the model adds to its embeddings.

    Args:
        trace: of the visitor's sentence; its tokens name the first rows.
        model: whose matrix is drawn: rows are positions, columns are dimensions.
        tr: the visitor's language.
    """
    positions = require_paper(model).src_embedding.positions  # (max_length, d_model)
    max_length, d_model = positions.shape
    with st.container(horizontal=True):
        n = slide(
            tr("positions.count"), 8, max_length, default=16, key="positions.count", width=165
        )
        # All dimensions at once are narrower than a pixel or two, and flicker.
        n_columns = slide(
            tr("positions.columns"),
            8,
            d_model,
            default=min(_D_OPENED, d_model),
            key="positions.columns",
            width=165,
        )

    tokens = display(trace.src_tokens)
    rows = [f"{position} {token}" for position, token in enumerate(tokens)]
    rows += [str(position) for position in range(len(tokens), n)]
    matrix = Matrix(
        positions[:n, :n_columns].numpy(),
        tr("positions.matrix"),
        tr("positions.matrix_caption", n=n, d_model=n_columns),
        Labels(rows[:n], wave_names(d_model)[:n_columns], (model.languages[0], None)),
        limit=1.0,
        numbered=True,
        scaled=True,
    )
    description = about_page("positions", n=n, d_model=d_model)
    title = tr("positions.title_matrix")
    python = lines_of_positions(model, n, n_columns)
    with figure("matrix", tr, title=title, about=description, python=python) as fig:
        show_matrices([matrix], fig, key="positions.matrix", lowest=_LOWEST_ROW)
    st.caption(tr("positions.matrix_note"))


def show_addition(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Draw the norms of embedding, position and their sum, for every token of the sentence.

    Args:
        trace: of the visitor's sentence.
        model: that made the trace.
        tr: the visitor's language.
    """
    token = trace.records["encoder.token_embedding"]  # (S, d_model)
    position = trace.records["encoder.position"]  # (S, d_model)
    total = trace.records["encoder.embedded"]  # (S, d_model), the sum of both

    # 1. Draw the norms
    lengths = {
        tr("positions.token_embedding"): norms(token),
        tr("positions.position_vector"): norms(position),
        tr("positions.embedded"): norms(total),
    }
    chart = columns(
        lengths,
        labels=display(trace.src_tokens),
        label_title=tr("positions.token"),
        value_title=tr("positions.norm"),
        limit=1.05 * max(float(values.max()) for values in lengths.values()),
        height=380,
    )
    description = about(model, trace, page="positions")
    title = tr("positions.title_addition")
    python = lines_of_addition(model, trace)
    with figure("addition", tr, title=title, about=description, python=python) as fig:
        show_chart(chart, fig, key="positions.norms")

    # 2. Show the cosine between the two summands
    cosine = cosines(token, position)  # (S,)
    d_model = token.shape[-1]
    st.markdown(
        tr(
            "positions.cosines",
            d_model=d_model,
            norm=f"{np.linalg.norm(position[0]):.2f}",
            mean=signed(cosine.mean()),
            low=signed(cosine.min()),
            high=signed(cosine.max()),
            chance=f"{chance_cosine(d_model):.2f}",
        )
    )
    st.markdown(tr.section("positions", "addition"))


def show_contrast(model: TranslationModel, tr: Translator) -> None:
    """Draw and explain waves, learned positions and RoPE, with the sizes of the loaded model."""
    # 1. Compute three small matrices: the summand or the factor of each position
    n = model.config.max_length
    d_model = model.config.d_model
    waves = positional_encoding(_N_SHOWN, _D_SHOWN).numpy()  # (16, 16)
    learned = np.random.default_rng(_SEED).normal(0.0, 0.4, (_N_SHOWN, _D_SHOWN))
    learned[-_N_BEYOND:] = np.nan
    turned = rotation(_TURNED, _D_SHOWN).numpy()  # (16, 16)
    rows = Labels([str(number) for number in range(_N_SHOWN)])
    ways = {
        tr.section("positions", "contrast waves"): Matrix(
            waves, tr("positions.contrast.waves"), labels=rows, limit=1.0
        ),
        tr.section("positions", "contrast learned"): Matrix(
            learned, tr("positions.contrast.learned"), labels=rows, limit=1.0
        ),
        tr.section("positions", "contrast RoPE"): Matrix(
            turned, tr("positions.contrast.rope", p=_TURNED), labels=rows, limit=1.0
        ),
    }

    # 2. Draw each matrix above its explanation
    description = about_page("positions", d_model=_D_SHOWN, seed=_SEED)
    title = tr("positions.view_contrast")
    python = lines_of_other_ways(
        n=_N_SHOWN, d_model=_D_SHOWN, n_learned=_N_SHOWN - _N_BEYOND, position=_TURNED, seed=_SEED
    )
    with figure("other_ways", tr, title=title, about=description, python=python) as fig:
        columns_of_page = st.columns(3, gap="large")
        for number, (explanation, matrix) in enumerate(ways.items()):
            with columns_of_page[number]:
                show_matrices([matrix], fig, key=f"positions.way_{number}", largest=16)
                st.markdown(explanation)
        columns_of_page[1].markdown(
            tr("positions.table", n=n, d_model=d_model, parameters=f"{n * d_model:,}")
        )
    st.markdown(tr.section("positions", "contrast bias"))


def has_relative_bias(run: PageRun) -> bool:
    """Return whether the open model is a T5, whose scores have a bias instead of positions."""
    t = run.model_or_error
    return (
        isinstance(t, TranslationModel)
        and isinstance(t.model, HubTransformer)
        and t.model.has_relative_bias
    )


def show_relative_bias(t: TranslationModel, tr: Translator) -> None:
    """Draw the learned bias of T5, with a row for each head and a column for each distance."""
    bias = _relative_bias(t)
    assert bias is not None
    distances = [signed(n, "+d") for n in range(-_MAX_DISTANCE, _MAX_DISTANCE + 1)]
    heads = [str(head + 1) for head in range(len(bias))]
    matrix = Matrix(
        bias,
        tr("positions.relative_bias"),
        f"({bias.shape[0]}, {bias.shape[1]})",
        Labels(heads, distances),
    )
    description = about_page("positions", checkpoint=t.name, measure="relative_bias")
    title = tr("positions.relative_bias")
    python = lines_of_relative_bias(t, _MAX_DISTANCE)
    with figure("relative_bias", tr, title=title, about=description, python=python) as fig:
        show_matrices([matrix], fig, key="positions.relative_bias")
    st.caption(tr("positions.relative_bias_note"))
    st.markdown(tr.section("positions", "contrast bias"))


def _relative_bias(t: TranslationModel) -> Array | None:
    """Return the bias of T5, (heads, distances from -max to max); None for other models."""
    return t.model.relative_bias(_MAX_DISTANCE) if isinstance(t.model, HubTransformer) else None


@fragment
def show_order(model: TranslationModel, tr: Translator) -> None:
    """Ask for two orders of the same words, and compare the encoder's outputs."""
    # 1. Ask for the two sentences
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    with left:
        first = type_text(tr("positions.first"), default=FIRST, key="positions.first")
    with right:
        second = type_text(tr("positions.second"), default=SECOND, key="positions.second")

    # 2. Encode both, without and with positions
    def compare() -> list[OrderExperiment]:
        return [
            compare_orders(model, first, second, positions=False),
            compare_orders(model, first, second, positions=True),
        ]

    try:
        read_within_limits(model, first, second)
        without, with_positions = remember("orders", (model.version, first, second), compare)
    except InputError as problem:
        st.html(alert(problem_sentence(problem, tr)))
    except ReorderError:
        st.html(alert(tr("positions.no_permutation")))
    else:
        # 3. Draw both with the same colour scale
        limit = max(float(without.distance.max()), float(with_positions.distance.max()))
        description = about_page(
            "positions", checkpoint=model.name, sentence=first, second_sentence=second
        )
        title = tr("positions.view_order")
        python = lines_of_two_orders(model, first, second, positions=True)
        with figure("word_order", tr, title=title, about=description, python=python) as fig:
            left, right = st.columns(2, gap="large")
            with left:
                _show_distances("without", without, limit, model.languages[0], fig, tr)
            with right:
                _show_distances("with", with_positions, limit, model.languages[0], fig, tr)
    st.markdown(tr.section("positions", "order"))


def _show_distances(
    name: str,
    experiment: OrderExperiment,
    limit: float,
    language: str | None,
    fig: Figure,
    tr: Translator,
) -> None:
    """Draw the distance between the outputs of every pair of tokens.

    Args:
        name: "with" or "without" positions.
        experiment: the distances, and the largest one after the second sentence is reordered.
        limit: the distance that has the strongest colour.
        language: of the tokens; None if it is not known.
        fig: the figure that the matrix is a part of.
        tr: the visitor's language.
    """
    largest = experiment.largest
    key = "same" if largest < _NEARLY_ZERO else "other"
    st.metric(tr(f"positions.{name}"), f"{largest:.2f}")
    says = tr(f"positions.{key}_outputs")
    tokens = display(experiment.first)
    if name == "without" and any(token.startswith(CONTINUES) for token in tokens):
        says = tr.join([says, tr("positions.joined")])
    st.markdown(says)
    matrix = Matrix(
        experiment.distance.numpy(),
        tr(f"positions.{name}"),
        tr("positions.distances"),
        Labels(tokens, display(experiment.second), (language, language)),
        limit=limit,
        frames=[*enumerate(experiment.places)],
    )
    show_matrices([matrix], fig, key=f"positions.distances_{name}")
