"""Decoding step by step: the candidates for each token, and where the decoder looked."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch

from model import Trace
from model.decoding.greedy import Hypothesis
from model.decoding.sampling import sample
from model.pictures.tokens import display, display_subword
from model.tokenizers.tokenizer import SPECIALS, is_special
from model.trace.next_tokens import next_tokens, perplexity, ranks
from model.transformer.heads import Kind
from ui.components.matrices import Matrix, show_matrices
from ui.explorer.drawn_target import look_inside
from ui.explorer.shown_map import ShownMap
from ui.export.figure import Figure, about, figure
from ui.export.tables import Labels, Table, map_table
from ui.frame.controls import slide, slide_and_play, type_number
from ui.server.page_slots import fragment
from ui.state.memory import remember
from ui.state.speed import note_of_translating
from ui.text.languages import sides, translation_or_note
from ui.text.markup import candidate_list, escape_markdown, gloss
from ui.text.numbers import decimals
from ui.text.translator import Translator

_N_CANDIDATES = 6
_ROW = 40  # pixels: on a phone the numbers in it are turned
_TOP_K_WIDTH = 115  # pixels, beside the temperature
_KINDS: tuple[Kind, Kind] = ("cross", "decoder_self")


@fragment
def show_steps(shown: ShownMap, tr: Translator) -> None:
    """Show a slider over the written tokens, and one step. Only this fragment is redrawn.

    Args:
        shown: the map that is chosen: its trace, its layer and its head.
        tr: the visitor's language.
    """
    # 1. Choose the step
    t = shown.model
    trace = shown.trace
    address = shown.address
    written = display(trace.next_tokens)
    step = _ask_step(written, _least_sure(trace), tr)

    # 2. Show the candidates, the attention of the decoder, and a sampled translation
    description = about(
        t,
        trace,
        attention=[*_KINDS],
        layer=address.layer,
        head=shown.head or "mean",
        measure=["probabilities", "weights"],
        decoding_step=step + 1,
    )
    title = tr("steps.title", n=step + 1, token=written[step])
    with figure("step", tr, title=title, about=description) as fig:
        candidates_column, rows_column = st.columns([2, 3], gap="large")
        with candidates_column:
            candidates_area = st.container()  # above the controls that change it
            with st.container(horizontal=True):
                temperature, top_k = _ask_sampling(t.tokenizer.vocab_size, tr)
            candidates = next_tokens(
                trace, t.tokenizer, step, k=_N_CANDIDATES, temperature=temperature, top_k=top_k
            )
            candidate_rows = [
                (display_subword(candidate.subword), candidate.probability, candidate.chosen)
                for candidate in candidates
            ]
            label = tr("steps.candidates", k=_N_CANDIDATES)
            candidates_area.html(candidate_list(candidate_rows, label=label, lang=t.languages[1]))
            st.caption(
                tr(
                    "steps.caption",
                    rank=ranks(trace)[step],
                    log_prob=decimals(trace.log_probs[step], 3),
                    perplexity=f"{perplexity(trace):.2f}",
                )
            )
        with rows_column:
            tables = _show_rows(shown, step, fig, tr)
            facts = _show_drawn(shown, temperature, top_k, tr)
        fig.about |= {"temperature": temperature, "top_k": top_k or "all", **facts}
        candidate_table = Table(("token", "probability", "written"), candidate_rows)
        fig.numbers(lambda: {"candidates": candidate_table, **tables})


def _least_sure(trace: Trace) -> int:
    """Return the step at which the model was least sure of the word that it wrote, from 0."""
    words = [n for n, token in enumerate(trace.next_tokens) if not is_special(token)]
    return min(words, key=lambda n: float(trace.log_probs[n]), default=0)


def _ask_step(written: Sequence[str], default: int, tr: Translator) -> int:
    """Show the slider over the written tokens.

    Args:
        written: the tokens as they are shown.
        default: the step at first, from 0.
        tr: the visitor's language.

    Returns:
        The chosen step, from 0.
    """
    # Do not format the end token's name as Markdown, because a screen reader would read it twice.
    names = [token if token in SPECIALS else escape_markdown(token) for token in written]
    return slide_and_play(
        tr("steps.slider"),
        range(len(written)),
        default=default,
        key=f"explorer.step.{len(written)}",
        tr=tr,
        format_func=lambda n: f"{n + 1} · {names[n]}",
    )


def _ask_sampling(vocab_size: int, tr: Translator) -> tuple[float, int | None]:
    """Ask for the temperature and for k, the number of candidate tokens; None means all."""
    temperature = slide(
        tr("steps.temperature"), 0.1, 2.0, default=1.0, step=0.1, key="explorer.temperature"
    )
    top_k = type_number(
        tr("steps.top_k"),
        0,
        vocab_size,
        default=0,
        help=tr("steps.top_k_help"),
        key="explorer.top_k",
        width=_TOP_K_WIDTH,
    )
    return temperature, top_k or None


def _show_drawn(
    shown: ShownMap, temperature: float, top_k: int | None, tr: Translator
) -> dict[str, object]:
    """Show a translation that is sampled token by token.

    Args:
        shown: its model and its source.
        temperature: divides the logits before each draw.
        top_k: how many of the most probable tokens are sampled from; None: all.
        tr: the visitor's language.

    Returns:
        The facts about it for the saved file.
    """
    seed = type_number(tr("steps.seed"), 0, 9999, default=0, key="explorer.seed", width=160)
    t = shown.model
    src_ids = tuple(token.id for token in shown.trace.src)

    def draw() -> Hypothesis:
        return sample(
            t.model,
            torch.tensor([src_ids], device=t.model.device),
            temperature=temperature,
            top_k=top_k,
            seed=seed,
            **t.tokenizer.special_ids,
        )

    # cached, so that moving the step slider does not sample again
    with note_of_translating(t, len(src_ids)):
        drawn = remember("drawn", (t.version, src_ids, temperature, top_k, seed), draw)
    text = t.decode(drawn)
    shown_text, language = translation_or_note(text, t.languages[1], tr)
    st.html(gloss(tr("steps.drawn"), shown_text, lang=language))
    st.caption(tr("steps.drawn_score", log_prob=decimals(drawn.log_prob)))
    st.button(
        tr("steps.look_inside"),
        on_click=look_inside,
        args=(t.version, shown.address.sentence, text, (t.tokenizer.bos_id, *drawn.ids)),
        disabled=not text.strip(),
        key="explorer.look_inside",
    )
    return {"seed": seed, "drawn": text, "drawn_log_prob": drawn.log_prob}


def _show_rows(shown: ShownMap, step: int, fig: Figure, tr: Translator) -> dict[str, Table]:
    """Show one row of cross- and self-attention; cells that the mask hides are hatched.

    Args:
        shown: its trace, its layer and its head, or the mean of the layer's heads.
        step: of the decoding, from 0.
        fig: the figure that the rows belong to.
        tr: the visitor's language.

    Returns:
        The rows as tables, by kind of attention.
    """
    layer, head = shown.address.layer_and_head
    heads = slice(None) if shown.head is None else [head]
    head_name = tr("view.mean") if shown.head is None else tr("grid.head_number", n=shown.head)
    caption = f"{tr('grid.layer_number', n=shown.address.layer)} · {head_name}"
    tables: dict[str, Table] = {}
    for kind in _KINDS:
        maps = shown.trace.attention(kind, rows="written")
        row = maps.weights[layer, heads, step].mean(axis=0)  # (S,)
        if kind == "decoder_self":
            row[step + 1 :] = np.nan
        query = display(maps.query_tokens)[step]
        labels = Labels([query], display(maps.key_tokens), sides(shown.model.languages, kind))
        matrix = Matrix(row[None], tr(f"attention.{kind}"), caption, labels, scale="weights")
        show_matrices([matrix], fig, key=f"steps.{kind}", lowest=_ROW)
        tables[kind] = map_table(row[None], labels)
    st.caption(tr("steps.hidden"))
    return tables
