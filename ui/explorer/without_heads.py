"""The panels in which no head is chosen: beam tree, logit lens, residual stream in space."""

import streamlit as st

from model.decoding.beam import ALPHA, Node, beam_tree
from model.pictures.tokens import display, display_subword
from model.trace.logit_lens import logit_lens
from model.trace.residual_stream import STACKS, principal_components
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.explorer.view import ExplorerView
from ui.export.figure import about, figure
from ui.export.tables import Table
from ui.frame.controls import choose, slide
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart, show_scene
from ui.state.address import BEAMS
from ui.state.memory import remember
from ui.text.markup import logit_lens_table
from ui.text.translator import Translator


def show_beam(view: ExplorerView, tr: Translator) -> None:
    """The beam search of the sentence as a tree; it scrolls in its own box."""
    t, trace = view.model, view.trace
    beam = choose(tr("beam.width"), BEAMS[1:], default=4, key="explorer.beam")
    src = tuple(token.id for token in trace.src)
    key = t.version, src, beam
    nodes = remember("beams", key, lambda: beam_tree(t.model, t.tokenizer, list(src), beam=beam))
    st.caption(tr("beam.caption"))
    chart = beam_tree_chart(
        [_branch(node) for node in nodes],
        titles={kind: tr(f"beam.{kind}") for kind in ("winner", "kept", "pruned")},
        score_title=tr("beam.score", alpha=ALPHA),
    )
    best = t.tokenizer.decode([node.token for node in nodes if node.best])
    written = {"target": best, "target_origin": "generated", "beam": beam}
    what = about(t, trace, measure="beam_scores", **written)
    title = tr("beam.title", beam=beam)
    with figure("beam", tr, title=title, about=what) as fig, st.container(key="tree"):
        show_chart(chart, fig, key="beam.hypotheses")


def _branch(node: Node) -> Branch:
    kind = "winner" if node.best else "kept" if node.in_beam else "pruned"
    token = display_subword(node.subword)
    return Branch(node.step, node.slot, node.parent, token, node.score, kind)


def show_logit_lens(view: ExplorerView, tr: Translator) -> None:
    """What the decoder would have written after each layer, the last one at the top."""
    t, trace = view.model, view.trace
    lens = logit_lens(t.model, trace, k=1)
    written = display(trace.next_tokens)
    best = lens.ids[..., 0].tolist(), lens.probabilities[..., 0].tolist()  # (layers, T) each
    guesses = [
        [(display_subword(t.tokenizer.subword(id)), p) for id, p in zip(*layer, strict=True)]
        for layer in zip(*best, strict=True)
    ]
    rows = {tr("grid.layer_number", n=n): row for n, row in reversed([*enumerate(guesses, 1)])}
    shared = [tr("logit_lens.shared")] if t.config.tie_embeddings else []
    st.caption(" ".join([tr(f"logit_lens.caption_{t.config.norm}"), *shared]))
    cells = [
        (n, step, token, guess, p)
        for n, row in enumerate(guesses, 1)
        for step, (token, (guess, p)) in enumerate(zip(written, row, strict=True), 1)
    ]
    table = Table(("layer", "step", "written", "likeliest", "probability"), cells)
    what = about(t, trace, layer="all", measure="logit_lens")
    with figure("logit_lens", tr, title=tr("logit_lens.title"), about=what) as fig:
        corner = tr("logit_lens.corner")
        st.html(logit_lens_table(rows, written, corner=corner, lang=t.languages[1]))
        fig.numbers(lambda: {"logit_lens": table})


def show_space(view: ExplorerView, tr: Translator) -> None:
    """The residual stream of one stack in space, from the embeddings to the chosen layer."""
    from ui.charts.scenes import token_paths  # brings Plotly, which no other panel needs

    t, trace, special = view.model, view.trace, view.address.special
    n_layers = t.config.n_layers
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_named("stack", STACKS, tr, key="explorer.space_stack")
        last = slide(
            tr("space.layer"), 0, n_layers, default=n_layers, key="explorer.space_layer", width=260
        )
    found = remember(
        "space",
        (t.version, trace.source_text, trace.tgt_ids, stack, special),
        lambda: principal_components(trace, stack, special=special == "shown"),
    )
    tokens = display(found.tokens)
    shares = [f"{100 * share:.0f}" for share in found.shares]
    st.caption(tr("space.caption", total=f"{100 * found.shares.sum():.0f}", layers=n_layers))
    after = [tr("space.after", n=n + 1) for n in range(n_layers)]
    scene = token_paths(
        found.coordinates,
        tokens,
        layer_titles=[tr("space.embedding"), *after],
        axis_titles=[tr("space.axis", n=n, share=share) for n, share in enumerate(shares, 1)],
        last=last,
    )
    cells = [
        [layer, token, *place.tolist()]
        for layer, row in enumerate(found.coordinates)
        for token, place in zip(tokens, row, strict=True)
    ]
    what = about(
        t,
        trace,
        measure="principal_components",
        stack=stack,
        special_tokens=special,
        variance_shares=[round(float(share), 6) for share in found.shares],
    )
    table = Table(("layer", "token", "first", "second", "third"), cells)
    with figure("space", tr, title=tr("space.title"), about=what) as fig:
        show_scene(scene, fig, table, key="space.places")
