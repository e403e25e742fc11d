"""What is written reads as the shipped files do, in folders that are made however deep they lie."""

import json
import os
import stat
from pathlib import Path

import pytest

from model.checkpoint import weights_file
from model.checkpoint.architectures import read_architecture
from model.checkpoint.checkpoint import load_checkpoint, save_checkpoint, save_config
from model.checkpoint.snapshots import list_snapshots, save_snapshot
from model.checkpoint.weights_file import save_weights
from model.evaluation.comparison import save_comparison
from model.files.checkpoint_error import CheckpointError
from model.heads.analysis import save_analysis

SHIPPED = Path(__file__).parents[2] / "checkpoints"


def test_files_look_like_the_shipped_ones(tmp_path):
    for name in ("en-fr", "en-fr-bahdanau"):
        text = (SHIPPED / name / "config.json").read_text("utf-8")
        values = json.loads(text)
        save_config(tmp_path, read_architecture(values["architecture"]), values["training"])
        assert (tmp_path / "config.json").read_text("utf-8") == text
    for path, save in (
        (SHIPPED / "en-fr" / "analysis.json", save_analysis),
        (SHIPPED / "comparison.json", save_comparison),
    ):
        text = path.read_text("utf-8")
        assert save(tmp_path, json.loads(text)).read_text("utf-8") == text


def test_folders_that_are_missing_are_made(tiny_checkpoint, tokenizer, tmp_path):
    model = load_checkpoint(tiny_checkpoint)[0]
    save_checkpoint(tmp_path / "a" / "b" / "c", model, tokenizer, {})
    assert load_checkpoint(tmp_path / "a" / "b" / "c")[2] == {}
    for step in (3, 4):
        save_snapshot(tmp_path / "d" / "e", step, model)
    assert list_snapshots(tmp_path / "d" / "e") == [3, 4]
    weights = {id(p) for p in model.parameters()}  # positions are none that are stored
    assert {id(t) for t in model.state_dict(keep_vars=True).values()} == weights


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_weights_may_be_read_by_whom_the_umask_allows(tiny_checkpoint, tmp_path):
    """safetensors alone would write them for their owner; who may read them then stays so."""

    def mode(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    path, other = tmp_path / "w.safetensors", tmp_path / "other"
    model = load_checkpoint(tiny_checkpoint)[0]
    other.touch()
    save_weights(path, model)
    assert mode(path) == mode(other)
    path.chmod(0o640)
    save_weights(path, model)
    assert mode(path) == 0o640
    assert sorted(file.name for file in tmp_path.iterdir()) == ["other", "w.safetensors"]


def test_weights_that_may_not_be_read_are_not_called_damaged(tiny_checkpoint, monkeypatch):
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(weights_file, "open_regular", refused)
    with pytest.raises(CheckpointError, match="may not be read by this user"):
        load_checkpoint(tiny_checkpoint)
