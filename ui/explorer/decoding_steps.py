"""The decoding, one token at a time: what could have come next, and where the decoder looked."""

import numpy as np
import streamlit as st
import torch

from model.decoding.greedy import Hypothesis
from model.decoding.sampling import sample
from model.pictures.tokens import display, display_subword
from model.tokenizers.tokenizer import SPECIALS
from model.trace.next_tokens import next_tokens, perplexity, ranks
from model.transformer.heads import Kind
from ui.components.matrices import Matrix, show_matrices
from ui.explorer.translation import look_inside
from ui.explorer.view import ExplorerView
from ui.export.figure import Figure, about, figure
from ui.export.tables import Labels, Table, map_table
from ui.frame.controls import slide, slide_and_play, type_number
from ui.server.page_slots import fragment
from ui.state.memory import remember
from ui.text.languages import sides
from ui.text.markup import candidate_list, escape_markdown, gloss
from ui.text.numbers import decimals
from ui.text.translator import Translator

_COUNT = 10
_KINDS: tuple[Kind, Kind] = ("cross", "decoder_self")


@fragment
def show_steps(view: ExplorerView, tr: Translator) -> None:
    """A slider over the written tokens, to play too; only this part of the page is drawn again."""
    t, trace, address = view.model, view.trace, view.address
    written = display(trace.next_tokens)
    # The end is no Markdown, and a screen reader would read its signs twice.
    names = [token if token in SPECIALS else escape_markdown(token) for token in written]
    step = slide_and_play(
        tr("steps.slider"),
        range(len(written)),
        default=0,
        key=f"explorer.step.{len(written)}",
        tr=tr,
        format_func=lambda n: f"{n + 1} · {names[n]}",
    )
    st.caption(
        tr(
            "steps.caption",
            rank=ranks(trace)[step],
            log_prob=decimals(trace.log_probs[step], 3),
            perplexity=f"{perplexity(trace):.2f}",
        )
    )
    what = about(
        t,
        trace,
        attention=[*_KINDS],
        layer=address.layer,
        head=view.head or "mean",
        measure=["probabilities", "weights"],
        decoding_step=step + 1,
    )
    title = tr("steps.title", n=step + 1, token=written[step])
    with figure("step", tr, title=title, about=what) as fig:
        likely, looked = st.columns([2, 3], gap="large")
        with likely:
            temperature = slide(
                tr("steps.temperature"), 0.1, 2.0, default=1.0, step=0.1, key="explorer.temperature"
            )
            label, why = tr("steps.top_k"), tr("steps.top_k_help")
            top_k = type_number(
                label, 0, t.tokenizer.vocab_size, default=0, help=why, key="explorer.top_k"
            )
            most = top_k or None  # None keeps all tokens
            found = next_tokens(
                trace, t.tokenizer, step, k=_COUNT, temperature=temperature, top_k=most
            )
            rows = [(display_subword(c.subword), c.probability, c.chosen) for c in found]
            label = tr("steps.candidates", k=_COUNT)
            st.html(candidate_list(rows, label=label, lang=t.languages[1]))
        with looked:
            tables = _show_rows(view, step, fig, tr)
            drawn = _show_drawn(view, temperature, most, tr)
        fig.about |= {"temperature": temperature, "top_k": top_k or "all", **drawn}
        likeliest = Table(("token", "probability", "written"), rows)
        fig.numbers(lambda: {"candidates": likeliest, **tables})


def _show_drawn(
    view: ExplorerView, temperature: float, top_k: int | None, tr: Translator
) -> dict[str, object]:
    """A translation drawn token by token from such distributions; returns what is said of it."""
    seed = type_number(tr("steps.seed"), 0, 9999, default=0, key="explorer.seed", width=160)
    t, ids = view.model, tuple(token.id for token in view.trace.src)

    def draw() -> Hypothesis:
        src, special = torch.tensor([ids]), t.tokenizer.special_ids
        return sample(t.model, src, temperature=temperature, top_k=top_k, seed=seed, **special)

    # from memory while only the step slider moves
    drawn = remember("drawn", (t.version, ids, temperature, top_k, seed), draw)
    text = t.decode(drawn)
    st.html(gloss(tr("steps.drawn"), text or tr("translation.empty"), lang=t.languages[1]))
    st.caption(tr("steps.drawn_score", log_prob=decimals(drawn.log_prob)))
    st.button(
        tr("steps.look_inside"),
        on_click=look_inside,
        args=((t.version, view.address.sentence), text, (t.tokenizer.bos_id, *drawn.ids)),
        disabled=not text.strip(),
        key="explorer.look_inside",
    )
    return {"seed": seed, "drawn": text, "drawn_log_prob": drawn.log_prob}


def _show_rows(view: ExplorerView, step: int, fig: Figure, tr: Translator) -> dict[str, Table]:
    """The cross- and self-attention rows of one step, by kind; what the mask hides is hatched."""
    layer, number = view.address.place
    heads = slice(None) if view.head is None else [number]
    which = tr("view.mean") if view.head is None else tr("grid.head_number", n=view.head)
    caption = f"{tr('grid.layer_number', n=view.address.layer)} · {which}"
    tables: dict[str, Table] = {}
    for kind in _KINDS:
        maps = view.trace.attention(kind, rows="written")
        row = maps.weights[layer, heads, step].mean(axis=0)
        if kind == "decoder_self":
            row[step + 1 :] = np.nan
        written, keys = [display(maps.query_tokens)[step]], display(maps.key_tokens)
        labels = Labels(written, keys, sides(view.model.languages, kind))
        matrix = Matrix(row[None], tr(f"attention.{kind}"), caption, labels, scale="weights")
        show_matrices([matrix], fig, key=f"steps.{kind}")
        tables[kind] = map_table(row[None], labels)
    st.caption(tr("steps.hidden"))
    return tables
