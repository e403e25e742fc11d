"""The state of a recurrent model: its context vectors, what it forgets, and its gates."""

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from model import RecurrentTrace, RecurrentTranslationModel
from model.arrays import Array
from model.checkpoint.architectures import TRANSFORMER
from model.lessons.from_rnn import as_shares, influence_backwards, similarity_to_last
from model.pictures.tokens import display
from ui.charts.chart import Chart
from ui.charts.columns import columns
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, about_page, figure
from ui.export.from_rnn_lines import (
    lines_of_contexts,
    lines_of_forgetting,
    lines_of_gates,
    lines_of_units,
)
from ui.export.tables import Labels
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart
from ui.from_rnn.lineage import Checkpoints, show_missing, trace_all
from ui.server.work import show_work
from ui.state.address import Address
from ui.text.translator import Translator

# The influence of so few tokens is measured without a button, because it takes about a second.
TOKENS_WITHOUT_ASKING = 16
_MEMORY_ARCHS = ("seq2seq", "bahdanau")
_N_CONTEXT = 24  # numbers of a context vector that are drawn
_N_UNITS = 40  # units of a cell that are drawn: those that change most over the sentence
_ROW = 26  # pixels
_LOWEST_ROW = 20  # pixels: the names of the rows do not touch
_WIDEST_UNIT = 34  # pixels
_KEEPING_GATES = ("update", "forget")  # say what a cell keeps; the gate that is drawn at first
_SIGNED = ("candidate", "cell", "state")  # their values can be negative; all others are from 0 to 1
_UNBOUNDED = "cell"  # an LSTM's cell state has no limit; candidate and state lie in [-1, 1]

Recurrent = tuple[RecurrentTranslationModel, RecurrentTrace]


def show_memory(checkpoints: Checkpoints, address: Address, tr: Translator) -> None:
    """Show the context at every step, and the influence of every token on the last state.

    Args:
        checkpoints: that can be compared.
        address: the sentence.
        tr: the visitor's language.
    """
    # 1. Trace the sentence with both models
    show_missing(checkpoints, _MEMORY_ARCHS, tr)
    recurrent = {arch: checkpoints[arch] for arch in _MEMORY_ARCHS if arch in checkpoints}
    traces: dict[str, Recurrent] = {}
    for arch, (model, trace) in trace_all(recurrent, address.sentence, tr).items():
        if isinstance(model, RecurrentTranslationModel) and isinstance(trace, RecurrentTrace):
            traces[arch] = (model, trace)
    if not traces:
        return

    # 2. Draw the contexts of both
    st.header(tr("from_rnn.context"), anchor=False)
    st.caption(tr("from_rnn.context_note", n=_N_CONTEXT))
    description = about_page(
        "from_rnn",
        checkpoint=[checkpoints[arch] for arch in traces],
        sentence=address.sentence,
    )
    title = tr("from_rnn.context")
    names = [checkpoints[arch] for arch in traces]
    python = lines_of_contexts(names, address.sentence, n=_N_CONTEXT)
    with figure("context", tr, title=title, about=description, python=python) as fig:
        columns_of_page = st.columns(len(traces), gap="large")
        for column, (arch, (model, trace)) in zip(columns_of_page, traces.items(), strict=True):
            with column:
                _show_context(arch, model, trace, fig, tr)

    # 3. Draw how much of each token the last state of the first model keeps
    first_arch = next(iter(traces))
    st.header(tr("from_rnn.forgetting"), anchor=False)
    st.caption(tr("from_rnn.forgetting_note", name=tr(f"from_rnn.arch.{first_arch}")))
    _show_forgetting(checkpoints[first_arch], *traces[first_arch], tr)
    st.markdown(tr.section("from_rnn", "memory"))


def _show_context(
    arch: str,
    model: RecurrentTranslationModel,
    trace: RecurrentTrace,
    fig: Figure,
    tr: Translator,
) -> None:
    """Draw the first numbers of the context at every step of the decoder.

    Args:
        arch: the name of the architecture.
        model: the recurrent model.
        trace: the traced translation.
        fig: the figure that the picture belongs to.
    """
    context = trace.records["decoder.context"]  # (T, d_memory)
    n_steps, d_memory = context.shape
    matrix = Matrix(
        context[:, :_N_CONTEXT],
        tr(f"from_rnn.arch.{arch}"),
        tr("from_rnn.context_shape", tokens=n_steps, width=d_memory, n=min(d_memory, _N_CONTEXT)),
        Labels(display(trace.next_tokens), languages=(model.languages[1], None)),
        limit=1.0,
    )
    show_matrices([matrix], fig, key=f"from_rnn.context.{arch}", largest=24, lowest=_LOWEST_ROW)


def _show_forgetting(
    name: str, model: RecurrentTranslationModel, trace: RecurrentTrace, tr: Translator
) -> None:
    """Draw two measures of how much of each token the encoder's last state keeps.

    Args:
        name: of the checkpoint.
        model: the model.
        trace: of the sentence.
        tr: the visitor's language.
    """
    n = len(trace.src)
    # a state that points away from the last one counts as forgotten, like an unrelated one
    similarity = similarity_to_last(trace.states("forwards")).clip(0)  # (S,)

    def show(norms: Sequence[float]) -> None:
        """Draw the similarity, and the influence if it has been measured for all tokens.

        Args:
            norms: of the tokens measured so far, the last token of the sentence first.
        """
        shares = {tr("from_rnn.similarity"): similarity}
        python = None
        if len(norms) == n:  # all tokens have been measured
            python = lines_of_forgetting(name, trace.source_text)
            shares = {tr("from_rnn.influence"): as_shares(norms), **shares}
        chart = _share_columns(shares, display(trace.src_tokens), tr)
        description = about_page("from_rnn", checkpoint=name, sentence=trace.source_text)
        title = tr("from_rnn.forgetting")
        with figure("forgetting", tr, title=title, about=description, python=python) as fig:
            show_chart(chart, fig, key="from_rnn.forgetting")

    show_work(
        "from_rnn.measure",
        (model.version, trace.source_text),
        lambda: influence_backwards(model, trace),
        show,
        tr,
        start=tr("from_rnn.measure", n=n),
        total=n,
        seconds=0.0 if n <= TOKENS_WITHOUT_ASKING else None,
        draws_while_running=True,
    )


def _share_columns(shares: Mapping[str, Array], tokens: Sequence[str], tr: Translator) -> Chart:
    """Draw shares from 0 to 1 over the tokens; ``shares`` maps names to (S,) numbers."""
    return columns(
        shares,
        labels=tokens,
        label_title=tr("from_rnn.token"),
        value_title=tr("from_rnn.share"),
    )


def show_gates(checkpoints: Checkpoints, address: Address, tr: Translator) -> None:
    """Show the values of one gate in a cell over the sentence, and the mean of every gate.

    Args:
        checkpoints: that can be compared.
        address: the sentence.
        tr: the visitor's language.
    """
    archs = [arch for arch in checkpoints if arch != TRANSFORMER]
    if not archs:
        show_missing(checkpoints, ("seq2seq",), tr)
        return

    # 1. Ask for the model, its cell and the gate
    with st.container(horizontal=True, vertical_alignment="bottom"):
        arch = choose_named("from_rnn.arch", archs, tr, key="from_rnn.model", wrap=True)
        traces = trace_all({arch: checkpoints[arch]}, address.sentence, tr)
        if arch not in traces:
            return
        model, trace = traces[arch]
        if not isinstance(trace, RecurrentTrace):
            return
        cell = choose_named(
            "from_rnn.part", trace.cells, tr, key=f"from_rnn.part.{arch}", wrap=True
        )
        gates = {**trace.gates(cell), "state": trace.states(cell)}  # each (tokens, units)
        keeping_first = sorted(gates, key=lambda name: name not in _KEEPING_GATES)
        gate = choose_named(
            "from_rnn.gate", keeping_first, tr, key=f"from_rnn.gate.{arch}", wrap=True
        )

    # 2. Draw the units of this gate with the largest changes
    is_decoder = cell == "decoder"
    tokens = display(trace.tgt_tokens if is_decoder else trace.src_tokens)
    language = model.languages[1] if is_decoder else model.languages[0]
    units = gates[gate]
    n_shown = min(_N_UNITS, units.shape[1])
    most_changing = np.argsort(-units.std(axis=0), kind="stable")[:n_shown]
    is_signed = gate in _SIGNED
    matrix = Matrix(
        units[:, most_changing],
        tr(f"from_rnn.gate.{gate}"),
        _about_units(gate, units, tokens, n_shown, tr),
        Labels(tokens, [str(unit + 1) for unit in most_changing], (language, None)),
        scale="signed" if is_signed else "weights",
        limit=1.0 if is_signed and gate != _UNBOUNDED else None,
        scaled=True,
        pattern=True,  # the number of a unit says nothing to a reader
    )
    description = about_page(
        "from_rnn", checkpoint=checkpoints[arch], sentence=address.sentence, cell=cell
    )
    title = tr("from_rnn.view_gates")
    of_gate = {**description, "gate": gate}
    python = lines_of_units(model.name, address.sentence, cell=cell, gate=gate, n=n_shown)
    with figure("units", tr, title=title, about=of_gate, python=python) as fig:
        show_matrices(
            [matrix],
            fig,
            key="from_rnn.units",
            largest=_ROW,
            widest=_WIDEST_UNIT,
            lowest=_LOWEST_ROW,
        )

    # 3. Draw the mean of every gate
    from_0_to_1 = [name for name in gates if name not in _SIGNED]
    if from_0_to_1:
        means = {tr(f"from_rnn.gate.{name}"): gates[name].mean(axis=1) for name in from_0_to_1}
        python = lines_of_gates(model.name, address.sentence, cell=cell, gates=from_0_to_1)
        st.header(tr("from_rnn.mean"), anchor=False)
        title = tr("from_rnn.mean")
        with figure("gates", tr, title=title, about=description, python=python) as fig:
            show_chart(_share_columns(means, tokens, tr), fig, key="from_rnn.gates")
    st.markdown(tr.section("from_rnn", "gates"))


def _about_units(
    gate: str, units: Array, tokens: Sequence[str], n_shown: int, tr: Translator
) -> str:
    """Return what a gate means, where it is highest and lowest, and how many units are drawn.

    Args:
        gate: its name.
        units: (T, units), its values.
        tokens: T visible tokens.
        n_shown: number of drawn units.
        tr: the visitor's language.
    """
    meaning = tr(f"from_rnn.meaning.{gate}")
    drawn = tr("from_rnn.units", n=n_shown, of=units.shape[1])
    if gate in _SIGNED:
        return tr("from_rnn.about_units", meaning=meaning, drawn=drawn)
    means = units.mean(axis=1)  # (T,)
    highest = int(means.argmax())
    lowest = int(means.argmin())
    return tr(
        "from_rnn.about_gate",
        meaning=meaning,
        drawn=drawn,
        most=tokens[highest],
        high=f"{means[highest]:.2f}",
        least=tokens[lowest],
        low=f"{means[lowest]:.2f}",
    )
