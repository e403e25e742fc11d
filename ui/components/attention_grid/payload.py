"""All maps of all heads in one blob of bytes, the cheapest thing to send to a browser.

The weights are uint16 in units of limit/65535, layer by layer: half of float32, and still right to
the fourth decimal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from model.pictures.language import direction, tag
from model.pictures.tokens import told
from ui.components.blob import pack_bytes
from ui.text.languages import Languages

UNIT = 65535
Letter = tuple[str, int, int | None]  # as it is written, layer, head; None: all heads of the layer


def pack(
    weights: npt.NDArray[np.floating],
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    layer: int,
    head: int | None,
    texts: Mapping[str, str],
    limit: float = 1.0,
    languages: Languages = (None, None),
    covered: Sequence[int] = (),
    marks: Sequence[tuple[Sequence[tuple[str, str]], bool]] = (),
    letters: Sequence[Letter] = (),
    seconds: bool = False,
) -> bytes:
    """Everything that the grid shows.

    Args:
        weights: (layers, heads, T, S), in [0, limit].
        query_tokens: T visible tokens.
        key_tokens: S visible tokens.
        layer: the layer shown large, from 1.
        head: the head shown large, from 1; None where all heads of the layer are.
        texts: the words of the interface that the grid writes.
        limit: what the strongest colour stands for; 1 for weights.
        languages: of the queries and of the keys, where they are known.
        covered: rows, from 0, of which nothing is sent, whatever their weights are.
        marks: of all heads, layer by layer: signs with their sentences, and whether it is faint.
        letters: which maps stand beside each other, each with its letter.
        seconds: whether a second map can be taken.

    Raises:
        ValueError: the shape does not fit the tokens, or a weight lies outside [0, limit].
    """
    if weights.ndim != 4 or weights.shape[2:] != (len(query_tokens), len(key_tokens)):
        raise ValueError(
            f"weights of shape {weights.shape} do not fit (layers, heads, "
            f"{len(query_tokens)} query tokens, {len(key_tokens)} key tokens)"
        )
    weights = weights.copy()
    weights[:, :, np.array(covered, dtype=int)] = 0
    if not (weights.min() >= 0 and weights.max() <= limit * (1 + 1e-4)):
        raise ValueError(
            f"weights must lie in [0, {limit:g}], got {weights.min()} to {weights.max()}"
        )
    header = json.dumps(
        {
            "shape": weights.shape,
            "covered": list(covered),
            "queries": list(query_tokens),
            "keys": list(key_tokens),
            "layer": layer,
            "head": head,
            "limit": limit,
            "languages": [tag(language) for language in languages],
            "directions": [direction(query_tokens), direction(key_tokens)],
            "told": told([*query_tokens, *key_tokens]),
            "texts": dict(texts),
            "marks": list(marks),
            "letters": list(letters),
            "seconds": seconds,
        }
    )
    return pack_bytes(
        header, np.rint(np.minimum(weights / limit, 1) * UNIT).astype("<u2").tobytes()
    )
