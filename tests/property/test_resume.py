"""A training stopped in any way and resumed ends where one never stopped ends."""

import os
import signal
from dataclasses import fields

import pytest

from model.checkpoint.checkpoint import WEIGHTS
from model.checkpoint.snapshots import list_snapshots, snapshot_path
from model.data.augmentation import Shares
from model.data.language_pair import language_pair_of
from model.train import main
from model.training.trainer import Training, TrainingConfig
from tests.conftest import PAIRS

ARCHS = {
    "transformer": "--n-heads 2 --n-layers 1 --d-ff 32 --snapshots 4",
    "bahdanau": "--arch bahdanau --d-hidden 12",
}


def options(folder) -> list[str]:
    words = f"{ARCHS[folder.name]} --vocab-size 300 --d-model 16 --token-budget 300 --steps 8"
    how = "--warmup 3 --eval-every 7 --save-every 3 --threads 1 --device cpu --precision float32"
    return ["--corpus", str(PAIRS), "--out", str(folder), *words.split(), *how.split()]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    root = tmp_path_factory.mktemp("uninterrupted")
    for arch in ARCHS:
        assert main(options(root / arch)) == 0
    return root


def test_this_run_is_augmented(pairs):
    """So what follows holds for rewritten, made and joined sentences too."""
    defaults = TrainingConfig(steps=8)
    assert all(getattr(defaults, share.name) > 0 for share in fields(Shares))
    assert language_pair_of(pairs).name == "en-fr"


def files(folder) -> dict[str, bytes]:
    kept = [folder / WEIGHTS, *(snapshot_path(folder, step) for step in list_snapshots(folder))]
    return {path.name: path.read_bytes() for path in kept}


@pytest.mark.parametrize(
    ("arch", "stop"),
    [*(("transformer", s) for s in (signal.SIGINT, signal.SIGTERM, None)), ("bahdanau", None)],
)
def test_stopped_and_resumed(arch, stop, uninterrupted, tmp_path, monkeypatch):
    """Within a step. A signal waits for its end; killed, it goes on after the state of step 3."""
    average = Training._update_average

    def interrupted(training: Training, step: int) -> None:
        if step == 4 and stop is None:
            raise RuntimeError("killed")
        if step == 4 and stop is not None:
            os.kill(os.getpid(), stop)
        average(training, step)

    folder = tmp_path / arch
    with monkeypatch.context() as patch:
        patch.setattr(Training, "_update_average", interrupted)
        if stop is None:
            with pytest.raises(RuntimeError, match="killed"):
                main(options(folder))
        else:
            assert main(options(folder)) == 130
    assert not (folder / WEIGHTS).exists()
    if list_snapshots(folder):
        for later in (6, 7):
            snapshot_path(folder, later).write_bytes(b"torn, or of a run with other steps")
    assert main([*options(folder), "--resume"]) == 0
    assert files(folder) == files(uninterrupted / arch)
