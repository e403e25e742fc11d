"""The residual stream in space: where each token is, and how the layers move it."""

from __future__ import annotations

import streamlit as st

from model.pictures.tokens import display
from model.trace.residual_stream import principal_components
from ui.explorer.view import ChosenView
from ui.export.figure import figure
from ui.export.provenance import about
from ui.export.tables import Table, Value
from ui.frame.controls import slide
from ui.frame.pickers import choose_stack
from ui.frame.picture import show_scene
from ui.state.memory import remember
from ui.text.translator import Translator

_COMPONENTS = ("first", "second", "third")


def show_space(view: ChosenView, tr: Translator) -> None:
    """The tokens of one stack, from their embeddings to the layer that is chosen."""
    from ui.charts.scenes import token_paths  # brings Plotly, which no other panel needs

    t, trace, shows = view.model, view.trace, view.address.special
    n_layers = t.config.n_layers
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_stack("explorer.space_stack", tr)
        last = slide(
            tr("space.layer"), 0, n_layers, default=n_layers, key="explorer.space_layer", width=260
        )
    found = remember(
        "space",
        (t.version, trace.source_text, trace.tgt_ids, stack, shows),
        lambda: principal_components(trace, stack, special=shows == "shown"),
    )
    tokens = display(found.tokens)
    titles = [tr("space.embedding"), *(tr("space.after", n=n + 1) for n in range(n_layers))]
    shares = [f"{100 * share:.0f}" for share in found.shares]
    st.caption(tr("space.caption", total=f"{100 * found.shares.sum():.0f}", layers=n_layers))
    scene = token_paths(
        found.places,
        tokens,
        layer_titles=titles,
        axis_titles=[tr("space.axis", n=n, share=share) for n, share in enumerate(shares, 1)],
        last=last,
    )
    cells: list[list[Value]] = [
        [layer, token, *place.tolist()]
        for layer, row in enumerate(found.places)
        for token, place in zip(tokens, row, strict=True)
    ]
    what = about(
        t,
        trace,
        measure="principal_components",
        stack=stack,
        special_tokens=shows,
        variance_shares=[round(float(share), 6) for share in found.shares],
    )
    table = Table(("layer", "token", *_COMPONENTS), cells)
    with figure("space", tr, title=tr("space.title"), about=what) as shown:
        show_scene(scene, shown, table, key="space.places")
