"""Snapshots of a training: the right steps, the right weights, also where it was interrupted."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.overrides import TorchFunctionMode

from model.checkpoint.checkpoint import HISTORY, WEIGHTS, CheckpointError
from model.checkpoint.snapshots import list_snapshots, load_snapshot, snapshot_path, snapshot_steps
from model.train import main
from model.training.trainer import Training
from model.transformer.transformer import untrained
from model.translation_model import TranslationModel, load_transformer
from tests.conftest import PAIRS

STEPS, N = 24, 5
KEPT = [0, 1, 2, 6, 24]


def options(folder: Path, *more: str) -> list[str]:
    sizes = "--vocab-size 300 --d-model 16 --n-heads 2 --n-layers 1 --d-ff 32 --token-budget 300"
    settings = f"--steps {STEPS} --warmup 3 --eval-every 10 --save-every 5 --snapshots {N}"
    how = "--threads 1 --device cpu --precision float32"
    return [
        "--corpus",
        str(PAIRS),
        "--out",
        str(folder),
        *f"{sizes} {settings} {how}".split(),
        *more,
    ]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "tiny"
    assert main(options(folder)) == 0
    return folder


@pytest.fixture
def copied(trained: Path, tmp_path: Path) -> TranslationModel:
    """The same, to be broken."""
    return load_transformer(shutil.copytree(trained, tmp_path / "broken"))


def snapshot_bytes(folder: Path) -> dict[int, bytes]:
    return {step: snapshot_path(folder, step).read_bytes() for step in list_snapshots(folder)}


@pytest.mark.parametrize(("steps", "n"), [(1, 2), (5, 6), (24, 5), (300, 300), (12_000, 12)])
def test_steps_are_different_and_reach_from_the_first_to_the_last(steps: int, n: int) -> None:
    kept = snapshot_steps(steps, n)
    assert kept == sorted(set(kept))
    assert (len(kept), kept[0], kept[-1]) == (n, 0, steps)


def test_gaps_grow_geometrically() -> None:
    kept = snapshot_steps(1_000_000, 12)
    gaps = [later - earlier for earlier, later in pairwise(kept)]
    ratios = [later / earlier for earlier, later in pairwise(gaps)]
    assert ratios == pytest.approx([200 ** (1 / 11)] * 10, rel=1e-3)


@pytest.mark.parametrize("n", [-1, 1, 26])
def test_impossible_numbers_of_snapshots(
    n: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options(tmp_path, "--snapshots", str(n))) == 1
    assert f"between 2 and steps + 1 = 25, got {n}" in capsys.readouterr().err


def test_no_snapshots_unless_asked_for(tmp_path: Path) -> None:
    assert main(options(tmp_path, "--snapshots", "0", "--steps", "2")) == 0
    assert not (tmp_path / "snapshots").exists()
    assert "--snapshots 0 " in (tmp_path / "config.json").read_text()


def test_a_training_keeps_what_was_asked_for(trained: Path) -> None:
    assert list_snapshots(trained) == KEPT
    assert all(path.suffix == ".safetensors" for path in (trained / "snapshots").iterdir())
    training = json.loads((trained / "config.json").read_text())["training"]
    assert f"--vocab-size 300 --snapshots {N} " in training["command"]
    lines = [json.loads(line)["step"] for line in (trained / HISTORY).read_text().splitlines()]
    assert lines == [1, 2, 6, 10, 20, 24]


def test_first_is_untrained_and_last_is_what_was_shipped(trained: Path) -> None:
    shipped = load_file(trained / WEIGHTS)
    last = load_file(snapshot_path(trained, STEPS))
    assert shipped.keys() == last.keys()
    for name, weights in last.items():
        assert weights.dtype == torch.float16
        assert torch.equal(weights, shipped[name])
    t = load_transformer(trained)
    first = load_snapshot(t.folder, t.config, 0)
    assert not first.training
    for name, p in first.named_parameters():
        if name.endswith(("bias", "norm.weight")):  # what nothing random is drawn for
            assert p.unique().numel() == 1, name
    src, tgt = torch.tensor([[1, 9, 8, 2]]), torch.tensor([[1, 7, 6]])
    mask = torch.ones(1, 1, 1, 4, dtype=torch.bool)
    last_model = load_snapshot(t.folder, t.config, STEPS)
    assert torch.equal(last_model(src, tgt, mask), t.model(src, tgt, mask))
    assert not torch.equal(first(src, tgt, mask), t.model(src, tgt, mask))


def test_killed_and_resumed_has_the_same_snapshots(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It dies in step 8, after the snapshot of step 6; its state is that of step 5."""
    train_step = Training.train_step

    def dying(training: Training, batch: object) -> float:
        if training.progress.step == 7:
            raise RuntimeError("killed")
        return train_step(training, batch)  # type: ignore[arg-type]

    monkeypatch.setattr(Training, "train_step", dying)
    with pytest.raises(RuntimeError, match="killed"):
        main(options(tmp_path))
    monkeypatch.undo()
    assert list_snapshots(tmp_path) == [0, 1, 2, 6]
    snapshot_path(tmp_path, 6).write_bytes(b"torn")
    snapshot_path(tmp_path, 9).write_bytes(b"of a run with other steps")
    assert main(options(tmp_path, "--resume")) == 0
    assert snapshot_bytes(tmp_path) == snapshot_bytes(trained)


def test_a_new_training_forgets_those_of_the_old_one(trained: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(trained, tmp_path / "again"))
    (folder / "training.safetensors").unlink()
    assert main(options(folder, "--snapshots", "2", "--steps", "3", "--overwrite")) == 0
    assert list_snapshots(folder) == [0, 3]


def test_other_files_are_no_snapshots(copied: TranslationModel) -> None:
    for name in ("7.part", "last.safetensors", "²3.safetensors", "-4.safetensors"):
        (copied.folder / "snapshots" / name).write_bytes(b"")
    assert list_snapshots(copied.folder) == KEPT


class Called(TorchFunctionMode):
    """Notes what is called of PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.add(func.__name__)
        return func(*args, **(kwargs or {}))


def test_no_weight_is_drawn_that_a_file_replaces(copied: TranslationModel) -> None:
    with Called() as drawn:
        untrained(copied.config)
    with Called() as called:
        assert not load_snapshot(copied.folder, copied.config, 6).training
    assert "normal_" in drawn.names
    assert not called.names & {"normal_", "uniform_"}


def test_a_missing_snapshot_is_named(copied: TranslationModel) -> None:
    with pytest.raises(CheckpointError, match=r"no snapshot of step 7; those it has: 0, 1, 2, 6"):
        load_snapshot(copied.folder, copied.config, 7)


def test_a_torn_snapshot_is_named(copied: TranslationModel) -> None:
    path = snapshot_path(copied.folder, 6)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CheckpointError, match=r"6\.safetensors are cut off or damaged"):
        load_snapshot(copied.folder, copied.config, 6)


def test_a_snapshot_of_another_model_is_named(copied: TranslationModel) -> None:
    path = snapshot_path(copied.folder, 6)
    weights = load_file(path)
    name = next(iter(weights))
    save_file(weights | {name: weights[name][:1].clone()}, path)
    with pytest.raises(CheckpointError, match=r"6\.safetensors do not fit .* has shape"):
        load_snapshot(copied.folder, copied.config, 6)
