"""The figure of the chosen checkpoint, with the tokens of the visitor's sentence."""

from __future__ import annotations

from collections.abc import Sequence

from model import Trace, TranslationModel
from model.lessons.architecture.parts import Part
from model.lessons.architecture.token_way import Stop
from model.pictures.tokens import display_subword
from ui.components.architecture import Box, show_architecture
from ui.export.figure import figure
from ui.export.provenance import about
from ui.lessons.architecture.walk import pick_part
from ui.lessons.architecture.words import word
from ui.text.translator import Translator


def show_boxes(
    parts: Sequence[Part], stop: Stop, trace: Trace, model: TranslationModel, tr: Translator
) -> None:
    """All boxes; the one where the walk stands is outlined, the way to it is coloured."""
    config = model.config
    tokens = {
        "encoder.tokens": trace.src_tokens[stop.source],
        "decoder.tokens": trace.tgt_tokens[stop.target],
        "decoder.next_token": trace.next_tokens[stop.target],
    }
    boxes = []
    for part in parts:
        name = tr(f"architecture.part_{word(part)}")
        token = tokens.get(part.name)
        label = name if token is None else display_subword(token)
        count = _count(part, tr)
        said = [label, *([] if token is None else [name]), *([count] if count else [])]
        boxes.append(
            Box(
                part.stack,
                part.kind,
                part.in_block,
                label=label,
                count=count,
                spoken=tr(f"architecture.spoken_{part.stack}", part=", ".join(said)),
            )
        )
    what = about(model, trace, page="architecture", layer=stop.layer + 1)
    with figure("machine", tr, title=tr("page.architecture"), about=what) as shown:
        show_architecture(
            boxes,
            shown,
            picked=stop.part,
            layer=stop.layer,
            n_layers=config.n_layers,
            facts=[
                model.name,
                tr("architecture.fact_parameters", n=f"{model.n_parameters:,}"),
                tr("architecture.fact_layers", layers=config.n_layers, heads=config.n_heads),
                tr("architecture.fact_widths", d_model=config.d_model, d_ff=config.d_ff),
                tr(f"architecture.fact_{config.norm}"),
            ],
            label=tr("architecture.figure"),
            key="architecture.figure",
            on_pick=pick_part,
        )


def _count(part: Part, tr: Translator) -> str:
    if part.shared_with:
        return tr("architecture.shared")
    return f"{part.n_parameters:,}" if part.n_parameters else ""
