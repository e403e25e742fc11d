"""A map as a small picture for a table: a PNG in a data URL."""

from __future__ import annotations

import base64
import io

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageColor

from model.pictures.colours import Colours

_SIDE = 48  # pixels


def thumbnail(weights: npt.NDArray[np.floating], colours: Colours) -> str:
    """Draw a map, every cell a few pixels.

    Args:
        weights: (T, S), in [0, 1].
        colours: of the theme.
    """
    cells = [
        [ImageColor.getrgb(colours.of(weight)) for weight in row]
        for row in np.clip(weights, 0, 1).tolist()
    ]
    picture = Image.fromarray(np.array(cells, dtype=np.uint8)).resize(
        (_SIDE, _SIDE), Image.Resampling.NEAREST
    )
    file = io.BytesIO()
    picture.save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
