"""Compare a word with an alternative: which tokens and heads make the word more probable?"""

from collections.abc import Iterator, Sequence
from math import exp

import numpy as np
import streamlit as st

from model import InputError, Trace, TranslationModel
from model.arrays import Array
from model.interventions.contrast import (
    Contrast,
    RivalError,
    contrast_with,
    contrast_without,
    difference,
    encode_after,
    steps_of_words,
)
from model.interventions.effect import n_batches
from model.interventions.leave_one_out import read_without_each_head, read_without_each_token
from model.interventions.patching import Pair
from model.maps.measures import is_special_or_punctuation
from model.pictures.tokens import display, display_subword
from model.tokenizers.unknown import is_mostly_unknown
from model.trace.next_tokens import next_tokens
from model.trace.tracing import read_sentence
from model.transformer.heads import all_heads
from ui.components.matrices import Matrix, show_matrices
from ui.experiments.logit_parts import show_logit_parts
from ui.export.figure import about, figure
from ui.export.tables import Labels, Table, numbered
from ui.frame.all_heads import ablate, matrix_of_heads, name_of, table_of_heads
from ui.frame.controls import choose, type_text
from ui.frame.page import problem_sentence
from ui.server.work import show_work
from ui.state.limits import refuse_long, target_tokens
from ui.state.presenting import is_presenting
from ui.state.speed import seconds_to_read
from ui.text.markup import alert, escape_markdown
from ui.text.numbers import signed
from ui.text.translator import Translator

_N_RIVALS = 5  # number of the model's own alternatives to choose from
_OWN_RIVAL_WIDTH = 130  # pixels
_ROW = 24  # pixels: so low that all heads of a model with four layers fit on one screen
_PRESENTED_ROW = 38  # pixels: on a projector the heads are between the title and the tokens
_WIDEST_CELL = 60  # pixels
_TOKEN_ROW = 44  # pixels
_WIDEST_TOKEN = 110  # pixels: on a projector a short sentence has the width of the screen


def show_contrast(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """Let the visitor choose a word and a rival; show which tokens and heads support each.

    Args:
        trace: of the sentence and its translation.
        t: the model.
        tr: the visitor's language.
    """
    # 1. Choose the word and its rival, in one line if there is room.
    choices = st.container(horizontal=True, vertical_alignment="bottom")
    with choices:
        word = _choose_word(trace, t, tr)
    try:
        with choices:
            contrast = _choose_rival(trace, t, word, tr)
    except InputError as problem:
        st.html(alert(problem_sentence(problem, tr)))
        return
    except RivalError as problem:
        st.html(alert(tr(f"experiments.rival.{problem.reason}", word=_spelled(trace, t, word))))
        return
    _show_probabilities(trace, t, contrast, tr)

    # 2. Measure the change without each single token or head. Show the exact sum over all
    # components.
    n_src = len(trace.src)
    n_read = contrast.step + 1  # target tokens
    n_heads = len(all_heads(t.config))
    vocab_size = t.config.vocab_size

    def measure() -> Iterator[Array]:
        yield from contrast_without(read_without_each_token, t, trace, contrast)
        yield from contrast_without(read_without_each_head, t, trace, contrast)

    show_work(
        "experiments.contrast",
        (t.version, trace.source_text, trace.tgt_ids, contrast),
        measure,
        lambda parts: _show(np.concatenate(parts), trace, t, contrast, tr),
        tr,
        start=tr("experiments.measure_contrast", n=n_src + n_heads),
        total=n_batches(n_src, n_read, vocab_size) + n_batches(n_heads, n_read, vocab_size),
        seconds=seconds_to_read(t, (n_src + n_heads) * (n_src + n_read)),
    )
    with st.container(key="experiments-exact_sum"):
        show_logit_parts(trace, t, contrast, both_words(t, contrast), tr)


def _choose_word(trace: Trace, t: TranslationModel, tr: Translator) -> range:
    """Ask for a word of the translation; return the steps that write it, from 0.

    By default it is the word whose first token is least probable. The end of the sentence and
    punctuation are poor examples.
    """
    words = steps_of_words(t.tokenizer, trace)
    texts = [_spelled(trace, t, word) for word in words]
    labels = _unique_labels(texts)
    letters = [n for n in range(len(words)) if not is_special_or_punctuation(texts[n])]
    unsure = min(letters or range(len(words)), key=lambda n: trace.log_probs[words[n].start])
    with st.container(key="slide-control", horizontal=True, width="content"):
        chosen = choose(
            tr("experiments.word"),
            range(1, len(words) + 1),
            key="experiments.word",
            default=unsure + 1,
            format_func=lambda n: labels[n - 1],
            wrap=True,
        )
    return words[chosen - 1]


def _choose_rival(trace: Trace, t: TranslationModel, word: range, tr: Translator) -> Contrast:
    """Ask for the rival: an alternative of the model, or a text that the visitor types.

    The result contrasts it with the word.

    Args:
        trace: the traced translation.
        t: the model and its tokenizer.
        word: the steps that write the word, from 0.

    Raises:
        InputError: the typed text cannot be read.
        RivalError: the rival cannot be compared with the word.
    """
    best = next_tokens(trace, t.tokenizer, word.start, k=_N_RIVALS + 1)
    rivals = [candidate for candidate in best if not candidate.chosen][:_N_RIVALS]
    texts = [display_subword(rival.subword) for rival in rivals]
    labels = _unique_labels(texts)
    letters = [n for n, text in enumerate(texts, 1) if not is_special_or_punctuation(text)]
    rank = choose(
        tr("experiments.rival"),
        range(1, len(rivals) + 1),
        key="experiments.rival",
        default=letters[0] if letters else 1,
        format_func=lambda n: f"{labels[n - 1]} · {100 * rivals[n - 1].probability:.2g}%",
        wrap=True,
    )
    with st.container(width=_OWN_RIVAL_WIDTH):
        text = type_text(
            tr("experiments.own_rival"),
            key="experiments.own_rival",
            default="",
            placeholder=tr("experiments.own_rival_placeholder"),
            label_visibility="collapsed",
        )
    if not text.strip():
        return contrast_with(trace, word, [rivals[rank - 1].id])
    refuse_long(text)
    tokens = read_sentence(t.model, t.tokenizer, text, side="target", limit=target_tokens())
    if is_mostly_unknown(t.tokenizer, tokens, text):
        st.html(alert(tr("experiments.rival_unknown")))
    before = trace.tgt_ids[: word.start + 1]
    return contrast_with(trace, word, encode_after(t.tokenizer, before, text))


def _unique_labels(names: Sequence[str]) -> list[str]:
    """Return names as options of a control: repeated names are numbered, Markdown is escaped."""
    return [escape_markdown(f"{name} ({n + 1})" if n else name) for name, n in numbered(names)]


def _show_probabilities(
    trace: Trace, t: TranslationModel, contrast: Contrast, tr: Translator
) -> None:
    """Show the probabilities of the word and its rival, and the difference of their logarithms.

    Args:
        trace: the traced translation.
        t: the model and its tokenizer.
        contrast: the word and its rival.
    """
    words = both_words(t, contrast)
    log_prob = float(trace.log_probs[contrast.step])
    log_difference = difference(trace, contrast)
    before = t.tokenizer.decode(trace.tgt_ids[: contrast.step + 1])
    key = "compared_later" if contrast.shared else "compared"
    texts = escaped(**words, before=before or trace.tgt_tokens[0])
    numbers = {
        f"p({texts['word']})": f"{exp(log_prob):.2g}",
        f"p({texts['rival']})": f"{exp(log_prob - log_difference):.2g}",
        tr("experiments.log_difference"): signed(log_difference),
    }
    with st.container(
        key="experiments-odds", horizontal=True, vertical_alignment="center", gap="medium"
    ):
        st.markdown(tr(f"experiments.{key}", **texts), width="content")
        for label, number in numbers.items():
            st.metric(label, number, width="content")


def _show(
    changes: Array, trace: Trace, t: TranslationModel, contrast: Contrast, tr: Translator
) -> None:
    """Show how the difference changes when a source token or a head is left out.

    Args:
        changes: (S + heads,) nats, the change of the difference without each token, then without
            each head.
        trace: the traced translation.
        t: the model and its tokenizer.
        contrast: the word and its rival.
    """
    of_tokens, of_heads = np.split(changes, [len(trace.src)])
    words = both_words(t, contrast)
    source = display(trace.src_tokens)
    heads = all_heads(t.config)

    def click(_: int, row: int, column: int) -> None:
        """Open the ablation view with this head switched off.

        Args:
            _: number of the matrix; there is only one.
            row: row of the clicked cell, from 0.
            column: its column, from 0.
        """
        head = heads[row * t.config.n_heads + column]
        ablate([head], show="", mode="zero")

    description = about(
        t,
        trace,
        measure="contrast_change",
        **words,
        target_step=contrast.step + 1,
        log_prob_difference=difference(trace, contrast),
    )
    title = tr("experiments.title_contrast", **words)
    with figure("contrast", tr, title=title, about=description) as fig:
        tokens_column, heads_column = st.columns(2, gap="large")
        with tokens_column:
            names = [name_of(head, tr) for head in heads]
            strongest_token = _strongest("token", of_tokens, source, words, tr)
            strongest_head = _strongest("head", of_heads, names, words, tr)
            st.markdown(tr.join([strongest_token, strongest_head]))
            labels = Labels(columns=source, languages=(None, t.languages[0]))
            title_of_tokens = tr("experiments.contrast_tokens", word=words["word"])
            row = Matrix(of_tokens[None], title_of_tokens, labels=labels)
            show_matrices(
                [row],
                fig,
                key="experiments.contrast_tokens",
                largest=_TOKEN_ROW,
                widest=_WIDEST_TOKEN,
                lowest=_TOKEN_ROW,  # on a phone the numbers are turned
            )
        with heads_column:
            title_of_heads = tr("experiments.contrast_heads", word=words["word"])
            matrix = matrix_of_heads(of_heads, title_of_heads, t.config, tr)
            show_matrices(
                [matrix],
                fig,
                key="experiments.contrast_heads",
                on_click=click,
                largest=_PRESENTED_ROW if is_presenting() else _ROW,
                widest=_WIDEST_CELL,
            )
        st.caption(tr("experiments.contrast_note", **escaped(**words)))
        fig.numbers(
            lambda: {
                "tokens": Table.of(token=source, change=of_tokens),
                "heads": table_of_heads(heads, change=of_heads.tolist()),
            }
        )


def _strongest(
    kind: str, changes: Array, names: Sequence[str], words: dict[str, str], tr: Translator
) -> str:
    """Return a sentence that says which token or head supports the word most.

    Args:
        kind: "token" or "head", as in the keys of the texts.
        changes: nats, negative where leaving it out makes the word less probable.
        names: the tokens or heads, one for each change.
        words: the word and its rival, for the texts.
    """
    strongest = int(changes.argmin())
    key = f"raises_{kind}" if changes[strongest] < 0 else f"raises_no_{kind}"
    texts = escaped(**words, what=names[strongest])
    return tr(f"experiments.{key}", change=signed(changes[strongest]), **texts)


def escaped(**texts: str) -> dict[str, str]:
    """Escape texts of the model or the visitor for Markdown."""
    return {name: escape_markdown(text) for name, text in texts.items()}


def both_words(t: TranslationModel, pair: Contrast | Pair) -> dict[str, str]:
    """Return the display texts of the ``word`` and its ``rival``."""
    return {
        "word": display_subword(t.tokenizer.subword(pair.word)),
        "rival": display_subword(t.tokenizer.subword(pair.rival)),
    }


def _spelled(trace: Trace, t: TranslationModel, word: range) -> str:
    """Return the display text of a target word; for a special token, its name.

    Args:
        trace: the traced translation.
        t: the model and its tokenizer.
        word: the steps that write the word, from 0.
    """
    text = t.tokenizer.decode([trace.tgt_ids[step + 1] for step in word])
    return text.strip() or " ".join(display([trace.next_tokens[step] for step in word]))
