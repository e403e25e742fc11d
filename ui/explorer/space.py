"""The residual stream in three dimensions, up to the selected layer."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import streamlit as st

from model.maps.measures import is_special_or_punctuation
from model.pictures.tokens import display
from model.tokenizers.tokenizer import is_special
from model.trace.residual_stream import STACKS, principal_components
from ui.explorer.shown_map import ShownMap
from ui.export.figure import about, figure
from ui.export.tables import Table
from ui.frame.controls import slide
from ui.frame.pickers import choose_named
from ui.frame.picture import show_scene
from ui.state.memory import remember
from ui.state.presenting import is_presenting
from ui.text.markup import guide
from ui.text.translator import Translator

_TOKENS = ("words", "all")  # which tokens are drawn; "all": also special tokens and punctuation


def show_space(shown: ShownMap, tr: Translator) -> None:
    """Show the path of each token through the layers of one stack, in three dimensions."""
    from ui.charts.scenes import token_paths  # imports Plotly, which no other panel needs

    # 1. Choose the stack and the last layer
    t = shown.model
    trace = shown.trace
    special = shown.address.special
    n_layers = t.config.n_layers
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_named("stack", STACKS, tr, key="explorer.space_stack")
        tokens_drawn = choose_named("space.tokens", _TOKENS, tr, key="explorer.space_tokens")
        last = slide(
            tr("space.layer"), 0, n_layers, default=n_layers, key="explorer.space_layer", width=260
        )

    # 2. Reduce to three dimensions
    components = remember(
        "space",
        (t.version, trace.source_text, trace.tgt_ids, stack, special, tokens_drawn),
        lambda: principal_components(
            trace, stack, leave_out=_left_out(tokens_drawn, special=special)
        ),
    )
    tokens = display(components.tokens)
    shares = tr.listed(f"{100 * share:.0f}" for share in components.shares)
    total = f"{100 * components.shares.sum():.0f}"

    # 3. Draw
    after_each_layer = [tr("space.after", n=n + 1) for n in range(n_layers)]
    scene = token_paths(
        components.coordinates,
        tokens,
        layer_titles=[tr("space.embedding"), *after_each_layer],
        last=last,
        is_presented=is_presenting(),
    )
    description = about(
        t,
        trace,
        measure="principal_components",
        stack=stack,
        special_tokens=special,
        tokens=tokens_drawn,
        variance_shares=[round(float(share), 6) for share in components.shares],
    )
    with figure("space", tr, title=tr("space.title"), about=description) as fig:
        table = _table(components.coordinates, tokens)
        show_scene(scene, fig, table, key="space.places")
    about_paths = tr("space.caption", total=total, shares=shares, layers=n_layers)
    st.html(guide(about_paths, tr("space.turn")))


def _left_out(tokens_drawn: str, *, special: str) -> Callable[[str], bool]:
    """Return a function that says whether to leave a token out.

    Args:
        tokens_drawn: one of ``_TOKENS``, the choice for this picture.
        special: "shown" or "hidden", the choice for all pictures of the page.
    """
    if tokens_drawn == "words":
        return is_special_or_punctuation
    if special == "shown":
        return lambda _: False
    return is_special


def _table(coordinates: npt.NDArray[np.floating], tokens: Sequence[str]) -> Table:
    """Return a row for each layer and token, from (layers + 1, tokens, 3) coordinates."""
    lines = []
    for layer, row in enumerate(coordinates):
        for token, position in zip(tokens, row, strict=True):
            lines.append([layer, token, *position.tolist()])
    return Table(("layer", "token", "first", "second", "third"), lines)
