"""Small maps of all layers and heads on one canvas. A click on a map enlarges it.

The browser draws everything from one blob of bytes: a new sentence costs one message and one
redraw. Tokens reach the page as text only.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from model.pictures.map_svg import check_map
from ui.components import pack_bytes, picture_component, sent, text_attributes
from ui.export.figure import Figure
from ui.export.tables import Labels, Table, map_table, maps_of_heads
from ui.text.translator import Translator

UNIT = 65535  # the largest uint16, which stands for ``limit``
_TEXTS = ("layer", "head", "layer_number", "head_number", "open", "table", "strongest", "label")

_grid = picture_component("attention_grid", "app/head_grid_component.js", "pictures/head_grid.css")

Letter = tuple[str, int, int | None]  # letter, layer and head; head None: all heads of the layer


class HeadMark(NamedTuple):
    """The tags of a head in the grid, and whether its map is faint."""

    chips: Sequence[tuple[str, str]]  # a sign of a few letters, and a sentence that explains it
    faint: bool  # whether the visitor is looking for different heads


def attention_grid(
    weights: npt.NDArray[np.floating],
    fig: Figure,
    labels: Labels,
    *,
    layer: int,
    head: int | None,
    limit: float,
    tr: Translator,
    key: str,
    on_click: Callable[[int, int], None],
    covered: Sequence[int] = (),
    marks: Sequence[HeadMark] = (),
    letters: Sequence[Letter] = (),
    means: npt.NDArray[np.floating] | None = None,
    on_second: Callable[[int, int], None] | None = None,
) -> None:
    """Show the grid of small maps.

    Args:
        weights: (layers, heads, T, S), in [0, limit].
        fig: the figure that the grid belongs to.
        labels: the T queries and the S keys.
        layer: the layer that is shown large, from 1.
        head: the head that is shown large, from 1; the number after the last head is the mean of
            the layer; None if all heads of the layer are shown.
        limit: the number with the strongest colour; 1 for weights.
        tr: the texts.
        key: of the component.
        on_click: called with layer and head as above; head 0 means all heads of the layer.
        covered: rows, from 0, that stay empty, because a class is to guess them.
        marks: of all heads, layer by layer; empty if nothing is known about them.
        letters: the maps that are shown side by side, each with its letter.
        means: (layers, T, S), the mean of each layer's heads; the grid shows it after them.
        on_second: called with layer and head of a map that was clicked with Shift, or pressed long.
            None: such a click is a normal click.
    """
    n_layers, n_heads = weights.shape[:2]
    texts = {name: tr.texts[f"grid.{name}"] for name in _TEXTS}
    maps = weights
    if means is not None:
        maps = np.concatenate((weights, means[:, None]), axis=1)
        texts |= {"mean": tr("view.mean"), "open_mean": tr.texts["offline.open_mean"]}
        marks_of_layers = [marks[n : n + n_heads] for n in range(0, len(marks), n_heads)]
        of_mean = HeadMark((), faint=any(mark.faint for mark in marks))
        marks = [mark for of_layer in marks_of_layers for mark in (*of_layer, of_mean)]

    n_maps = maps.shape[1]  # of a layer

    def call(action: Callable[[int, int], None] | None, name: str) -> None:
        match sent(key, name):
            case [int(layer), int(head)] if 0 < layer <= n_layers and 0 <= head <= n_maps:
                if action:
                    action(layer, head)

    data = pack(
        maps,
        labels,
        limit=limit,
        covered=covered,
        layer=layer,
        head=head,
        texts=texts,
        marks=list(marks),
        letters=list(letters),
        seconds=n_heads if on_second else 0,  # the last map of a layer that can be the second one
    )
    _grid(
        key=key,
        data=data,
        on_click_change=lambda: call(on_click, "click"),
        on_second_change=lambda: call(on_second, "second"),
    )
    fig.draws(partial(_tables, weights, means, labels))


def _tables(
    weights: npt.NDArray[np.floating], means: npt.NDArray[np.floating] | None, labels: Labels
) -> dict[str, Table]:
    """Return the tables of all heads, and of the means of the layers.

    Args:
        weights: (layers, H, T, S).
        means: (layers, T, S); None if they are not drawn.
        labels: of rows and columns.
    """
    of_layers = enumerate([] if means is None else means, start=1)
    return maps_of_heads(weights, labels) | {
        f"layer {layer} mean": map_table(mean, labels) for layer, mean in of_layers
    }


def pack(
    weights: npt.NDArray[np.floating],
    labels: Labels,
    *,
    limit: float = 1.0,
    covered: Sequence[int] = (),
    **others: object,
) -> bytes:
    """Pack the maps of all heads as bytes, the fastest format to send.

    The weights are uint16 in units of limit / 65535, layer by layer: half the size of float32, and
    still right to the fourth decimal.

    Args:
        weights: (layers, heads, T, S), in [0, limit].
        labels: the T queries and the S keys.
        limit: the number with the strongest colour; 1 for weights.
        covered: rows, from 0, that stay empty, whatever their weights are.
        others: what else the component needs, as JSON takes it.

    Raises:
        ValueError: the shape does not fit the tokens, or a weight lies outside [0, limit].
    """
    weights = weights.copy()
    weights[..., np.array(covered, dtype=int), :] = 0
    check_map(weights, (*weights.shape[:2], len(labels.rows), len(labels.columns)), 0, limit)
    header = {
        "shape": weights.shape,
        "covered": list(covered),
        "queries": list(labels.rows),
        "keys": list(labels.columns),
        "limit": limit,
        **text_attributes(labels),
        **others,
    }
    cells = np.rint(np.minimum(weights / limit, 1) * UNIT).astype("<u2")
    return pack_bytes(header, cells.tobytes())
