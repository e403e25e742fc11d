"""Why this word and not that one: what raises a word of the translation over another."""

from collections.abc import Iterator, Sequence
from itertools import chain
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
from model.pictures.tokens import display, display_subword
from model.tokenizers.unknown import mostly_unknown
from model.trace.next_tokens import next_tokens
from model.trace.tracing import read_sentence
from model.transformer.heads import all_heads
from ui.components.matrices import Matrix, show_matrices
from ui.experiments.all_heads import ablate, matrix_of_heads, name_of, table_of_heads
from ui.experiments.logit_parts import show_logit_parts
from ui.export.figure import about, figure
from ui.export.tables import Labels, Table, numbered
from ui.frame.controls import choose, type_text
from ui.frame.page import in_words
from ui.server.work import AT_ONCE, show_work
from ui.state.limits import refuse_long, target_tokens
from ui.text.markup import alert, escape_markdown
from ui.text.numbers import signed
from ui.text.translator import Translator

_OFFERED = 5  # alternatives of the model's own


def show_contrast(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """A word, an alternative, and what is for the one and against the other."""
    word = _choose_word(trace, t, tr)
    try:
        contrast = _choose_rival(trace, t, word, tr)
    except InputError as problem:
        st.html(alert(in_words(problem, tr)))
        return
    except RivalError as problem:
        st.html(alert(tr(f"experiments.rival.{problem.reason}", word=_spelled(trace, t, word))))
        return
    _say(trace, t, contrast, tr)
    n_src, n_read = len(trace.src), contrast.step + 1
    n_heads, size = len(all_heads(t.config)), t.config.vocab_size

    def measure() -> Iterator[Array]:
        of_both = (read_without_each_token, read_without_each_head)
        return chain.from_iterable(contrast_without(each, t, trace, contrast) for each in of_both)

    without, exactly = st.columns(2, gap="large")
    with without:
        st.header(tr("experiments.without"), anchor=False)
        show_work(
            "experiments.contrast",
            (t.version, trace.source_text, trace.tgt_ids, contrast),
            measure,
            lambda parts: _show(np.concatenate(parts), trace, t, contrast, tr),
            tr,
            start=tr("experiments.measure_contrast", n=n_src + n_heads),
            total=n_batches(n_src, n_read, size) + n_batches(n_heads, n_read, size),
            small=(n_src + n_heads) * (n_src + n_read) <= AT_ONCE,
        )
    with exactly:
        show_logit_parts(trace, t, contrast, both_words(t, contrast), tr)


def _choose_word(trace: Trace, t: TranslationModel, tr: Translator) -> range:
    """A word of the translation; at first the one that the model was least sure of."""
    words = steps_of_words(t.tokenizer, trace)
    names = _told_apart([_spelled(trace, t, word) for word in words])
    unsure = min(range(len(words)), key=lambda n: trace.log_probs[words[n].start])
    chosen = choose(
        tr("experiments.word"),
        range(1, len(words) + 1),
        key="experiments.word",
        default=unsure + 1,
        format_func=lambda n: names[n - 1],
        wrap=True,
    )
    return words[chosen - 1]


def _choose_rival(trace: Trace, t: TranslationModel, word: range, tr: Translator) -> Contrast:
    """One of the model's own alternatives, or what the visitor types; InputError, RivalError."""
    best = next_tokens(trace, t.tokenizer, word.start, k=_OFFERED + 1)
    found = [candidate for candidate in best if not candidate.chosen][:_OFFERED]
    names = _told_apart([display_subword(candidate.subword) for candidate in found])
    own, typed = st.columns([3, 2], vertical_alignment="bottom")
    with own:
        rank = choose(
            tr("experiments.rival"),
            range(1, len(found) + 1),
            key="experiments.rival",
            default=1,
            format_func=lambda n: f"{names[n - 1]} · {100 * found[n - 1].probability:.2g}%",
            wrap=True,
        )
    with typed:
        text = type_text(
            tr("experiments.own_rival"),
            key="experiments.own_rival",
            default="",
            placeholder=tr("experiments.own_rival_placeholder"),
        )
    if not text.strip():
        return contrast_with(trace, word, [found[rank - 1].id])
    refuse_long(text)
    tokens = read_sentence(t.model, t.tokenizer, text, side="target", limit=target_tokens())
    if mostly_unknown(t.tokenizer, tokens, text):
        st.html(alert(tr("experiments.rival_unknown")))
    before = trace.tgt_ids[: word.start + 1]
    return contrast_with(trace, word, encode_after(t.tokenizer, before, text))


def _told_apart(names: Sequence[str]) -> list[str]:
    """As labels of a control, which knows its options by them: what comes again gets a number."""
    return [escape_markdown(f"{name} ({n + 1})" if n else name) for name, n in numbered(names)]


def _say(trace: Trace, t: TranslationModel, contrast: Contrast, tr: Translator) -> None:
    pair = both_words(t, contrast)
    log_prob = float(trace.log_probs[contrast.step])
    apart = difference(trace, contrast)
    before = t.tokenizer.decode(trace.tgt_ids[: contrast.step + 1])
    key = "compared_later" if contrast.shared else "compared"
    said = typed(**pair, before=before or trace.tgt_tokens[0])
    st.markdown(tr(f"experiments.{key}", **said))
    *places, last = st.columns(3)
    chances = (pair["word"], log_prob), (pair["rival"], log_prob - apart)
    for place, (token, value) in zip(places, chances, strict=True):
        place.metric(f"p({escape_markdown(token)})", f"{exp(value):.2g}")
    last.metric(tr("experiments.log_difference"), signed(apart))


def _show(
    found: Array, trace: Trace, t: TranslationModel, contrast: Contrast, tr: Translator
) -> None:
    tokens, heads = np.split(found, [len(trace.src)])
    pair = both_words(t, contrast)
    source, n = display(trace.src_tokens), t.config.n_heads
    places = all_heads(t.config)
    said = {"target_step": contrast.step + 1, "log_prob_difference": difference(trace, contrast)}
    what = about(t, trace, measure="contrast_change", **pair, **said)
    title = tr("experiments.title_contrast", **pair)
    with figure("contrast", tr, title=title, about=what) as fig:
        labels = Labels(columns=source, languages=(None, t.languages[0]))
        row = Matrix(tokens[None], tr("experiments.contrast_tokens"), labels=labels)
        show_matrices([row], fig, key="experiments.contrast_tokens")
        _say_strongest("token", tokens, source, pair, tr)
        show_matrices(
            [matrix_of_heads(heads, tr("experiments.contrast_heads"), t.config, tr)],
            fig,
            key="experiments.contrast_heads",
            on_pick=lambda _, i, j: ablate([places[i * n + j]], show="", mode="zero"),
        )
        names = [name_of(head, tr) for head in places]
        _say_strongest("head", heads, names, pair, tr)
        st.caption(tr("experiments.contrast_note", **typed(**pair)))
        fig.numbers(
            lambda: {
                "tokens": Table.of(token=source, change=tokens),
                "heads": table_of_heads(places, change=heads.tolist()),
            }
        )


def _say_strongest(
    kind: str, changes: Array, names: Sequence[str], pair: dict[str, str], tr: Translator
) -> None:
    strongest = int(changes.argmin())
    key = f"raises_{kind}" if changes[strongest] < 0 else f"raises_no_{kind}"
    said = typed(**pair, what=names[strongest])
    st.markdown(tr(f"experiments.{key}", change=signed(changes[strongest]), **said))


def typed(**names: str) -> dict[str, str]:
    """Texts of the model or the visitor, as they may stand in Markdown."""
    return {name: escape_markdown(text) for name, text in names.items()}


def both_words(t: TranslationModel, of: Contrast | Pair) -> dict[str, str]:
    """The ``word`` and its ``rival``, visible."""
    ids = {"word": of.word, "rival": of.rival}
    return {name: display_subword(t.tokenizer.subword(id)) for name, id in ids.items()}


def _spelled(trace: Trace, t: TranslationModel, word: range) -> str:
    """A word of the translation, whole; a special token by its name."""
    text = t.tokenizer.decode([trace.tgt_ids[step + 1] for step in word])
    return text.strip() or " ".join(display([trace.next_tokens[step] for step in word]))
