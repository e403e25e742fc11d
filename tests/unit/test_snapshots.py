"""Snapshots of a training: the right steps, the right weights, and what is none."""

import json
import shutil
from itertools import pairwise

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.overrides import TorchFunctionMode

from model.checkpoint.checkpoint import HISTORY, WEIGHTS, CheckpointError
from model.checkpoint.snapshots import list_snapshots, load_snapshot, snapshot_path, snapshot_steps
from model.train import main
from model.transformer.transformer import untrained
from model.translation_model import load_transformer
from tests.conftest import PAIRS

STEPS, KEPT = 9, [0, 1, 2, 9]


def options(folder, *more: str) -> list[str]:
    sizes = "--vocab-size 300 --d-model 16 --n-heads 2 --n-layers 1 --d-ff 32 --token-budget 300"
    settings = f"--steps {STEPS} --warmup 3 --eval-every 4 --save-every 5 --snapshots {len(KEPT)}"
    words = f"{sizes} {settings} --threads 1 --device cpu --precision float32".split()
    return ["--corpus", str(PAIRS), "--out", str(folder), *words, *more]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "tiny"
    assert main(options(folder)) == 0
    return folder


@pytest.fixture
def copied(trained, tmp_path):
    return load_transformer(shutil.copytree(trained, tmp_path / "broken"))


@pytest.mark.parametrize(("steps", "n"), [(1, 2), (5, 6), (24, 5), (300, 300), (12_000, 12)])
def test_steps_are_different_and_reach_from_the_first_to_the_last(steps, n):
    kept = snapshot_steps(steps, n)
    assert kept == sorted(set(kept))
    assert (len(kept), kept[0], kept[-1]) == (n, 0, steps)


def test_gaps_grow_geometrically():
    kept = snapshot_steps(1_000_000, 12)
    gaps = [later - earlier for earlier, later in pairwise(kept)]
    ratios = [later / earlier for earlier, later in pairwise(gaps)]
    assert ratios == pytest.approx([200 ** (1 / 11)] * 10, rel=1e-3)


def test_a_training_keeps_what_was_asked_for_and_forgets_what_was_there(trained, copied):
    assert list_snapshots(trained) == KEPT
    assert all(path.suffix == ".safetensors" for path in (trained / "snapshots").iterdir())
    lines = [json.loads(line)["step"] for line in (trained / HISTORY).read_text().splitlines()]
    assert lines == [1, 2, 4, 8, 9]
    (copied.folder / "training.safetensors").unlink()
    again = options(copied.folder, "--snapshots", "2", "--steps", "3", "--overwrite")
    assert main(again) == 0
    assert list_snapshots(copied.folder) == [0, 3]
    assert main([*again, "--snapshots", "0"]) == 0
    assert not (copied.folder / "snapshots").exists()


def test_first_is_untrained_and_last_is_what_was_shipped(trained):
    shipped, last = load_file(trained / WEIGHTS), load_file(snapshot_path(trained, STEPS))
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


class Called(TorchFunctionMode):
    """Notes what is called of PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.add(func.__name__)
        return func(*args, **(kwargs or {}))


def test_no_weight_is_drawn_that_a_file_replaces(trained):
    config = load_transformer(trained).config
    with Called() as drawn:
        untrained(config)
    with Called() as called:
        load_snapshot(trained, config, 2)
    assert "normal_" in drawn.names
    assert not called.names & {"normal_", "uniform_"}


def test_what_is_no_snapshot_or_damaged_is_named(trained, copied):
    for name in ("7.part", "last.safetensors", "²3.safetensors", "-4.safetensors"):
        (copied.folder / "snapshots" / name).write_bytes(b"")
    assert list_snapshots(copied.folder) == KEPT
    with pytest.raises(CheckpointError, match=r"step 7; those it has: 0, 1, 2, 9"):
        load_snapshot(copied.folder, copied.config, 7)
    path = snapshot_path(copied.folder, 2)
    weights = load_file(snapshot_path(trained, 2))
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CheckpointError, match=r"2\.safetensors are cut off or damaged"):
        load_snapshot(copied.folder, copied.config, 2)
    name = next(iter(weights))
    save_file(weights | {name: weights[name][:1].clone()}, path)
    with pytest.raises(CheckpointError, match=r"2\.safetensors do not fit .* has shape"):
        load_snapshot(copied.folder, copied.config, 2)
