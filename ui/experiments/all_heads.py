"""All heads of a model as one matrix: a row for each attention of each layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from model.transformer.config import ModelConfig
from model.transformer.heads import KINDS, Head, Kind
from ui.export.tables import Table
from ui.text.translator import Translator


class Labels(TypedDict):
    """What stands beside the rows and above the columns."""

    row_labels: list[str]
    column_labels: list[str]


def rows_of_heads(config: ModelConfig) -> list[tuple[Kind, int]]:
    """Attention and layer, from 0, of each row; its columns are the heads. As ``all_heads``."""
    return [(kind, layer) for kind in KINDS for layer in range(config.n_layers)]


def labels_of_heads(config: ModelConfig, tr: Translator) -> Labels:
    """What the rows and the columns are called."""
    rows = [tr(f"experiments.row.{kind}", n=layer + 1) for kind, layer in rows_of_heads(config)]
    return {"row_labels": rows, "column_labels": [str(n + 1) for n in range(config.n_heads)]}


def name_of(head: Head, tr: Translator) -> str:
    """One head, as its row and column are called."""
    kind, layer, n = head
    return tr("experiments.a_head", row=tr(f"experiments.row.{kind}", n=layer + 1), head=n + 1)


def table_of_heads(heads: list[Head], **columns: Sequence[float | None]) -> Table:
    """Numbers of all heads, a line for each, layers and heads counted from 1."""
    kinds, layers, numbers = zip(*heads, strict=True)
    places = {
        "attention": kinds,
        "layer": [n + 1 for n in layers],
        "head": [n + 1 for n in numbers],
    }
    return Table.named(places | columns)
