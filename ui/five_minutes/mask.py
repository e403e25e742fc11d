"""Step 6: the mask, which hides later tokens from the decoder."""

import numpy as np

from model.lessons.masks.open_mask import share_of_later, weights_without_mask
from model.pictures.tokens import display
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about, figure
from ui.export.python_lines import lines_of_map
from ui.export.tables import Labels
from ui.five_minutes.stage import Stage, largest_cell, show_note
from ui.frame.pickers import choose_named
from ui.state.memory import remember
from ui.state.models import PageRun, trace_of
from ui.text.languages import sides
from ui.text.numbers import percent
from ui.text.translator import Translator

_WIDEST_CELL = 64  # pixels: the text beside the map is short


def show_mask(stage: Stage, run: PageRun, tr: Translator) -> None:
    """Let the visitor remove the mask, and show where the decoder looks without it.

    Args:
        stage: the screen.
        run: the model and the sentence.
        tr: the visitor's language.
    """
    # 1. The control
    t = run.model
    trace = trace_of(t, run.address.sentence)
    with stage.control:
        mask = choose_named("five_minutes.mask", ("on", "off"), tr, label_visibility="collapsed")

    # 2. The weights
    weights = trace.attention("decoder_self").weights  # (layers, H, T, T)
    if mask == "off":
        key = (t.version, trace.source_text, trace.tgt_ids)
        weights = remember("open_mask", key, lambda: weights_without_mask(t, trace))

    # 3. The claim, about the cells of the picture: the mean over the heads of the last layer
    cells = weights[-1].mean(axis=0)  # (T, T)
    stage.say(tr(f"five_minutes.mask.{mask}.claim", percent=percent(share_of_later(cells))))

    # 4. The picture
    layer = t.config.n_layers
    title = tr(
        "map.title_mean",
        attention=tr("attention.decoder_self"),
        layer=layer,
        heads=t.config.n_heads,
    )
    description = about(
        t, trace, attention="decoder_self", layer=layer, head="mean", measure="weights", mask=mask
    )
    tokens = display(trace.tgt_tokens)
    labels = Labels(tokens, tokens, sides(t.languages, "decoder_self"))
    if mask == "on":
        cells = np.where(np.tri(len(tokens), dtype=bool), cells, np.nan)  # drawn hatched
    of_layer = tr("two.side_mean", layer=layer, heads=t.config.n_heads)
    matrix = Matrix(cells, tr("five_minutes.mask.map"), of_layer, labels, scale="weights")
    python = None
    if mask == "on":
        python = lines_of_map(
            t, trace, kind="decoder_self", view="mean", layer=layer - 1, head=0, rows="read"
        )
    with stage.result:
        show_note(tr(f"five_minutes.mask.{mask}.read"))
    with stage.picture, figure("mask", tr, title=title, about=description, python=python) as fig:
        show_matrices(
            [matrix],
            fig,
            key="five_minutes.map",
            largest=largest_cell(len(tokens)),
            widest=_WIDEST_CELL,
        )
