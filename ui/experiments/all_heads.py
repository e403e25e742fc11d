"""All heads of a model as one matrix, a row for each attention of each layer."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from model.transformer.config import ModelConfig
from model.transformer.heads import KINDS, Head, Kind
from ui.components.matrices import Matrix
from ui.export.tables import Labels, Table
from ui.state.address import spell_heads
from ui.state.choices import change
from ui.text.translator import Translator


def matrix_of_heads(
    values: npt.NDArray[np.floating],
    title: str,
    config: ModelConfig,
    tr: Translator,
    *,
    kinds: Sequence[Kind] = KINDS,
    **more: Any,
) -> Matrix:
    """A number for each head, in the order of ``all_heads``: a row for each attention and layer.

    ``more`` are fields of ``Matrix``.
    """
    rows = [(kind, layer) for kind in kinds for layer in range(config.n_layers)]
    names = [tr(f"experiments.row.{kind}", n=layer + 1) for kind, layer in rows]
    labels = Labels(names, [str(n + 1) for n in range(config.n_heads)])
    return Matrix(values.reshape(len(rows), -1), title, labels=labels, **more)


def name_of(head: Head, tr: Translator) -> str:
    """One head, as its row and column are called."""
    kind, layer, n = head
    return tr("experiments.a_head", row=tr(f"experiments.row.{kind}", n=layer + 1), head=n + 1)


def table_of_heads(heads: list[Head], **columns: Sequence[float | bool | None]) -> Table:
    """Numbers of all heads, a line for each, layers and heads counted from 1."""
    kinds, layers, numbers = zip(*heads, strict=True)
    places = {"layer": [n + 1 for n in layers], "head": [n + 1 for n in numbers]}
    return Table.of(attention=kinds, **places, **columns)


def ablate(heads: Iterable[Head], **more: str) -> None:
    """Ablate these heads and no others on the workbench. To be called by what a click calls."""
    change(ablated=spell_heads(heads), **more)
