"""All heads of a model as one matrix, with a row for each attention and layer."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from model.nn.attention_model import AttentionConfig
from model.transformer.heads import KINDS, Head, Kind
from ui.components.matrices import Matrix, Scale
from ui.export.tables import Labels, Table
from ui.state.address import spell_heads
from ui.state.visitor import visitor
from ui.text.translator import Translator


def matrix_of_heads(
    values: npt.NDArray[np.floating],
    title: str,
    config: AttentionConfig,
    tr: Translator,
    *,
    kinds: Sequence[Kind] = KINDS,
    scale: Scale = "signed",
    limit: float | None = None,
    asks: bool = False,
) -> Matrix:
    """Arrange one number per head as a matrix, with a row for each attention and layer.

    Args:
        values: the numbers, in the order of ``all_heads``.
        title: of the matrix.
        config: of the model.
        tr: the visitor's language.
        kinds: the attentions whose heads the numbers belong to.
        scale: whether the numbers are signed, or weights from 0 to 1.
        limit: the number that gets the strongest colour; None: the largest of them.
        asks: whether the visitor has to choose a head first: its cells are empty buttons then.
    """
    rows = [(kind, layer) for kind in kinds for layer in range(config.n_layers)]
    row_labels = [tr(f"experiments.row.{kind}", n=layer + 1) for kind, layer in rows]
    column_labels = [str(n + 1) for n in range(config.n_heads)]
    return Matrix(
        values.reshape(len(rows), -1),
        title,
        labels=Labels(row_labels, column_labels),
        scale=scale,
        limit=limit,
        sparse=scale == "signed",  # most heads change little
        asks=asks,
        hint=tr("experiments.guess_click") if asks else "",
    )


def name_of(head: Head, tr: Translator) -> str:
    """Return the name of a head, made of its row and column in the matrix."""
    kind, layer, n = head
    return tr("experiments.a_head", row=tr(f"experiments.row.{kind}", n=layer + 1), head=n + 1)


def table_of_heads(heads: list[Head], **columns: Sequence[float | bool | None]) -> Table:
    """Return a table for saving, with a row for each head. Layers and heads count from 1.

    ``columns`` maps the name of each column to its numbers.
    """
    return Table.of(
        attention=[kind for kind, _, _ in heads],
        layer=[layer + 1 for _, layer, _ in heads],
        head=[n + 1 for _, _, n in heads],
        **columns,
    )


def ablate(heads: Iterable[Head], **fields: str) -> None:
    """Ablate exactly these heads in the ablation view. Called on a click.

    ``fields`` are other fields of the address to set.
    """
    visitor().set({"ablated": spell_heads(heads), **fields})
