"""The details of one box: its task, its learned parameters, and a token's values in it."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.lessons.architecture import DiagramBox, WalkStep, mean_attention, numbers_at
from model.pictures.tokens import display, display_subword
from model.trace.next_tokens import next_tokens
from model.transformer.shapes import SHAPES, formula_of
from model.translation_model import require_paper
from ui.frame.page import PAGES
from ui.text.markup import candidate_list, paragraph, shape, tensor
from ui.text.numbers import decimals
from ui.text.translator import Translator

_N_NUMBERS = 4  # numbers of a vector that are shown
_N_CANDIDATES = 5  # number of candidates for the next token
_N_KEYS = 3  # number of keys shown: those with the largest weights
_PAGES = {  # page -> the boxes that it explains, by ``text_key``; "norms" explains all others
    "explorer": ("tokens", "unembed", "next_token"),
    "qkv": ("self",),
    "masks": ("read", "masked_self", "cross", "memory"),
    "positions": ("embedding", "position"),
    "scaling": ("softmax",),
}
# Boxes of the decoder whose texts differ from those of the encoder's box -> their text key.
_DECODER_KEYS = {"decoder.self": "masked_self", "decoder.tokens": "read"}


def text_key(box: DiagramBox) -> str:
    """Return the key of the texts that describe a box.

    >>> text_key(DiagramBox("decoder", "self")), text_key(DiagramBox("encoder", "ffn_add"))
    ('masked_self', 'add')
    """
    if box.is_norm_or_sum:
        return box.kind.rpartition("_")[2]
    if box.kind == "norm":
        return "last_norm"
    return _DECODER_KEYS.get(box.name, box.kind)


def page_of(box: DiagramBox) -> str:
    """Return the page that explains more about a box, as a key of ``PAGES``."""
    for page, keys in _PAGES.items():
        if text_key(box) in keys:
            return page
    return "norms"


def show_details(
    box: DiagramBox, step: WalkStep, trace: Trace, model: TranslationModel, tr: Translator
) -> None:
    """Show the details of one box: its task, its learned parameters and its values.

    Args:
        box: the box.
        step: which layer, and which tokens are followed.
        trace: of the visitor's sentence.
        model: that made the trace.
        tr: the visitor's language.
    """
    # 1. Show its place in the model, its task and its learned parameters
    key = text_key(box)
    heading = "block_place" if box.in_block else "place"
    with st.container(key="machine-task"):
        st.header(
            tr(
                f"architecture.{heading}_{box.stack}",
                part=tr(f"architecture.part_{key}"),
                layer=step.layer + 1,
                n=box.repeats,
            ),
            anchor=False,
        )
        about = tr(f"architecture.about_{key}", start=model.tokenizer.ends[0])
        st.markdown(tr.join([about, _learned(box, model, tr)]))

    # 2. Show its tokens and its values
    _show_tokens(box, step, trace, model, tr)
    if box.records:
        items = "".join(_tensor(record, step, trace, model, tr) for record in box.records)
        st.html(f'<ul class="tensors">{items}</ul>')
        st.caption(tr("architecture.numbers"))

    # 3. Link to the page that explains more
    page = page_of(box)
    st.page_link(PAGES[page], label=tr("architecture.more", page=tr(f"page.{page}")))


def _learned(box: DiagramBox, model: TranslationModel, tr: Translator) -> str:
    """Return a text about a box's parameters: number, formula, and share of all parameters."""
    # 1. A shared matrix is counted in an earlier box
    if box.shared_with:
        return tr("architecture.learned_shared", formula=box.formula)

    # 2. Otherwise, count the parameters of this box, which may have none
    if not box.n_parameters:
        return tr("architecture.learned_nothing")
    total = box.n_parameters * box.repeats
    times = "repeated" if box.repeats > 1 else "once"
    return tr(
        f"architecture.learned_{times}",
        n=f"{box.n_parameters:,}",
        formula=box.formula,
        repeats=box.repeats,
        total=f"{total:,}",
        share=f"{100 * total / model.n_parameters:.1f}",
    )


def _show_tokens(
    box: DiagramBox, step: WalkStep, trace: Trace, model: TranslationModel, tr: Translator
) -> None:
    """Show the token of a box, the tokens that it attends to, or the next candidates.

    Args:
        box: the clicked box of the diagram.
        step: layer, source token and target token of the walk.
        trace: the traced translation.
        model: the model that made the trace.
    """
    source_language, target_language = model.languages

    # 1. The token and its id
    if box.kind in ("tokens", "embedding", "next_token"):
        token, token_id = token_at(box, step, trace)
        text = tr(
            "architecture.token",
            token=display_subword(token),
            id=token_id,
            size=f"{model.config.vocab_size:,}",
        )
        st.html(paragraph(text, kind="formula"))

    # 2. The keys with the largest weights
    if box.kind in ("self", "cross"):
        is_target = box.name == "decoder.self"
        keys = display(trace.tgt_tokens if is_target else trace.src_tokens)
        weights = mean_attention(trace, box, step)  # (S,) or (T,)
        largest = np.argsort(-weights, kind="stable")[:_N_KEYS]
        attended = [(keys[key], float(weights[key]), False) for key in largest if weights[key] > 0]
        st.html(
            candidate_list(
                attended,
                label=tr("architecture.looks_at"),
                lang=target_language if is_target else source_language,
            )
        )

    # 3. The candidates for the next token
    if box.kind in ("softmax", "next_token"):
        candidates = next_tokens(trace, model.tokenizer, step.target, k=_N_CANDIDATES)
        st.html(
            candidate_list(
                [(display_subword(c.subword), c.probability, c.chosen) for c in candidates],
                label=tr("architecture.candidates", k=_N_CANDIDATES),
                lang=target_language,
            )
        )


def token_at(box: DiagramBox, step: WalkStep, trace: Trace) -> tuple[str, int]:
    """Return the token (and its id) that enters a stack or leaves the decoder.

    Args:
        box: at either end of the model, or an embedding.
        step: which tokens are followed.
        trace: of the visitor's sentence.
    """
    if box.stack == "encoder":
        token = trace.src[step.source]
        return token.text, token.id
    if box.kind == "next_token":
        return trace.next_tokens[step.target], trace.tgt_ids[step.target + 1]
    return trace.tgt_tokens[step.target], trace.tgt_ids[step.target]


def _tensor(
    record: str, step: WalkStep, trace: Trace, model: TranslationModel, tr: Translator
) -> str:
    """Return a record as HTML: its shape, its meaning, and the norm and first numbers of a vector.

    Args:
        record: a key of ``SHAPES``; its placeholder ``{layer}`` is not filled in.
        step: which layer, and which token's vector.
        trace: of the visitor's sentence.
        model: that made the trace.
        tr: the visitor's language.
    """
    recorded = SHAPES[record]
    vector = numbers_at(trace, record, step)
    is_map = recorded.dims[-1] in ("S", "T")  # a map has no norm
    return tensor(
        shape(record.split(".")[-1], recorded.dims, _sizes(trace, model)),
        meaning=f"{formula_of(record, require_paper(model).config)}: {recorded.meaning}",
        numbers=["−∞" if number == -np.inf else decimals(number) for number in vector[:_N_NUMBERS]],
        length="" if is_map else tr("architecture.norm", n=f"{np.linalg.norm(vector):.1f}"),
    )


def _sizes(trace: Trace, model: TranslationModel) -> Mapping[str, int]:
    """Return the length of each axis, by symbol."""
    config = model.config
    return {
        "B": 1,
        "S": len(trace.src),
        "T": len(trace.tgt_tokens),
        "H": config.n_heads,
        "V": config.vocab_size,
        "d_model": config.d_model,
        "d_head": config.d_head,
        "d_ff": config.d_ff,
    }
