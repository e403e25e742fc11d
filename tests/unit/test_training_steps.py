"""The events of a training at each step, observed from outside."""

import io
import json
from itertools import count, pairwise
from types import SimpleNamespace

import pytest

from model import load, progress
from model.checkpoint.checkpoint import HISTORY
from model.corpora.corpus import read_corpus
from model.corpora.split import split_corpus
from model.train import main
from model.training.trainer import Training
from tests.conftest import PAIRS, options

pytestmark = pytest.mark.usefixtures("short_texts")
STEPS = 16
COURSE = f"--steps {STEPS} --eval-every 7 --save-every 5 --token-budget 900 --dropout 0"


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """Record a training: positions in the corpus, saved states, and facts about each step."""
    recorded = SimpleNamespace(
        folder=tmp_path_factory.mktemp("course") / "tiny",
        positions=[],
        saved=[],
        moved=[],
        tokens=[],
        losses=[],
        log=io.StringIO(),
    )
    step, save = Training.train_step, Training.save_state

    def train_step(training: Training, batch) -> float:
        recorded.positions.append((training.progress.epochs, training.progress.batch))
        tokens = training.model.unembed.weight
        before = tokens.detach().clone()
        recorded.tokens.append(batch.src.numel() + batch.tgt.numel())
        recorded.losses.append(step(training, batch))
        recorded.moved.append(float((tokens.detach() - before).abs().max()))
        return recorded.losses[-1]

    def save_state(training: Training) -> None:
        recorded.saved.append(training.progress.step)
        save(training)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Training, "train_step", train_step)
        patch.setattr(Training, "save_state", save_state)
        clock = SimpleNamespace(perf_counter=count(1000, 0.5).__next__)
        # a clock on which every step takes half a second
        patch.setattr("model.training.trainer.time", clock)
        patch.setattr("sys.stderr", recorded.log)
        patch.setattr(progress, "SECONDS_BETWEEN_LINES", 0)
        assert main(options(recorded.folder, COURSE)) == 0
    lines = (recorded.folder / HISTORY).read_text().splitlines()
    recorded.history = [json.loads(line) for line in lines]
    return recorded


def test_batches_and_epochs_follow_each_other_and_states_are_saved_at_intervals(watched):
    assert watched.positions[0] == (0, 0)
    for (passes, batch), then in pairwise(watched.positions):
        assert then in ((passes, batch + 1), (passes + 1, 0))
    assert watched.positions[-1][0] >= 2
    assert watched.saved[: STEPS // 5] == [5, 10, 15]
    assert watched.saved[-1] == STEPS


def test_a_step_moves_a_weight_by_its_rate(watched):
    """AdamW's first step is its learning rate, here 0.003 / 3, for any gradient but 0."""
    assert watched.moved[0] == pytest.approx(0.001, rel=1e-3)
    assert all(moved > 0 for moved in watched.moved)


def test_the_history_has_a_line_every_seven_steps_and_at_the_end(watched):
    assert [line["step"] for line in watched.history] == [7, 14, STEPS]
    ends = [position for position, then in pairwise(watched.positions) if then[1] == 0]
    sizes = {passes: batch + 1 for passes, batch in ends}
    n_checked = 0
    for line, (first, last) in zip(watched.history, pairwise([0, 7, 14, STEPS]), strict=True):
        passes, batch = watched.positions[last - 1]  # recorded before the step
        if passes in sizes:
            n_checked += 1
            assert line["epochs"] == round(passes + (batch + 1) / sizes[passes], 2)
        assert line["seconds"] == round(last / 2)
        speed = sum(watched.tokens[first:last]) / ((last - first) / 2)
        assert line["tokens_per_second"] == round(speed)
        mean = sum(watched.losses[first:last]) / (last - first)
        assert line["loss"] == pytest.approx(mean, abs=6e-5)  # it has four decimals
    assert n_checked


def test_the_log_shows_the_loss_of_each_step_and_the_speed_since_the_last_line(watched):
    lines = [line for line in watched.log.getvalue().splitlines() if "loss=" in line]
    shown = [line[line.index("loss=") : -1] for line in lines[:STEPS]]  # before the bracket "]"
    first = 0
    for step, (text, loss) in enumerate(zip(shown, watched.losses, strict=True), start=1):
        if step in (7, 14, STEPS):  # the history has just got a line
            first = step
            assert text == f"loss={loss:.3f}"
        else:
            speed = sum(watched.tokens[first:step]) / ((step - first) / 2)
            assert text == f"loss={loss:.3f}, tokens_per_second={speed:,.0f}"


def test_the_checkpoint_records_what_happened(watched):
    t, last = load(watched.folder), watched.history[-1]
    corpus = read_corpus(PAIRS)
    split = split_corpus(corpus.pairs)
    sizes = {name: len(getattr(split, name)) for name in ("train", "dev", "test")}
    expected = {
        "steps": STEPS,
        "epochs": last["epochs"],
        "seconds": last["seconds"],
        "n_parameters": t.n_parameters,
        "split": sizes | {"leaking": split.leaking},
        "corpus": {
            "files": [PAIRS.name],
            "sha256": corpus.sha256,
            "summary": str(corpus),
            "options": f"--corpus {PAIRS.name}",
        },
        "precision": "float32",
        "hardware": "1 CPU core",
    }
    assert t.training.items() >= expected.items()
