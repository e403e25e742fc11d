"""An editor of the decoder's mask, with the losses and the translation under this mask."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
from ui.export.lesson_lines import lines_of_mask, lines_of_masked_losses
from ui.export.tables import Labels
from ui.server.work import show_work
from ui.state.codecs import Flag, Notation
from ui.state.speed import seconds_to_translate
from ui.state.visitor import visitor
from ui.text.languages import sides, translation_or_note
from ui.text.markup import alert, gloss, guide
from ui.text.numbers import signed
from ui.text.translator import Translator

Cells = frozenset[tuple[int, int]]  # query and key of each cell, from 0

# Without the causal mask, all tokens are computed again for each new token; with it, earlier tokens
# keep their values. A longer source is translated without the mask only after a click on a button.
TOKENS_WITHOUT_ASKING = 40  # source tokens
_VISIBLE_CHANGE = 0.0005  # of a loss; a smaller change is displayed as "no change"
_FLIPPED = "masks.flipped"  # key of the flipped cells
_REFUSED = "masks.refused"  # key of the session: the last click would have left a row empty
_OPEN = "masks.open"  # key of a flag: whether the causal mask is removed


@dataclass(frozen=True)
class EditedMask:
    """The causal mask, or no mask, with some cells flipped between visible and hidden."""

    cells: Cells = frozenset()
    is_open: bool = False  # whether the causal mask is removed

    def __call__(self, size: int) -> Tensor:
        """Return the mask of ``size`` tokens: (1, 1, size, size) bool; True = may attend."""
        return flip(no_mask(size) if self.is_open else causal_mask(size), self.cells)

    def shows_something(self, size: int) -> bool:
        """Return whether each row sees a key, at every translation length up to ``size``."""
        return all(bool(self(n).any(dim=-1).all()) for n in range(1, size + 1))


def show_editor(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Draw the mask of the translation, its loss, and what the model writes with this mask.

    Args:
        trace: of the visitor's sentence.
        model: that made the trace.
        tr: the visitor's language.
    """
    tokens = trace.tgt_tokens
    size = len(tokens)
    mask = _edited_mask(tokens)

    # 1. The buttons that remove the causal mask and restore it
    with st.container(key="slide-control", horizontal=True):
        st.button(
            tr("masks.take_away"),
            on_click=_set_mask,
            args=(tokens, EditedMask(is_open=True)),
            key="masks.take_away",
        )
        st.button(
            tr("masks.put_back"),
            on_click=_set_mask,
            args=(tokens, EditedMask()),
            key="masks.put_back",
        )
    if st.session_state.pop(_REFUSED, False):
        st.html(alert(tr("masks.refused")))

    # 2. Draw the mask. A click flips a cell
    description = about(
        model,
        trace,
        page="masks",
        first_mask="no_mask" if mask.is_open else "causal",
        cells_changed=_spelled_cells(mask.cells),
    )
    mask_column, result_column = st.columns([1, 1], gap="large")
    with mask_column:
        matrix = Matrix(
            np.where(mask(size)[0, 0].numpy(), 1.0, np.nan),
            tr("masks.mask"),
            f"({size},\N{NO-BREAK SPACE}{size})",
            Labels(display(tokens), display(tokens), sides(model.languages, "decoder_self")),
            scale="weights",
        )

        def flip_cell(_: int, query: int, key: int) -> None:
            """Hide the clicked cell, or show it again.

            Args:
                _: number of the matrix; there is only one.
                query: row of the clicked cell, from 0.
                key: its column, from 0.
            """
            _set_mask(tokens, replace(mask, cells=mask.cells ^ {(query, key)}))

        title = tr("masks.mask")
        python = lines_of_mask(model, trace, cells=mask.cells, is_open=mask.is_open)
        with figure("mask", tr, title=title, about=description, python=python) as fig:
            show_matrices([matrix], fig, key="masks.editor", on_click=flip_cell)
        st.html(guide(tr("masks.editor_hint", n=len(mask.cells)), tr("masks.editor_click")))

    # 3. Show losses and translation with this mask
    def show_result(results: Sequence[tuple[Array, str]]) -> None:
        losses, translation = results[0]
        _show_losses(trace, model, mask, losses, translation, description, tr)

    is_quick = not mask.is_open or len(trace.src) <= TOKENS_WITHOUT_ASKING
    with result_column:
        show_work(
            "masks.run",
            (model.version, trace.source_text, trace.tgt_ids, mask),
            lambda: _run_masked(trace, model, mask),
            show_result,
            tr,
            start=tr("masks.run"),
            total=1,
            seconds=seconds_to_translate(model, len(trace.src)).longest if is_quick else None,
        )
    st.markdown(tr.section("masks", "editor"))


def _run_masked(
    trace: Trace, model: TranslationModel, mask: EditedMask
) -> Iterator[tuple[Array, str] | None]:
    """Run the model with the edited mask.

    Args:
        trace: the traced translation.
        model: the model that made the trace.
        mask: the edited mask.

    Yields:
        None after each token that is written; at the end the loss of each given target token, and
        what the model writes by itself.
    """
    # 1. Compute the loss with teacher forcing
    src = torch.tensor([[token.id for token in trace.src]])  # (1, S)
    target = torch.tensor([trace.tgt_ids])  # (1, T + 1)
    losses = teacher_forced_loss(
        model.model,
        src,
        target,
        self_mask=mask(len(trace.tgt_tokens)),
        pad_id=model.tokenizer.pad_id,
    )

    # 2. Let the model write with this mask
    masked_model = ModifiedTransformer(model.model, self_mask=mask)
    written = []
    for token, _ in decode_steps(masked_model, src, **model.tokenizer.special_ids):
        written.append(int(token))
        yield None
    yield losses.numpy(), model.tokenizer.decode(written)


def _show_losses(
    trace: Trace,
    model: TranslationModel,
    mask: EditedMask,
    losses: Array,
    translation: str,
    description: About,
    tr: Translator,
) -> None:
    """Compare the losses and the translation with those under the causal mask.

    Args:
        trace: under the causal mask.
        model: that made the trace.
        mask: the edited mask.
        losses: (T,) of the given target tokens under the edited mask.
        translation: what the model writes by itself with the edited mask.
        description: what the figure says about itself.
        tr: the visitor's language.
    """
    language = model.languages[1]

    # 1. The mean losses
    causal_losses = -trace.log_probs  # (T,)
    change = losses.mean() - causal_losses.mean()
    # Streamlit recognises a decrease by a hyphen. A minus sign is not enough, so the text has both.
    is_lower = bool(change < 0)
    is_visible = bool(abs(change) >= _VISIBLE_CHANGE)
    colour: Literal["green", "red", "off"] = "off"
    arrow: Literal["down", "up", "off"] = "off"
    if is_visible:
        colour = "green" if is_lower else "red"
        arrow = "down" if is_lower else "up"
    before_column, after_column = st.columns(2)
    before_column.metric(tr("masks.loss_before"), f"{causal_losses.mean():.3f}")
    after_column.metric(
        tr("masks.loss_after"),
        f"{losses.mean():.3f}",
        signed(change, "+.3f") if is_visible else tr("masks.no_change"),
        delta_color=colour,
        delta_arrow=arrow,
    )

    # 2. The translations
    st.html(gloss(tr("masks.free_before"), trace.target_text, lang=language))
    text, lang = translation_or_note(translation, language, tr)
    st.html(gloss(tr("masks.free_after"), text, lang=lang))

    # 3. The loss of each token
    matrix = Matrix(
        np.stack([causal_losses, losses]),  # (2, T)
        tr("masks.losses"),
        labels=Labels(
            [tr("masks.before"), tr("masks.after")],
            display(trace.next_tokens),
            (None, language),
        ),
    )
    title = tr("masks.losses")
    python = lines_of_masked_losses(model, trace, cells=mask.cells, is_open=mask.is_open)
    with figure("losses", tr, title=title, about=description, python=python) as fig:
        show_matrices([matrix], fig, key="masks.losses")


def _edited_mask(tokens: tuple[str, ...]) -> EditedMask:
    """Return the edited mask for these tokens, and write it into the link.

    The visitor's changes belong to these tokens: for different tokens the mask is reset.
    """
    is_open = visitor().get(_OPEN, Flag(yes="1", no=""), subject=tokens)

    def read(text: str) -> Cells:
        cells = _read_cells(text, len(tokens))
        return cells if EditedMask(cells, is_open).shows_something(len(tokens)) else Cells()

    codec = Notation(Cells(), read, lambda cells: ",".join(_spelled_cells(cells)))
    return EditedMask(visitor().get(_FLIPPED, codec, subject=tokens), is_open)


def _spelled_cells(cells: Cells) -> list[str]:
    """Return the text of cells in a link: ``2-3`` means query 2 and key 3."""
    return [f"{query}-{key}" for query, key in sorted(cells)]


def _read_cells(text: str, size: int) -> Cells:
    """Return the cells of a square mask that a link names, such as ``2-3,0-1``."""
    pairs = re.findall(r"(?<![^,])(\d{1,4})-(\d{1,4})(?![^,])", text)
    cells = [(int(query), int(key)) for query, key in pairs]
    return Cells((query, key) for query, key in cells if query < size and key < size)


def _set_mask(tokens: tuple[str, ...], mask: EditedMask) -> None:
    """Store this mask, unless one of its rows would see no key at some length."""
    if mask.shows_something(len(tokens)):
        visitor().set({_FLIPPED: mask.cells, _OPEN: mask.is_open})
    else:
        st.session_state[_REFUSED] = True
