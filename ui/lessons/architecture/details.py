"""One box: what it does, what it has learned, and the numbers of the token that passes it."""

from dataclasses import replace

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.lessons.architecture import OUTPUT_BIAS, DiagramBox, WalkStep, mean_attention, numbers_at
from model.pictures.tokens import display, display_subword
from model.trace.next_tokens import next_tokens
from model.transformer.shapes import SHAPES, formula_of
from ui.frame.page import PAGES
from ui.text.markup import candidate_list, paragraph, shape, tensor
from ui.text.translator import Translator

_FIRST = 4  # numbers of a vector that are shown
_BEST, _LOOKS = 5, 3
_PAGES = {  # that know more about some boxes; about all others "norms"
    "explorer": ("tokens", "unembed", "next_token"),
    "qkv": ("self",),
    "masks": ("read", "masked_self", "cross", "memory"),
    "positions": ("embedding", "position"),
    "scaling": ("softmax",),
}
_WORDS = {"decoder.self": "masked_self", "decoder.tokens": "read"}


def word(part: DiagramBox) -> str:
    """The name under which the texts know a box.

    >>> word(DiagramBox("decoder", "self")), word(DiagramBox("encoder", "ffn_add"))
    ('masked_self', 'add')
    """
    if part.is_norm_or_sum:
        return part.kind.rpartition("_")[2]
    return "last_norm" if part.kind == "norm" else _WORDS.get(part.name, part.kind)


def page_of(part: DiagramBox) -> str:
    """The page about it, a key of ``PAGES``."""
    return next((page for page, words in _PAGES.items() if word(part) in words), "norms")


def show_details(
    part: DiagramBox, stop: WalkStep, trace: Trace, model: TranslationModel, tr: Translator
) -> None:
    """What is in one box: what it does in this model, what it has learned, its numbers."""
    name = tr(f"architecture.part_{word(part)}")
    heading = "block_place" if part.in_block else "place"
    place = tr(
        f"architecture.{heading}_{part.stack}", part=name, layer=stop.layer + 1, n=part.repeats
    )
    st.header(place, anchor=False)
    if part.kind == "embedding" and not model.config.scale_embedding:
        does = tr("architecture.about_plain_embedding")
    else:
        does = tr(f"architecture.about_{word(part)}", start=model.tokenizer.ends[0])
    st.markdown(f"{does} {_learned(part, model, tr)}")
    _show_token(part, stop, trace, model, tr)
    if part.records:
        rows = "".join(_tensor(record, stop, trace, model, tr) for record in part.records)
        st.html(f'<ul class="tensors">{rows}</ul>')
        st.caption(tr("architecture.numbers"))
    page = page_of(part)
    st.page_link(PAGES[page], label=tr("architecture.more", page=tr(f"page.{page}")))


def _learned(part: DiagramBox, model: TranslationModel, tr: Translator) -> str:
    """How many numbers, how they are counted, and their share of the model."""
    if part.shared_with:
        stack = part.shared_with.split(".")[0]
        shared = tr(f"architecture.learned_shared_{stack}", formula=part.formula)
        own = replace(part, shared_with="", formula=OUTPUT_BIAS)
        return f"{shared} {_learned(own, model, tr)}" if part.n_parameters else shared
    if not part.n_parameters:
        return tr("architecture.learned_nothing")
    total = part.n_parameters * part.repeats
    times = "repeated" if part.repeats > 1 else "once"
    return tr(
        f"architecture.learned_{times}",
        n=f"{part.n_parameters:,}",
        formula=part.formula,
        repeats=part.repeats,
        total=f"{total:,}",
        share=f"{100 * total / model.n_parameters:.1f}",
    )


def _show_token(
    part: DiagramBox, stop: WalkStep, trace: Trace, model: TranslationModel, tr: Translator
) -> None:
    """What can be said in tokens: their ids, where one looks, which could come next."""
    if part.kind in ("tokens", "embedding", "next_token"):
        token, id = token_of(part, stop, trace)
        size = f"{model.config.vocab_size:,}"
        text = tr("architecture.token", token=display_subword(token), id=id, size=size)
        st.html(paragraph(text, kind="formula"))
    if part.kind in ("self", "cross"):
        of_target = part.name == "decoder.self"
        keys = display(trace.tgt_tokens if of_target else trace.src_tokens)
        weights = mean_attention(trace, part, stop)
        best = np.argsort(-weights, kind="stable")[:_LOOKS]
        seen = [(keys[key], float(weights[key]), False) for key in best if weights[key] > 0]
        label = tr("architecture.looks_at")
        st.html(candidate_list(seen, label=label, lang=model.languages[of_target]))
    if part.kind in ("softmax", "next_token"):
        best_tokens = next_tokens(trace, model.tokenizer, stop.target, k=_BEST)
        shown = [(display_subword(c.subword), c.probability, c.chosen) for c in best_tokens]
        label = tr("architecture.candidates", k=_BEST)
        st.html(candidate_list(shown, label=label, lang=model.languages[1]))


def token_of(part: DiagramBox, stop: WalkStep, trace: Trace) -> tuple[str, int]:
    """What stands at one end of the machine, or at an embedding: a token and its id."""
    if part.stack == "encoder":
        token = trace.src[stop.source]
        return token.text, token.id
    if part.kind == "next_token":
        return trace.next_tokens[stop.target], trace.tgt_ids[stop.target + 1]
    return trace.tgt_tokens[stop.target], trace.tgt_ids[stop.target]


def _tensor(
    record: str, stop: WalkStep, trace: Trace, model: TranslationModel, tr: Translator
) -> str:
    """Shape and first numbers of one recorded tensor, and how long the token's vector is."""
    recorded, config = SHAPES[record], model.config
    sizes = {"B": 1, "S": len(trace.src), "T": len(trace.tgt_tokens)}
    sizes |= {"H": config.n_heads, "V": config.vocab_size}
    sizes |= {"d_model": config.d_model, "d_head": config.d_head, "d_ff": config.d_ff}
    vector = numbers_at(trace, record, stop)
    is_map = recorded.dims[-1] in ("S", "T")  # no vector, but one number for each key
    return tensor(
        shape(record.split(".")[-1], recorded.dims, sizes),
        meaning=f"{formula_of(record, config)}: {recorded.meaning}",
        numbers=["−∞" if number == -np.inf else f"{number:.2f}" for number in vector[:_FIRST]],
        length="" if is_map else tr("architecture.norm", n=f"{np.linalg.norm(vector):.1f}"),
    )
