"""All maps of all heads in one blob of bytes, the cheapest thing to send to a browser.

The weights are uint16 in units of limit/65535, layer by layer: half of float32, and still right to
the fourth decimal.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ui.components import pack_bytes, text_attributes
from ui.text.languages import Languages

UNIT = 65535


def pack(
    weights: npt.NDArray[np.floating],
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    limit: float = 1.0,
    languages: Languages = (None, None),
    covered: Sequence[int] = (),
    **others: object,
) -> bytes:
    """The maps with their tokens, and what else the browser is to know.

    Args:
        weights: (layers, heads, T, S), in [0, limit].
        query_tokens: T visible tokens.
        key_tokens: S visible tokens.
        limit: what the strongest colour stands for; 1 for weights.
        languages: of the queries and of the keys, where they are known.
        covered: rows, from 0, of which nothing is sent, whatever their weights are.
        others: of the component, as JSON takes it.

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
    header = {
        "shape": weights.shape,
        "covered": list(covered),
        "queries": list(query_tokens),
        "keys": list(key_tokens),
        "limit": limit,
        **text_attributes(query_tokens, key_tokens, languages),
        **others,
    }
    cells = np.rint(np.minimum(weights / limit, 1) * UNIT).astype("<u2")
    return pack_bytes(header, cells.tobytes())
