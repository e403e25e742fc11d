"""A training that is stopped and resumed ends like one that was never stopped."""

import os
import signal

import pytest

from model import load
from model.checkpoint.checkpoint import WEIGHTS
from model.checkpoint.snapshots import list_snapshots, snapshot_path
from model.corpora.corpus import read_corpus
from model.corpora.split import split_corpus
from model.evaluation.scoring import evaluate
from model.recurrent.config import RECURRENT_ARCHS
from model.train import main
from model.training.trainer import Training
from tests import conftest
from tests.conftest import PAIRS

ARCHS = {
    "transformer": "--snapshots 4",
    "bahdanau": "--arch bahdanau --d-hidden 12",
}


def options(folder) -> list[str]:
    course = "--steps 8 --eval-every 7 --save-every 3"
    return conftest.options(folder, f"{ARCHS[folder.name]} {course}")


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    root = tmp_path_factory.mktemp("uninterrupted")
    for arch in ARCHS:
        assert main(options(root / arch)) == 0
    return root


def files(folder) -> dict[str, bytes]:
    paths = [folder / WEIGHTS, *(snapshot_path(folder, step) for step in list_snapshots(folder))]
    return {path.name: path.read_bytes() for path in paths}


@pytest.mark.parametrize(
    ("arch", "stop"),
    [*(("transformer", s) for s in (signal.SIGINT, signal.SIGTERM, None)), ("bahdanau", None)],
)
def test_a_training_that_is_stopped_and_resumed_writes_the_same_files(
    arch, stop, uninterrupted, tmp_path, monkeypatch
):
    """It is stopped within step 4.

    A signal lets this step end. If ``stop`` is None, the process is killed, and step 3 is the last.
    """
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


@pytest.mark.slow
@pytest.mark.parametrize("arch", RECURRENT_ARCHS)
def test_a_model_learns_a_few_pairs_by_heart(arch, tmp_path):
    sizes = "--vocab-size 400 --d-model 48 --d-hidden 64 --token-budget 1500"
    settings = "--steps 400 --warmup 20 --cooldown 0.3 --dropout 0 --bpe-dropout 0 --ema-decay 0.9"
    words = f"--arch {arch} {sizes} {settings} --label-smoothing 0"
    assert main(conftest.options(tmp_path, words)) == 0
    learned: dict[str, list[str]] = {}
    for source, target in split_corpus(read_corpus(str(PAIRS)).pairs).train:
        learned.setdefault(source, []).append(target)
    t = load(tmp_path)
    assert evaluate(t.model, t.tokenizer, learned).bleu > 90
