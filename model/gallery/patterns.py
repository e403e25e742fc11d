"""What a head does in all rows of a map, whatever the words."""

from __future__ import annotations

import numpy as np

from model.gallery.example import NOTHING, Found
from model.gallery.scene import Scene
from model.heads.statistics import POSITIONAL
from model.maps.measures import column_mass, sink_column
from model.maps.view import ViewChoice
from model.transformer.heads import Head


def sunk(scene: Scene, head: Head) -> Found:
    """The share of the attention that goes to one token, though it says little."""
    view = scene.view(ViewChoice(kind=head[0]))
    weights = view.heads[head[1:]]
    column = sink_column(weights, view.key_tokens)
    if column is None:
        return NOTHING
    cells = tuple((row, column) for row in range(len(weights)))
    return Found(float(column_mass(weights)[column]), cells)


def previous(scene: Scene, head: Head) -> Found:
    """Nearly all rows look most at the token before their own: the mean weight there."""
    weights = scene.view(ViewChoice(kind=head[0])).heads[head[1:]]
    before = np.diagonal(weights, offset=-1)  # of every row but the first
    share = (weights[1:].argmax(axis=-1) == np.arange(len(before))).mean()
    if share < POSITIONAL:
        return NOTHING
    return Found(float(before.mean()), tuple((row + 1, row) for row in range(len(before))))
