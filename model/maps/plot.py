"""Draw the maps of the app for a notebook or a file."""

from model.maps.view import (
    AGGREGATES,
    CELLS,
    UNITS,
    Aggregate,
    AttentionView,
    Cells,
    Unit,
    ViewOptions,
    aggregate,
    attention_view,
)
from model.pictures.colours import Theme
from model.pictures.grid_svg import grid_svg
from model.pictures.map_svg import map_svg
from model.pictures.offline_page import ENGLISH
from model.pictures.selected_map import require_choice
from model.pictures.svg import Picture
from model.pictures.tokens import display
from model.trace.transformer import ROWS, Rows, Trace
from model.transformer.heads import KINDS, Kind
from model.translation_model import TranslationModel

# the English name of what each of ``CELLS`` measures, for the colour scale
_MEASURES = {"weights": "weight", "value_norms": "value norm", "contributions": "contribution"}


def plot_map(
    t: TranslationModel,
    trace: Trace,
    options: ViewOptions,
    *,
    view: Aggregate,
    layer: int,
    head: int,
    theme: Theme = "light",
) -> Picture:
    """Draw one map: of a single head, or an aggregate of several heads.

    Args:
        t: the model that made the trace.
        trace: of one sentence.
        options: the attention, the measure in a cell, and the tokens.
        view: the head alone, or how heads are combined; see ``aggregate``.
        layer: from 0.
        head: from 0.
        theme: ``"light"`` or ``"dark"``.

    Returns:
        The picture, with its ``numbers``, (T, S).

    Raises:
        ValueError: there is no such view, layer or head, or it is not defined for these numbers.
    """
    require_choice("view", view, AGGREGATES)
    require_choice("layer", layer, range(t.config.n_layers))
    require_choice("head", head, range(t.config.n_heads))
    maps = attention_view(t.model, t.tokenizer, trace, options)
    selected = aggregate(maps, view, layer=layer, head=head)
    languages = dict(zip(("source", "target"), t.languages, strict=True))
    row_side = "source" if options.kind == "encoder_self" else "target"
    column_side = "target" if options.kind == "decoder_self" else "source"
    return map_svg(
        selected,
        query_tokens=display(maps.query_tokens),
        key_tokens=display(maps.key_tokens),
        title=f"{_attention(options)} · {_in_words(options, view, layer, head, t)}",
        note=trace.note(_row_name(options)),
        languages=(languages[row_side], languages[column_side]),
        causal=options.causal,
        limit=_limit(options, maps, float(selected.max())),
        measure=_MEASURES[options.cells],
        theme=theme,
    )


def plot_heads(
    t: TranslationModel,
    trace: Trace,
    options: ViewOptions,
    *,
    layer: int | None = None,
    theme: Theme = "light",
) -> Picture:
    """Draw small maps of all heads.

    Args:
        t: the model that made the trace.
        trace: of one sentence.
        options: the attention, the measure in a cell, and the tokens.
        layer: from 0; None for all layers.
        theme: ``"light"`` or ``"dark"``.

    Returns:
        The picture, with its ``numbers``, (layers, H, T, S).

    Raises:
        ValueError: there is no such layer.
    """
    if layer is not None:
        require_choice("layer", layer, range(t.config.n_layers))
    maps = attention_view(t.model, t.tokenizer, trace, options)
    layers = range(t.config.n_layers) if layer is None else [layer]
    which = "all layers and heads" if layer is None else f"layer {layer + 1} · all heads"
    return grid_svg(
        maps.heads[list(layers)],
        query_tokens=display(maps.query_tokens),
        key_tokens=display(maps.key_tokens),
        layers=[number + 1 for number in layers],
        title=f"{_attention(options)} · {which}",
        note=trace.note(_row_name(options)),
        causal=options.causal,
        limit=_limit(options, maps),
        measure=_MEASURES[options.cells],
        theme=theme,
    )


def checked_options(
    kind: Kind, *, rows: Rows, cells: Cells, unit: Unit, special: bool
) -> ViewOptions:
    """Check the options that a notebook passes, and return them as ``ViewOptions``.

    Args:
        kind: the attention.
        rows: whether a row is the token that is written or the one that is read.
        cells: the measure in a cell.
        unit: subwords or words.
        special: whether the beginning and the end of a sentence are shown.

    Returns:
        The options.

    Raises:
        ValueError: one of these has a value that does not exist; the message lists what exists.
    """
    require_choice("attention", kind, KINDS)
    require_choice("name of rows", rows, ROWS)
    require_choice("measure", cells, CELLS)
    require_choice("unit", unit, UNITS)
    return ViewOptions(kind=kind, rows=rows, cells=cells, unit=unit, special=special)


def _attention(options: ViewOptions) -> str:
    """Return the English name of the kind of attention, for a title."""
    return ENGLISH[f"attention.{options.kind}"]


def _row_name(options: ViewOptions) -> Rows:
    """Return which token names a row. The encoder only reads."""
    return "read" if options.kind == "encoder_self" else options.rows


def _limit(options: ViewOptions, maps: AttentionView, largest: float = 0.0) -> float:
    """Return the end of the colour scale: 1 for weights, else the largest value of all maps.

    Args:
        options: what the cells show.
        maps: the maps that are drawn.
        largest: the largest value of the other maps with the same scale; 0 without any.
    """
    if options.cells == "weights":
        return 1.0
    return max(float(maps.heads.max()), largest) or 1.0


def _in_words(
    options: ViewOptions, view: Aggregate, layer: int, head: int, t: TranslationModel
) -> str:
    """Return layer and head, from 1, and the kind of aggregation, in words.

    Args:
        options: tell what is combined: weights are averaged, vectors are summed.
        view: as for ``plot_map``.
        layer: from 0.
        head: from 0.
        t: the model.
    """
    of_heads = f"of {t.config.n_heads} heads"
    if view == "mean" and options.cells != "weights":
        return f"layer {layer + 1} · {t.config.n_heads} heads together"
    match view:
        case "head":
            return f"layer {layer + 1} · head {head + 1}"
        case "mean":
            return f"layer {layer + 1} · mean {of_heads}"
        case "max":
            return f"layer {layer + 1} · maximum {of_heads}"
        case "layers":
            return "mean of all layers"
        case "rollout":
            return f"all layers up to {layer + 1}"
