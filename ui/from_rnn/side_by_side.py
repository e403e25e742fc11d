"""One sentence, several models: translations, token probabilities and attention maps."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import streamlit as st

from model import CheckpointError, InputError, RecurrentTrace, Trace, TranslationModel
from model.arrays import Array
from model.checkpoint.architectures import TRANSFORMER
from model.heads.kinds import best_awo_head
from model.pictures.tokens import display
from ui.export.figure import About, Figure, figure
from ui.export.from_rnn_lines import lines_of_side_by_side
from ui.export.python_lines import PythonLines
from ui.export.tables import Labels, Table, map_table
from ui.frame.controls import choose_some
from ui.frame.head_kinds import read_analysis
from ui.frame.page import show_problems
from ui.frame.pickers import choose_named
from ui.frame.picture import show_heatmap
from ui.from_rnn.lineage import Checkpoints, ModelTrace, show_missing, trace_all
from ui.state.address import Address, one_based
from ui.state.models import open_model, trace_of
from ui.text.languages import translation_or_note
from ui.text.markup import alert, paragraph, subwords, translation
from ui.text.numbers import decimals
from ui.text.translator import Translator

# Relative widths of a model's column: with a map, its cells have room for numbers.
_WITHOUT_MAP = 4
_WITH_MAP = 7
ARCHS_AT_FIRST = ("seq2seq", "bahdanau", TRANSFORMER)


class AttentionMap(NamedTuple):
    """An attention map with one row for each decoding step, labelled with the token it writes."""

    weights: Array  # (T, S)
    row_tokens: Sequence[str]  # T tokens
    caption: str  # explains the rows and the weights
    # for saved files: that rows are tokens "written", then layer and head, if any
    rows_in_file: tuple[str | int, ...]
    python: str  # Python that computes the map from a ``trace``


def show_side_by_side(checkpoints: Checkpoints, address: Address, tr: Translator) -> None:
    """Show the models side by side, one column for each.

    Args:
        checkpoints: that can be compared.
        address: the sentence.
        tr: the visitor's language.
    """
    # 1. Ask for the models, the translation that they read, and the map of the Transformer
    show_missing(checkpoints, ARCHS_AT_FIRST, tr)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen_archs = choose_some(
            tr("from_rnn.models"),
            list(checkpoints),
            default=[arch for arch in checkpoints if arch in ARCHS_AT_FIRST],
            key="from_rnn.models",
            format_func=lambda arch: tr(f"from_rnn.arch.{arch}"),
            wrap=True,
        )
        is_shared = choose_named("from_rnn.target", ("own", "shared"), tr, wrap=True) == "shared"
        head = choose_named("from_rnn.head", ("best", "mean"), tr, wrap=True)

    # 2. Trace the sentence with each model
    target = _transformer_trace(checkpoints, address) if is_shared else None
    chosen = {arch: name for arch, name in checkpoints.items() if arch in chosen_archs}
    trace_of_arch = trace_all(chosen, address.sentence, tr, target=target)
    traces = {chosen[arch]: trace for arch, trace in trace_of_arch.items()}  # by checkpoint
    maps = {name: _attention_map(trace, head, tr) for name, trace in traces.items()}

    # 3. Show them
    if traces:
        title = tr("from_rnn.title_side")
        description = _description(traces, maps)
        python = _python(address.sentence, traces, maps, target)
        with figure("side_by_side", tr, title=title, about=description, python=python) as fig:
            last = [name for name in traces if maps[name] is not None][-1:]
            widths = [_WITHOUT_MAP if maps[name] is None else _WITH_MAP for name in traces]
            columns = st.columns(widths, gap="medium")
            for column, arch, name in zip(columns, trace_of_arch, traces, strict=True):
                with column:
                    st.header(tr(f"from_rnn.arch.{arch}"), anchor=False)
                    _show_model(name, traces[name], maps[name], fig, tr, scaled=[name] == last)
            fig.numbers(lambda: _tables(traces, maps))
    st.markdown(tr.section("from_rnn", "side"))


def _python(
    sentence: str,
    traces: Mapping[str, ModelTrace],
    maps: Mapping[str, AttentionMap | None],
    target: ModelTrace | None,
) -> PythonLines:
    """Return the lines of Python that compute the numbers of the figure.

    Args:
        sentence: as typed.
        traces: by checkpoint.
        maps: by checkpoint.
        target: the Transformer and the translation that all models read; None if each wrote its
            own.
    """
    targets: dict[str, str | Sequence[int]] = {}
    if target:
        targets = dict.fromkeys(traces, target.trace.target_text)
        targets[target.model.name] = target.trace.tgt_ids
    python_of_maps = {name: each.python if each else "None" for name, each in maps.items()}
    return lines_of_side_by_side(python_of_maps, sentence, targets=targets)


def _transformer_trace(checkpoints: Checkpoints, address: Address) -> ModelTrace | None:
    """Return the Transformer with its translation, which all models are to read.

    None if there is no Transformer, or if it cannot translate.
    """
    if TRANSFORMER in checkpoints:
        with suppress(InputError, CheckpointError):  # ``trace_all`` shows the problem
            model = open_model(checkpoints[TRANSFORMER])
            return ModelTrace(model, trace_of(model, address.sentence))
    return None


def _show_model(
    name: str,
    model_trace: ModelTrace,
    attention_map: AttentionMap | None,
    fig: Figure,
    tr: Translator,
    *,
    scaled: bool,
) -> None:
    """Show the column of one model.

    Args:
        name: of the checkpoint.
        model_trace: the model and its trace.
        attention_map: its map; None if it has no attention.
        fig: the figure that the column is a part of.
        tr: the visitor's language.
        scaled: whether its map has the colour scale, which is that of all maps.
    """
    # 1. Show the model and its translation
    model, trace = model_trace
    language = model.languages[1]
    facts = tr("from_rnn.facts", name=name, parameters=f"{model.n_parameters / 1e6:.1f}")
    st.html(paragraph(facts, kind="model"))
    text, text_language = translation_or_note(trace.target_text, language, tr)
    origin = tr(f"origin.{_target_origin(trace)}")
    st.html(translation(text, origin, lang=text_language))
    if trace.truncated:
        st.html(alert(tr("translation.truncated")))

    # 2. Show the attention at each step
    if attention_map is None:
        st.html(f'<p class="badge">{tr("from_rnn.no_map")}</p>')
    else:
        show_heatmap(
            attention_map.weights,
            fig,
            Labels(display(attention_map.row_tokens), display(trace.src_tokens)),
            weight_title=tr("map.weights"),
            key=f"from_rnn.map.{name}",
            about=f"{name}: {fig.title}",
            sums=False,  # all are 1, and their column would make the cells narrower
            scaled=scaled,
            low=True,
        )
        # not a caption, which a file would leave out: it says which head this is
        st.html(paragraph(attention_map.caption, kind="guide"))

    # 3. Show the probability of each token
    log_probs = trace.log_probs  # (T,)
    st.html(
        subwords(trace.next_tokens, log_probs.tolist(), label=tr("subwords.label"), lang=language)
    )
    total = decimals(log_probs.sum())
    mean = decimals(log_probs.mean())
    st.caption(tr("from_rnn.score", total=total, mean=mean))


def _target_origin(trace: Trace | RecurrentTrace) -> str:
    """Return the origin of the target. Here, a given target always comes from the Transformer."""
    return "transformer" if trace.target_origin == "given" else trace.target_origin


def _attention_map(model_trace: ModelTrace, head: str, tr: Translator) -> AttentionMap | None:
    """Return the attention map of a model; None if it has no attention.

    Args:
        model_trace: the model and its trace.
        head: of a Transformer: "best", the head that aligns the written word best if that was
            measured, or "mean", the mean of the last layer. Rows named by the word just read would
            not compare with those of a recurrent model.
        tr: the visitor's language.
    """
    # 1. For a recurrent model, return its attention
    model, trace = model_trace
    if isinstance(trace, RecurrentTrace):
        if trace.alignment is None:
            return None
        caption = tr("from_rnn.rows_written")
        return AttentionMap(
            trace.alignment, trace.next_tokens, caption, ("written",), "trace.alignment"
        )

    # 2. For a Transformer, return the attention of the head that aligns words best
    assert isinstance(model, TranslationModel)
    best = None
    if head == "best":
        with show_problems(tr):  # its analysis may be damaged
            best = best_awo_head(read_analysis(model))
    if best is not None:
        layer_and_head = one_based(*best)
        return AttentionMap(
            trace.cross[best],
            trace.next_tokens,
            tr("from_rnn.rows_head", **layer_and_head),
            ("written", layer_and_head["layer"], layer_and_head["head"]),
            f"trace.cross[{best[0]}, {best[1]}]",
        )

    # 3. Otherwise return the mean of its last layer
    n_layers, n_heads = trace.cross.shape[:2]
    return AttentionMap(
        np.ascontiguousarray(trace.cross[-1].mean(axis=0)),
        trace.next_tokens,
        tr("from_rnn.rows_mean", layer=n_layers, heads=n_heads),
        ("written", n_layers, "mean"),
        "trace.cross[-1].mean(axis=0)",
    )


def _description(
    traces: Mapping[str, ModelTrace], maps: Mapping[str, AttentionMap | None]
) -> About:
    """Return the description of the figure, from traces and maps by checkpoint."""
    first = next(iter(traces.values())).trace
    description: dict[str, object] = {
        "checkpoint": list(traces),
        "sentence": first.source_text,
        "target": [model_trace.trace.target_text for model_trace in traces.values()],
        "target_origin": _target_origin(first),
        "beam": first.beam,
        "measure": [*(["weights"] if any(maps.values()) else []), "token_probability"],
    }
    for name, attention_map in maps.items():
        if attention_map:
            description |= {"attention": "cross", "rows": "written"}
            has_head = len(attention_map.rows_in_file) > 1  # only the Transformer has heads
            if has_head:
                _, layer, head = attention_map.rows_in_file
                description |= {"layer": layer, "head": head}
            description[f"rows of {name}"] = list(attention_map.rows_in_file)
    return description


def _tables(
    traces: Mapping[str, ModelTrace], maps: Mapping[str, AttentionMap | None]
) -> dict[str, Table]:
    """Return two tables for each model: its tokens, and its map if it has one."""
    tables = {}
    for name, (_, trace) in traces.items():
        tables[f"{name} tokens"] = Table.of(
            written=display(trace.next_tokens), log_prob=trace.log_probs
        )
        attention_map = maps[name]
        if attention_map:
            labels = Labels(display(attention_map.row_tokens), display(trace.src_tokens))
            tables[f"{name} map"] = map_table(attention_map.weights, labels)
    return tables
