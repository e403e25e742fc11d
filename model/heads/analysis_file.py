"""``analysis.json``: what was measured of a model's heads, beside its checkpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from model.checkpoint.checkpoint import read_config
from model.checkpoint.mark import ANALYSIS, mark_of
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import read_json
from model.files.regular_file import is_there
from model.files.replacing import standing, write_text
from model.files.schemas import Analysis
from model.transformer.config import ModelConfig
from model.transformer.heads import KINDS

_REMEDY = "Make it again with python -m model.analyse."


def save_analysis(folder: Path, analysis: Mapping[str, Any]) -> Path:
    """Write it beside the checkpoint, whole or not at all."""
    path = folder / ANALYSIS
    write_text(path, json.dumps(analysis, indent=1) + "\n")
    return path


def read_analysis(folder: str | Path) -> Analysis | None:
    """What was written, or None where the model was not analysed, or has changed since.

    Raises:
        CheckpointError: the file is damaged.
    """
    folder = standing(Path(folder))
    path = folder / ANALYSIS
    if not is_there(path):
        return None
    analysis = read_json(path, Analysis, remedy=_REMEDY)
    if analysis.get("model", "") != mark_of(folder):
        return None
    config = read_config(folder)[0]
    assert isinstance(config, ModelConfig)  # only its weights have a mark
    if not _is_whole(analysis, config.n_layers, config.n_heads):
        raise CheckpointError(f"The file {path} is damaged (heads are missing). {_REMEDY}")
    return analysis


def _is_whole(analysis: Analysis, n_layers: int, n_heads: int) -> bool:
    """Whether every head has all measures, and all curves have as many points."""
    alignment = analysis["alignment"]
    tables = [alignment["rates"], *alignment.get("halves", ())] if alignment else []
    rates = [rate for table in tables for rate in _each(table)]
    relations = _each(analysis["syntax"]["relations"]) if "syntax" in analysis else []
    by_head: list[Any] = [analysis["statistics"][kind] for kind in KINDS]
    by_head += [table[kind] for table in _each(analysis["importance"]) for kind in KINDS]
    by_head += [rate["heads"] for rate in rates]
    by_head += [relation[name] for relation in relations for name in ("heads", "like")]
    removed = [[point["removed"] for point in curve] for curve in _each(analysis["pruning"])]
    return (
        all([len(heads) for heads in table] == [n_heads] * n_layers for table in by_head)
        and all(len(rate["layers"]) == n_layers for rate in rates)
        and all(curve == removed[0] for curve in removed)
    )


def _each(table: Mapping[str, Any]) -> list[Any]:
    return list(table.values())
