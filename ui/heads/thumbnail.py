"""A map as a small picture for a table: a PNG in a data URL."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image

_SIDE = 48  # pixels


def thumbnail(weights: npt.NDArray[np.floating], colours: Sequence[str]) -> str:
    """Draw a map, every cell a few pixels.

    Args:
        weights: (T, S), in [0, 1].
        colours: of the scale, from 0 to 1, as ``#rrggbb``.
    """
    stops = np.array([[int(c[at : at + 2], 16) for at in (1, 3, 5)] for c in colours])
    place = np.clip(weights, 0, 1) * (len(stops) - 1)
    rgb = np.stack([np.interp(place, range(len(stops)), stops[:, c]) for c in range(3)], axis=-1)
    picture = Image.fromarray(rgb.round().astype(np.uint8)).resize(
        (_SIDE, _SIDE), Image.Resampling.NEAREST
    )
    file = io.BytesIO()
    picture.save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
