"""Cells of the decoder's mask to click on, and what the model makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import streamlit as st
import torch

from model import Trace, TranslationModel
from model.decoding.greedy import decode_steps
from model.decoding.modified import ModifiedTransformer, SelfMask, teacher_forced_loss
from model.pictures.tokens import display
from model.trace.base import Array
from model.transformer.masks import causal_mask, flip, no_mask
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import figure
from ui.export.provenance import about
from ui.server.work import Work, show_work
from ui.state import link
from ui.text.languages import sides
from ui.text.markup import alert, gloss
from ui.text.translator import Translator

Cells = frozenset[tuple[int, int]]
_UNASKED = 40  # tokens of the source
_FLIPPED, _REFUSED, _OPEN = "masks.flipped", "masks.refused", "masks.open"


def show_editor(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """The mask over the model's translation; loss and free translation under it."""
    size = len(trace.tgt_tokens)
    flipped = _flipped(trace.tgt_tokens)
    mask = _mask()(size)[0, 0].numpy()
    with st.container(horizontal=True):
        st.button(tr("masks.take_away"), on_click=_take_away, key="masks.take_away")
        st.button(tr("masks.put_back"), on_click=_put_back, key="masks.put_back")
    if st.session_state.pop(_REFUSED, False):
        st.html(alert(tr("masks.refused")))
    picture, result = st.columns([1, 1], gap="large")
    with picture:
        matrix = Matrix(
            np.where(mask, 1.0, np.nan),
            tr("masks.mask"),
            f"({size}, {size})",
            row_labels=display(trace.tgt_tokens),
            column_labels=display(trace.tgt_tokens),
            languages=sides(t.languages, "decoder_self"),
            scale="weights",
        )
        what = {**about(t, trace, page="masks"), **_mask_in_words()}
        with figure("mask", tr, title=tr("masks.mask"), about=what) as shown:
            show_matrices(
                [matrix],
                shown,
                key="masks.editor",
                on_pick=lambda _, i, j: _toggle(i, j, size),
            )
        st.caption(tr("masks.editor_hint", n=len(flipped)))
    with result:
        _show_result(trace, t, tr)
    st.markdown(tr.section("masks", "editor"))


def _show_result(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    flipped, is_open = st.session_state[_FLIPPED][1], bool(st.session_state.get(_OPEN))
    mask = _mask()
    work = Work(
        name="masks.run",
        about=(t.version, trace.source_text, trace.tgt_ids, flipped, is_open),
        begin=lambda: _run(trace, t, mask),
        total=1,
        # without a mask every token is computed again for every new one
        small=not is_open or len(trace.src) <= _UNASKED,
    )

    def show(found: Sequence[tuple[Array, str]], _: bool) -> None:
        for after, free in found:
            _show_losses(trace, t, after, free, tr)

    show_work(work, tr("masks.run"), show, tr)


def _show_losses(
    trace: Trace, t: TranslationModel, after: Array, free: str, tr: Translator
) -> None:
    before = -trace.log_probs
    kept, changed = st.columns(2)
    kept.metric(tr("masks.loss_before"), f"{before.mean():.3f}")
    changed.metric(
        tr("masks.loss_after"),
        f"{after.mean():.3f}",
        f"{after.mean() - before.mean():+.3f}",
        delta_color="inverse" if abs(after.mean() - before.mean()) >= 0.0005 else "off",
    )
    losses = Matrix(
        np.stack([before, after]),
        tr("masks.losses"),
        row_labels=[tr("masks.before"), tr("masks.after")],
        column_labels=display(trace.next_tokens),
        languages=(None, t.languages[1]),
    )
    what = {**about(t, trace, page="masks"), **_mask_in_words()}
    with figure("losses", tr, title=tr("masks.losses"), about=what) as shown:
        show_matrices([losses], shown, key="masks.losses")
    lang = t.languages[1]
    st.html(gloss(tr("masks.free_before"), trace.target_text, lang=lang))
    st.html(gloss(tr("masks.free_after"), free or tr("translation.empty"), lang=lang))


def _mask_in_words() -> dict[str, object]:
    """The mask of the moment: what it was at first, and the cells that were changed since."""
    first = "no_mask" if st.session_state.get(_OPEN) else "causal"
    return {"first_mask": first, "cells_changed": _spell_cells(st.session_state[_FLIPPED][1])}


def _run(trace: Trace, t: TranslationModel, mask: SelfMask) -> Iterator[tuple[Array, str] | None]:
    """The loss of each token under the edited mask, and what is written freely under it."""
    src = torch.tensor([[token.id for token in trace.src]])
    target = torch.tensor([trace.tgt_ids])
    size = len(trace.tgt_tokens)
    after = teacher_forced_loss(
        t.model, src, target, self_mask=mask(size), pad_id=t.tokenizer.pad_id
    )
    model = ModifiedTransformer(t.model, self_mask=mask)
    written = []
    for token, _ in decode_steps(model, src, **t.tokenizer.special_ids):
        written.append(int(token))
        yield None
    yield after.numpy(), t.tokenizer.decode(written)


def _flipped(tokens: tuple[str, ...]) -> Cells:
    """Cells turned round in the mask over these tokens; those over others are forgotten."""
    kept, is_open = link.said(_FLIPPED), link.said(_OPEN)
    if isinstance(kept, str) or isinstance(is_open, str):
        kept, is_open = (tokens, _read_cells(str(kept or ""), len(tokens))), is_open in ("1", True)
    if not isinstance(kept, tuple) or kept[0] != tokens:
        kept, is_open = (tokens, frozenset()), False
    st.session_state.update({_FLIPPED: kept, _OPEN: bool(is_open)})
    if not _shows_something(len(tokens)):
        link.refuse(_FLIPPED)
        kept = st.session_state[_FLIPPED] = (tokens, frozenset())
    cells: Cells = kept[1]
    link.tell(_FLIPPED, ",".join(_spell_cells(cells)) or None)
    link.tell(_OPEN, "1" if is_open else None)
    return cells


def _spell_cells(cells: Cells) -> list[str]:
    return [f"{i}-{j}" for i, j in sorted(cells)]


def _read_cells(text: str, size: int) -> Cells:
    """What a link says of cells of a square: ``2-3,0-1``."""
    found = re.findall(r"(?<![^,])(\d{1,4})-(\d{1,4})(?![^,])", text)
    return frozenset((int(i), int(j)) for i, j in found if max(int(i), int(j)) < size)


def _shows_something(size: int) -> bool:
    """Whether each row of the mask sees something, also while the sentence is still shorter."""
    return all(bool(_mask()(n).any(dim=-1).all()) for n in range(1, size + 1))


def _mask() -> SelfMask:
    """The mask as it was edited, for any number of tokens."""
    cells: Cells = st.session_state[_FLIPPED][1]
    start = no_mask if st.session_state.get(_OPEN) else causal_mask
    return lambda size: flip(start(size), cells)


def _toggle(query: int, key: int, size: int) -> None:
    """Turn one cell round, unless its row would see nothing at any length."""
    tokens, flipped = st.session_state[_FLIPPED]
    st.session_state[_FLIPPED] = (tokens, flipped ^ {(query, key)})
    if not _shows_something(size):
        st.session_state[_FLIPPED] = (tokens, flipped)
        st.session_state[_REFUSED] = True


def _take_away() -> None:
    st.session_state[_FLIPPED] = (st.session_state[_FLIPPED][0], frozenset())
    st.session_state[_OPEN] = True


def _put_back() -> None:
    _take_away()
    st.session_state[_OPEN] = False
