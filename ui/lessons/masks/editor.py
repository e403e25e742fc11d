"""Cells of the decoder's mask to click on, and what the model makes of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from model import Trace, TranslationModel
from model.arrays import Array
from model.decoding.greedy import decode_steps
from model.decoding.modified import ModifiedTransformer, teacher_forced_loss
from model.pictures.tokens import display
from model.transformer.masks import causal_mask, flip, no_mask
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import About, about, figure
from ui.export.tables import Labels
from ui.server.work import show_work
from ui.state import link
from ui.text.languages import sides
from ui.text.markup import alert, gloss
from ui.text.translator import Translator

Cells = frozenset[tuple[int, int]]  # query and key of each
_UNASKED = 40  # tokens of the source
_FLIPPED, _REFUSED, _OPEN = "masks.flipped", "masks.refused", "masks.open"


@dataclass(frozen=True)
class EditedMask:
    """The causal mask, or none, with some cells (query, key) turned round."""

    cells: Cells = frozenset()
    is_open: bool = False

    def __call__(self, size: int) -> Tensor:
        """(1, 1, size, size) bool."""
        return flip(no_mask(size) if self.is_open else causal_mask(size), self.cells)

    def shows_something(self, size: int) -> bool:
        """Whether each row sees something, also while the sentence is still shorter."""
        return all(bool(self(n).any(dim=-1).all()) for n in range(1, size + 1))


def show_editor(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """The mask over the model's translation; loss and free translation under it."""
    tokens, size = trace.tgt_tokens, len(trace.tgt_tokens)
    mask = _edited_mask(tokens)
    with st.container(horizontal=True):
        everything, causal = (tokens, EditedMask(is_open=True)), (tokens, EditedMask())
        st.button(tr("masks.take_away"), on_click=_keep, args=everything, key="masks.take_away")
        st.button(tr("masks.put_back"), on_click=_keep, args=causal, key="masks.put_back")
    if st.session_state.pop(_REFUSED, False):
        st.html(alert(tr("masks.refused")))
    first = "no_mask" if mask.is_open else "causal"
    what = about(t, trace, page="masks", first_mask=first, cells_changed=_spelled(mask.cells))
    picture, result = st.columns([1, 1], gap="large")
    with picture:
        matrix = Matrix(
            np.where(mask(size)[0, 0].numpy(), 1.0, np.nan),
            tr("masks.mask"),
            f"({size}, {size})",
            Labels(display(tokens), display(tokens), sides(t.languages, "decoder_self")),
            scale="weights",
        )
        with figure("mask", tr, title=tr("masks.mask"), about=what) as fig:
            show_matrices(
                [matrix],
                fig,
                key="masks.editor",
                on_pick=lambda _, *cell: _keep(tokens, replace(mask, cells=mask.cells ^ {cell})),
            )
        st.caption(tr("masks.editor_hint", n=len(mask.cells)))
    with result:
        show_work(
            "masks.run",
            (t.version, trace.source_text, trace.tgt_ids, mask),
            lambda: _run(trace, t, mask),
            lambda found: _show_losses(trace, t, found[0], what, tr),
            tr,
            start=tr("masks.run"),
            total=1,
            # without a mask every token is computed again for every new one
            small=not mask.is_open or len(trace.src) <= _UNASKED,
        )
    st.markdown(tr.section("masks", "editor"))


def _run(trace: Trace, t: TranslationModel, mask: EditedMask) -> Iterator[tuple[Array, str] | None]:
    """The loss of each token under the edited mask, and what is written freely under it."""
    src = torch.tensor([[token.id for token in trace.src]])
    target = torch.tensor([trace.tgt_ids])
    own = mask(len(trace.tgt_tokens))
    after = teacher_forced_loss(t.model, src, target, self_mask=own, pad_id=t.tokenizer.pad_id)
    model = ModifiedTransformer(t.model, self_mask=mask)
    written = []
    for token, _ in decode_steps(model, src, **t.tokenizer.special_ids):
        written.append(int(token))
        yield None
    yield after.numpy(), t.tokenizer.decode(written)


def _show_losses(
    trace: Trace, t: TranslationModel, run: tuple[Array, str], what: About, tr: Translator
) -> None:
    after, free = run
    before, lang = -trace.log_probs, t.languages[1]
    change = after.mean() - before.mean()
    kept, changed = st.columns(2)
    kept.metric(tr("masks.loss_before"), f"{before.mean():.3f}")
    colour: Literal["inverse", "off"] = "inverse" if abs(change) >= 0.0005 else "off"
    changed.metric(
        tr("masks.loss_after"), f"{after.mean():.3f}", f"{change:+.3f}", delta_color=colour
    )
    names = [tr("masks.before"), tr("masks.after")]
    losses = Matrix(
        np.stack([before, after]),
        tr("masks.losses"),
        labels=Labels(names, display(trace.next_tokens), (None, lang)),
    )
    with figure("losses", tr, title=tr("masks.losses"), about=what) as fig:
        show_matrices([losses], fig, key="masks.losses")
    st.html(gloss(tr("masks.free_before"), trace.target_text, lang=lang))
    st.html(gloss(tr("masks.free_after"), free or tr("translation.empty"), lang=lang))


def _edited_mask(tokens: tuple[str, ...]) -> EditedMask:
    """The mask over these tokens, in the link too; what was changed over others is forgotten."""
    read = partial(_read_cells, size=len(tokens))
    cells = link.kept(_FLIPPED, tokens, read, lambda cells: ",".join(_spelled(cells)), Cells())
    is_open = link.is_revealed(_OPEN, tokens)
    mask = EditedMask(cells, is_open)
    if mask.shows_something(len(tokens)):
        return mask
    link.reject(_FLIPPED)
    return EditedMask(is_open=is_open)


def _spelled(cells: Cells) -> list[str]:
    """The cells as a link has them."""
    return [f"{i}-{j}" for i, j in sorted(cells)]


def _read_cells(text: str, size: int) -> Cells:
    """What a link says of cells of a square: ``2-3,0-1``."""
    found = re.findall(r"(?<![^,])(\d{1,4})-(\d{1,4})(?![^,])", text)
    return Cells((int(i), int(j)) for i, j in found if max(int(i), int(j)) < size)


def _keep(tokens: tuple[str, ...], mask: EditedMask) -> None:
    """Take this mask, unless one of its rows would see nothing at any length."""
    if mask.shows_something(len(tokens)):
        st.session_state.update({_FLIPPED: (tokens, mask.cells), _OPEN: (tokens, mask.is_open)})
    else:
        st.session_state[_REFUSED] = True
