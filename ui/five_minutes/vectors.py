"""Step 5: query, key and value, shown on the class's own sentence."""

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.lessons.qkv.walkthrough import attention_of, walk
from model.maps.measures import clearest_row, is_special_or_punctuation
from model.pictures.tokens import display
from model.translation_model import require_paper
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about, figure
from ui.export.python_lines import lines_of_attention
from ui.export.tables import Labels
from ui.five_minutes.stage import Stage, show_note
from ui.frame.all_heads import name_of
from ui.frame.controls import slide_along
from ui.frame.head_kinds import best_aligning_head
from ui.state.memory import remember
from ui.state.models import PageRun, trace_of
from ui.state.presenting import is_presenting
from ui.text.languages import sides
from ui.text.numbers import percent
from ui.text.translator import Translator

_MAX_KEYS = 4  # keys that are drawn; more rows would not fit on the screen of a telephone
_ROW = 32  # pixels: height of a row where matrices are side by side
_PRESENTED_ROW = 48  # pixels, on a projector, whose height would be half empty
_WIDEST_CELL = 26  # pixels: two matrices of 32 columns fill a screen of 1920 pixels
_Results = dict[str, np.ndarray]


def show_vectors(stage: Stage, run: PageRun, tr: Translator) -> None:
    """Let the visitor choose a target word, and show the calculation with its query.

    Args:
        stage: the screen.
        run: the model and the sentence.
        tr: the visitor's language.
    """
    # 1. Compute the best-aligning head's attention for the class's sentence
    t = run.model
    trace = trace_of(t, run.address.sentence)
    best = best_aligning_head(t)
    layer, head = best or (t.config.n_layers - 1, 0)
    results = _results(t, trace, layer, head)
    keys = display(trace.src_tokens)
    queries = display(trace.tgt_tokens)

    # 2. The control
    words = [n for n, token in enumerate(trace.tgt_tokens) if not is_special_or_punctuation(token)]
    options = words or [*range(len(queries))]
    clearest, _ = clearest_row(results["weights"], trace.tgt_tokens, trace.src_tokens)
    with stage.control:
        row = slide_along(
            tr("five_minutes.vectors.word"),
            options,
            key="five_minutes.word",
            default=clearest if clearest in options else options[0],
            format_func=lambda n: f"{n} {queries[n]}",  # the number distinguishes equal words
        )

    # 3. The claim
    weights = results["weights"][row]  # (S,)
    strongest = int(weights.argmax())
    stage.say(
        tr(
            "five_minutes.vectors.claim",
            query=queries[row],
            best=keys[strongest],
            percent=percent(float(weights[strongest])),
        )
    )

    # 4. The picture: the query above the keys, the result above the values
    numbers = {"layer": layer + 1, "head": head + 1}
    title = tr("map.title_head", attention=tr("attention.cross"), **numbers)
    query_language, key_language = sides(t.languages, "cross")
    shown = np.sort(np.argsort(-weights, kind="stable")[:_MAX_KEYS])
    rows = Labels([keys[n] for n in shown], languages=(key_language, None))
    of_query = Labels([queries[row]], languages=(query_language, None))
    query = Matrix(results["q"][row, None], tr("five_minutes.query"), labels=of_query, role="query")
    key = Matrix(results["k"][shown], tr("five_minutes.keys"), labels=rows, role="key")
    weight = Matrix(
        weights[shown, None], tr("five_minutes.weight"), labels=rows, scale="weights", role="weight"
    )
    value = Matrix(results["v"][shown], tr("five_minutes.value"), labels=rows, role="value")
    mixed = Matrix(results["head_out"][row, None], tr("five_minutes.mixed"), labels=of_query)
    description = about(
        t, trace, attention="cross", measure="weights", query=queries[row], **numbers
    )
    row_height = _PRESENTED_ROW if is_presenting() else _ROW
    python = lines_of_attention(t, trace, kind="cross", layer=layer, head=head)
    with (
        stage.picture,
        figure("vectors", tr, title=title, about=description, python=python) as fig,
    ):
        show_matrices(
            [query, mixed],
            fig,
            operators=[""],
            key="five_minutes.query",
            largest=row_height,
            widest=_WIDEST_CELL,
            lowest=row_height,
        )
        show_matrices(
            [key, weight, value],
            fig,
            operators=["→", "·"],
            key="five_minutes.keys",
            largest=row_height,
            widest=_WIDEST_CELL,
            lowest=row_height,
        )
    with stage.picture, st.container(key="five_minutes-scale"):
        scale = tr("five_minutes.vectors.scale", n=results["q"].shape[1])
        of_head = tr("five_minutes.vectors.head", head=name_of(("cross", layer, head), tr))
        show_note(tr.join([scale, of_head]))


def _results(t: TranslationModel, trace: Trace, layer: int, head: int) -> _Results:
    """Return q (T, d_head), k and v (S, d_head), weights (T, S) and head_out (T, d_head).

    Args:
        t: the model and its tokenizer.
        trace: the traced translation.
        layer: from 0.
        head: from 0.
    """
    key = (t.version, trace.source_text, trace.tgt_ids, "cross", layer)
    results = remember(
        "walks", key, lambda: walk(attention_of(require_paper(t), trace, "cross", layer))
    )
    names = ("q", "k", "v", "weights", "head_out")
    return {name: results[name][0, head].numpy() for name in names}
