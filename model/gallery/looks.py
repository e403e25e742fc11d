"""Where the rows of some words look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from model.gallery.example import NOTHING, Found
from model.gallery.scene import Scene, has_word, places, run_of
from model.maps.view import View, ViewChoice
from model.transformer.heads import Head

Cell = tuple[int, int]

_ENOUGH = 4  # links of a head that aligns
_DIAGONAL = 3  # subwords of a name: of two nobody sees that they are a diagonal


def linked(scene: Scene, head: Head) -> Found:
    """The first words of every link: the row looks most at the column. The least weight of all."""
    view = _by_words(scene, head)
    links = scene.candidate.links
    cells = [cell for row, column in links for cell in _cells(view, row, column)[:1]]
    return _weakest(view, head, cells) if len(cells) == len(links) else NOTHING


def crossed(scene: Scene, head: Head) -> Found:
    """As ``linked``, two words side by side that stand in the other order in the source."""
    found = linked(scene, head)
    match found.cells:
        case ((row, column), (next_row, next_column)):
            if (next_row, next_column) == (row + 1, column - 1):
                return found
    return NOTHING


def repeated(scene: Scene, head: Head) -> Found:
    """As ``linked``, a word that stands there twice: each time it looks at its own counterpart."""
    view = _by_words(scene, head)
    links = scene.candidate.links
    cells = _cells(view, *links[0]) if len(links) == 1 else []
    return _weakest(view, head, cells) if len(cells) == 2 else NOTHING


def aligned(scene: Scene, head: Head) -> Found:
    """As ``linked``, of the links that the translation has, four or more: the mean weight."""
    view = _by_words(scene, head)
    links = scene.candidate.links
    cells = [cell for row, column in links for cell in _cells(view, row, column)[:1]]
    if len(cells) < _ENOUGH or _weakest(view, head, cells) == NOTHING:
        return NOTHING
    return Found(float(np.mean([_strongest(view, head, cell) for cell in cells])), tuple(cells))


def contrasted(scene: Scene, head: Head) -> Found:
    """As ``linked``; and with a word of the sentence exchanged another word is written, too."""
    here, there = scene.candidate.changes
    found = linked(scene, head)
    if found == NOTHING or not has_word(scene.trace, here):
        return NOTHING
    changes = has_word(scene.second, there) and not has_word(scene.second, here)
    return found if changes else NOTHING


def mistaken(scene: Scene, head: Head) -> Found:
    """As ``linked``, for a word that is wrong, where the right one is nowhere."""
    wrong, right = scene.candidate.changes
    fails = has_word(scene.trace, wrong) and not has_word(scene.trace, right)
    return linked(scene, head) if fails else NOTHING


def copied(scene: Scene, head: Head) -> Found:
    """Each subword of a name is written while the same one is looked at: the mean weight."""
    kind, layer, number = head
    view = scene.view(ViewChoice(kind=kind, rows="written"))
    rows, columns = (run_of(side, scene.candidate.name) for side in _tokens(view))
    if len(rows) < _DIAGONAL or len(rows) != len(columns):
        return NOTHING
    cells = tuple(zip(rows, columns, strict=True))
    if any(_strongest(view, head, cell) == 0 for cell in cells):
        return NOTHING
    weights = view.heads[layer, number]
    return Found(float(np.mean([weights[cell] for cell in cells])), cells)


def _by_words(scene: Scene, head: Head) -> View:
    return scene.view(ViewChoice(kind=head[0], rows="written", unit="words"))


def _tokens(view: View) -> tuple[Sequence[str], Sequence[str]]:
    return view.query_tokens, view.key_tokens


def _cells(view: View, row: str, column: str) -> list[Cell]:
    """Where two words meet: the first of one with the first of the other, and so on."""
    queries, keys = _tokens(view)
    return list(zip(places(queries, row), places(keys, column), strict=False))


def _strongest(view: View, head: Head, cell: Cell) -> float:
    """The cell's weight where nothing in its row is stronger, otherwise 0."""
    row, column = cell
    weights = view.heads[head[1:]][row]
    return float(weights[column]) if weights.argmax() == column else 0.0


def _weakest(view: View, head: Head, cells: Sequence[Cell]) -> Found:
    """Nothing where one of the rows looks elsewhere, or where there is none."""
    least = min((_strongest(view, head, cell) for cell in cells), default=0.0)
    return Found(least, tuple(cells)) if least > 0 else NOTHING
