"""Lines from each query token to the tokens that it attends to, for the heads of a layer.

The bytes have the format of the attention grid. The browser alone does the rest: it follows the
pointer, hides weak lines and switches heads on and off.
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from ui.components import picture_component
from ui.components.attention_grid import pack
from ui.export.figure import Figure
from ui.export.tables import Labels, map_table
from ui.text.translator import Translator

_lines = picture_component("head_lines", "app/head_lines_component.js", "pictures/head_lines.css")


def head_lines(
    weights: npt.NDArray[np.floating],
    fig: Figure,
    labels: Labels,
    *,
    head: int,
    limit: float,
    tr: Translator,
    key: str,
    pale: Collection[int] = (),
    marked: Collection[int] = (),
    keys_first: bool = False,
) -> None:
    """Show the lines of one layer, with queries on the left and keys on the right.

    Args:
        weights: (heads, T, S), in [0, limit].
        fig: the figure that the lines belong to.
        labels: the T queries and the S keys.
        head: the head that is shown first, from 1.
        limit: the number whose line is as high as its token: 1 for weights, otherwise at least the
            largest sum of a row. If several heads are shown, they share this height.
        tr: the texts.
        key: of the component.
        pale: positions of keys whose lines are pale, such as special tokens.
        marked: positions of keys whose lines have another colour, because a text speaks of them.
        keys_first: whether the keys are on the left instead, such as the words of a source.
    """
    texts = {
        "heads": tr("lines.heads"),
        "all": tr("lines.all"),
        "least": tr("lines.least"),
        "count": tr.texts["lines.count"],
        "drawn": tr.texts["lines.drawn"],
        "drawn_heads": tr.texts["lines.drawn_heads"],
        "table": tr("grid.table"),
        "query": tr("map.query"),
        "key": tr("map.key"),
        "head_number": tr.texts["grid.head_number"],
    }
    data = pack(
        weights[None],
        labels,
        head=head,
        texts=texts,
        limit=limit,
        pale=sorted(pale),
        marked=sorted(marked),
        keysFirst=keys_first,
    )
    _lines(key=key, data=data)
    fig.draws(lambda: {f"head {n}": map_table(cells, labels) for n, cells in enumerate(weights, 1)})
