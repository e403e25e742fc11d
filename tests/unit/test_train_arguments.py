"""What model.train refuses, it refuses before it touches anything; what it replaces, whole."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from model import load, train
from model.checkpoint.before import NOTHING, whole_way
from model.checkpoint.checkpoint import CONFIG, WEIGHTS, list_checkpoints, save_checkpoint
from model.checkpoint.snapshots import load_snapshot
from model.data.batches import Batch
from model.data.corpus import Pair
from model.data.pieces.marian_files import read_marian_tokenizer
from model.train import main
from model.training.runs import list_runs, read_run
from model.training.state import read_origin, read_state, write_state
from model.training.trainer import STATE, Training
from model.translation_model import load_transformer
from tests.conftest import PAIRS, marian_like
from tests.marian_files import write_marian_tokenizer

_CLEAR = {"device", "precision"}  # their choices say it
SIZES = "--vocab-size 300 --d-model 16 --n-heads 2 --n-layers 1 --d-ff 32 --token-budget 300"
COURSE = "--warmup 3 --eval-every 4 --save-every 2 --snapshots 3 --threads 1 --device cpu"


def options(folder: Path, *more: str, steps: int = 6) -> list[str]:
    words = f"{SIZES} {COURSE} --precision float32 --steps {steps}".split()
    return ["--corpus", str(PAIRS), "--out", str(folder), *words, *more]


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "finished"
    assert main(options(folder)) == 0
    return folder


def test_the_recorded_command_names_every_setting(trained: Path) -> None:
    """So that it says the same when a default has changed."""
    recorded = load(trained).training["command"].split()
    again = train._parser().parse_args(recorded[3:])
    named = {f"--{name.replace('_', '-')}" for name in vars(again)}
    silent = {"--device", "--precision", "--threads", "--resume", "--overwrite", "--begin-with"}
    silent |= {"--simplified", "--new-vocabulary", "--mean-with"}  # named where they are on
    of_others = {"--d-hidden", "--cell"}
    assert named - set(recorded) == silent | of_others
    expected = train._parser().parse_args(options(trained))
    for name, value in vars(expected).items():
        if name not in ("corpus", "out", "device", "precision", "threads"):
            assert getattr(again, name) == value


@pytest.fixture
def root(trained: Path, tmp_path: Path) -> Path:
    """A finished training, and one that is not finished."""
    shutil.copytree(trained, tmp_path / "finished")
    shutil.copytree(trained, tmp_path / "unfinished")
    for name in (CONFIG, WEIGHTS):
        (tmp_path / "unfinished" / name).unlink()
    return tmp_path


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """What stands on standard error, where it is one sentence and no traceback."""
    text = capsys.readouterr().err
    lines = [line for line in text.splitlines() if line.startswith("python -m model.train: ")]
    assert len(lines) == 1, text
    assert "Traceback" not in text
    return lines[0]


MISTAKES = {
    "": "holds a finished model",
    "--n-heads 7": "does not divide",
    "--resume": "holds a finished model",
    "--overwrite --n-heads 7": "does not divide",
    "--overwrite --d-model 15 --n-heads 1": "must be even",
    "--overwrite --steps 0": "steps must be from",
    "--overwrite --steps -3": "steps must be from",
    "--overwrite --snapshots 1": "snapshots must be",
    "--overwrite --snapshots 9": "snapshots must be",
    "--overwrite --vocab-size 3": "--vocab-size must be from",
    "--overwrite --vocab-size -300": "--vocab-size must be from",
    "--overwrite --threads 0": "--threads must be from",
    "--overwrite --dropout 1": "dropout must be",
    "--overwrite --dropout nan": "dropout must be",
    "--overwrite --cooldown 0": "cooldown must be from",
    "--overwrite --muon-lr nan": "muon_lr must be from",
    "--overwrite --warmup -1": "warmup must be from",
    "--overwrite --eval-every 0": "eval_every must be from",
    "--overwrite --save-every 0": "save_every must be from",
    "--overwrite --seed -1": "seed must be from",
    "--overwrite --max-length 99999999": "max_length must be",
    "--overwrite --n-layers 1000000000": "n_layers must be",
    "--overwrite --d-model 100000 --d-ff 100000": "weights",
    "--overwrite --arch bahdanau": "does not apply to --arch",
    "--overwrite --corpus nowhere.tsv": "cannot read the corpus",
    "--overwrite --begin-with nowhere": "nowhere",
    "--overwrite --resume --n-heads 4": "another architecture",
    "--overwrite --resume --n-layers 2": "another architecture",
    "--overwrite --resume --d-ff 64": "another architecture",
}
if not torch.cuda.is_available():
    MISTAKES["--overwrite --device cuda"] = "no CUDA device"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_changes_nothing(
    mistake: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = content(root)
    assert main(options(root / "finished", *mistake.split())) == 1
    assert MISTAKES[mistake] in complaint(capsys)
    assert content(root) == before
    assert not (root / "finished.new").exists()


def test_beginning_with_another_model(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = root / "finished", root / "second"
    begin = ["--begin-with", str(first)]
    assert main(options(second, "--n-layers", "2", *begin)) == 1
    assert "is built otherwise" in complaint(capsys)
    assert not second.exists()
    assert main(options(second, "--seed", "5", "--dropout", "0.3", *begin, steps=2)) == 0
    old, new = load_transformer(first), load_transformer(second)
    assert new.tokenizer.bpe.to_str() == old.tokenizer.bpe.to_str()
    for name, p in load_snapshot(new.folder, new.config, 0).named_parameters():
        torch.testing.assert_close(p, old.model.get_parameter(name), rtol=0, atol=0)
    told = f"finished, 6 steps of: {old.training['command']}"
    assert new.training["begun_with"] == told
    assert told in (second / "README.md").read_text(encoding="utf-8")
    assert main(options(second, "--overwrite", "--resume", steps=4)) == 0
    assert load(second).training["begun_with"] == told
    third = root / "third"
    assert main(options(third, "--begin-with", str(second), steps=2)) == 0
    runs = [read_run(folder) for folder in (first, second, third)]
    assert [run.history[-1]["step"] for run in runs] == [6, 10, 12]
    assert runs[2].history[: len(runs[1].history)] == runs[1].history
    assert [entry["from_step"] for entry in runs[2].settings_history] == [0, 6, 8, 10]
    assert [run.finished for run in runs] == [True] * 3
    (second / "training.safetensors").unlink()  # what is kept to go on is not needed to tell
    assert read_run(second) == replace(runs[1], seen=read_run(second).seen)
    epochs = sum(load(folder).training["epochs"] for folder in (first, second, third))
    assert whole_way(load(third).training, [])["epochs"] == pytest.approx(epochs)
    assert whole_way(load(third).training, [])["hardware"] == "1 CPU core"
    elsewhere = load(third).training | {"hardware": "a graphics card"}
    assert whole_way(elsewhere, [])["hardware"] == "1 CPU core, then a graphics card"
    fourth = {"before": whole_way(elsewhere, []), "hardware": "a graphics card"}
    assert whole_way(fourth, [])["hardware"] == "1 CPU core, then a graphics card"
    fifth = {"before": {**whole_way(fourth, []), "hardware": "12 CPU cores"}}
    ended = whole_way(fifth | {"hardware": "2 CPU cores"}, [])["hardware"]
    assert ended == "12 CPU cores, then 2 CPU cores"
    assert "All together made 12 steps" in (third / "README.md").read_text(encoding="utf-8")
    whole = load(third).training["begun_with"]
    assert whole.startswith("second, 4 steps of: ")
    assert whole.endswith(f"; that one with those of {told}")


def test_beginning_with_the_mean_of_several(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, mean = (root / name for name in ("finished", "second", "mean"))
    assert main(options(second, "--begin-with", str(first), "--seed", "5", steps=2)) == 0
    with_both = ["--begin-with", str(second), "--mean-with", str(second), str(first)]
    assert main(options(mean, *with_both[2:], steps=2)) == 1
    assert "--mean-with is for a training with --begin-with" in complaint(capsys)
    assert main(options(mean, *with_both, "--dropout", "0.3", steps=2)) == 0
    one, two, new = (load_transformer(folder) for folder in (first, second, mean))
    for name, p in load_snapshot(mean, new.config, 0).named_parameters():
        expected = (one.model.get_parameter(name) + 2 * two.model.get_parameter(name)) / 3
        torch.testing.assert_close(p, expected, rtol=1e-3, atol=1e-5)  # snapshots are float16
    assert not torch.equal(one.model.unembed.weight, two.model.unembed.weight)
    told = new.training["begun_with"]
    assert told.startswith("2 times second, 2 steps of: ")
    assert told.count("second, 2 steps of: ") == 1
    assert told.count("; their mean with finished, 6 steps of: ") == 1
    assert load(mean).training["command"].count(" --mean-with checkpoints/second checkpoints/") == 1


def test_a_mean_wants_models_that_are_built_alike(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, other = root / "finished", root / "other"
    assert main(options(other, "--d-ff", "24", steps=2)) == 0
    begun = options(root / "mean", "--begin-with", str(first), "--mean-with", str(other))
    assert main(begun) == 1
    assert "built otherwise" in complaint(capsys)
    assert not (root / "mean").exists()


def test_a_model_that_came_from_elsewhere_is_no_beginning(
    root: Path, tmp_path: Path, pairs: list[Pair], capsys: pytest.CaptureFixture[str]
) -> None:
    files, finished, theirs = tmp_path / "files", root / "finished", tmp_path / "theirs"
    write_marian_tokenizer(files, pairs, character_coverage=1.0)
    pieces = read_marian_tokenizer(files)
    save_checkpoint(theirs, marian_like(pieces), pieces, {})
    for begun, said in (
        ([str(theirs)], f"the model in {theirs} came from elsewhere"),
        ([str(finished), "--mean-with", str(theirs)], f"no mean of {finished} and {theirs}"),
    ):
        assert main(options(root / "begun", "--begin-with", *begun)) == 1
        assert said in complaint(capsys)
    assert not (root / "begun").exists()


def test_beginning_with_a_model_of_other_languages(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, begun = tmp_path / "other.tsv", root / "begun"
    other.write_text("".join(f"the dog {n}\t狗 {n}\n" for n in range(100)), encoding="utf-8")
    new = ["--corpus", str(other), "--new-vocabulary"]
    assert main(options(begun, *new)) == 1
    assert "--new-vocabulary is for a training with --begin-with" in complaint(capsys)
    first = load_transformer(root / "finished")
    size = ["--vocab-size", str(first.config.vocab_size)]
    assert main(options(begun, *new, *size, "--begin-with", str(first.folder), steps=2)) == 0
    then = load_transformer(begun)
    before = load_snapshot(begun, then.config, 0)
    vocabulary, theirs = then.tokenizer.bpe.get_vocab(), first.tokenizer.bpe.get_vocab()
    assert "çĭĹ" in vocabulary.keys() - theirs.keys()  # the three bytes of 狗
    for name, p in before.named_parameters():
        trained = first.model.get_parameter(name)
        if "tokens" in name:
            shared = vocabulary.keys() & theirs.keys()
            assert all(torch.equal(p[vocabulary[s]], trained[theirs[s]]) for s in shared)
            assert not torch.equal(p[vocabulary["çĭĹ"]], trained[vocabulary["çĭĹ"]])
        else:
            assert torch.equal(p, trained)
    assert "--new-vocabulary" in then.training["command"]
    assert then.training["before"] == NOTHING
    assert "Its vocabulary is its own" in (begun / "README.md").read_text(encoding="utf-8")
    assert read_run(begun).history[-1]["step"] == 2
    assert main(options(begun, *new, *size, "--overwrite", "--resume", steps=4)) == 0
    assert load_transformer(begun).tokenizer.bpe.to_str() == then.tokenizer.bpe.to_str()


def test_an_unfinished_training_goes_on_with_itself_only(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = root / "unfinished"
    few = tmp_path / "few.tsv"
    few.write_text("".join(PAIRS.read_text(encoding="utf-8").splitlines(keepends=True)[:50]))
    before = content(root)
    for more, said in (
        ([], "add --resume, or remove it"),
        (["--resume", "--n-heads", "4"], "another architecture"),
        (["--resume", "--arch", "bahdanau"], "does not apply"),
        (["--resume", "--norm", "post"], "another architecture"),
        (["--resume", "--corpus", str(few)], "another corpus"),
    ):
        assert main(options(folder, *more)) == 1
        assert said in complaint(capsys)
        assert content(root) == before


@pytest.mark.parametrize("kept", [0, 7, 100, 3000, -1])
def test_a_torn_state_is_one_sentence(
    kept: int, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = root / "unfinished" / STATE
    state.write_bytes(state.read_bytes()[:kept])
    before = content(root)
    assert main(options(root / "unfinished", "--resume")) == 1
    assert str(state) in complaint(capsys)
    assert content(root) == before


def test_a_name_that_is_taken(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "file").write_text("mine")
    for name in ("file", "x.new", "x.replaced"):
        assert main(options(root / name)) == 1
        assert "choose another name" in complaint(capsys)
    assert (root / "file").read_text() == "mine"


def test_overwrite_replaces_the_whole_folder(root: Path) -> None:
    folder = root / "finished"
    (folder / "analysis.json").write_text("of the old model")
    assert main(options(folder, "--overwrite", "--d-ff", "64", steps=5)) == 0
    found = load(folder)
    assert (found.config.d_ff, found.training["steps"]) == (64, 5)
    assert not (folder / "analysis.json").exists()
    assert sorted(path.name for path in root.iterdir()) == ["finished", "unfinished"]
    assert (folder / "README.md").read_text().startswith("# finished\n")
    assert read_run(folder).finished


def test_while_the_new_one_is_trained_the_old_one_stands(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page Learning shows the new one as a training of its own; killed, it can be resumed."""
    before = content(root / "finished")
    step = Training.train_step

    def dying(training: Training, batch: object) -> float:
        if training.progress.step == 5:
            raise RuntimeError("killed")
        return step(training, batch)  # type: ignore[arg-type]

    monkeypatch.setattr(Training, "train_step", dying)
    with pytest.raises(RuntimeError, match="killed"):
        main(options(root / "finished", "--overwrite", steps=8))
    monkeypatch.undo()
    assert content(root / "finished") == before
    assert list_checkpoints(root) == ["finished"]
    assert list_runs(root) == ["finished", "finished.new", "unfinished"]
    assert not read_run(root / "finished.new").finished
    assert main(options(root / "finished", "--overwrite", "--resume", steps=8)) == 0
    assert load(root / "finished").training["steps"] == 8
    assert list_runs(root) == ["finished", "unfinished"]


def test_a_finished_training_goes_on_beside_itself(root: Path) -> None:
    assert main(options(root / "finished", "--overwrite", "--resume", steps=8)) == 0
    found = load(root / "finished")
    assert [entry["from_step"] for entry in found.training["settings_history"]] == [0, 6]
    assert [line["step"] for line in found.history][-1] == 8
    assert len(list((root / "finished" / "snapshots").iterdir())) >= 3


def test_resume_computes_in_what_it_began_in(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Measured again, ``auto`` may come out otherwise, and so would the numbers."""
    monkeypatch.setattr("model.train.choose_precision", lambda *_: pytest.fail("measured again"))
    folder = root / "unfinished"
    assert main(options(folder, "--resume", "--precision", "auto", steps=7)) == 0
    assert "in float32, as it began" in capsys.readouterr().out
    assert load(folder).training["precision"] == "float32"


def test_a_training_on_several_machines_names_them_all(root: Path) -> None:
    """It was shared among two cores first, and ended on one."""
    folder = root / "unfinished"
    state = read_state(folder / STATE)
    elsewhere = replace(state, progress={**state.progress, "hardware": "2 CPU cores"})
    write_state(folder / STATE, elsewhere)
    assert main(options(folder, "--resume", steps=7)) == 0
    assert load(folder).training["hardware"] == "2 CPU cores, then 1 CPU core"


def test_a_training_gone_astray_writes_no_model(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = content(root / "finished")
    step = Training.train_step

    def astray(training: Training, batch: object) -> float:
        loss = step(training, batch)  # type: ignore[arg-type]
        next(training.average.parameters()).data[0, 0] = float("nan")
        return loss

    monkeypatch.setattr(Training, "train_step", astray)
    assert main(options(root / "finished", "--overwrite")) == 1
    assert "no finite number" in complaint(capsys)
    assert content(root / "finished") == before


def test_a_gradient_that_is_not_finite_ends_it_before_anything_is_written(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """State, weights and history stay those of the last good step."""
    folder = root / "unfinished"
    before = content(folder)
    learn = Training._learn_from

    def astray(training: Training, batch: Batch) -> Tensor:
        loss = learn(training, batch)
        gradient = next(training.model.parameters()).grad
        assert gradient is not None
        gradient[0, 0] = float("inf")
        return loss

    monkeypatch.setattr(Training, "_learn_from", astray)
    assert main(options(folder, "--resume", steps=8)) == 1
    assert "the gradient of step 7 is not finite" in complaint(capsys)
    assert content(folder) == before


def test_a_first_line_of_the_history_that_was_cut_off_is_forgotten(root: Path) -> None:
    folder = root / "unfinished"
    (folder / "history.jsonl").write_text('{"step": 4', encoding="utf-8")
    assert main(options(folder, "--resume", steps=8)) == 0
    assert [line["step"] for line in load(folder).history] == [8]


def test_simplified_characters_are_another_corpus(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options(root / "unfinished", "--resume", "--simplified", steps=8)) == 1
    assert "was saved with another corpus" in complaint(capsys)


def test_sentences_that_are_too_long_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = PAIRS.read_text(encoding="utf-8").splitlines()
    longer = [f"{' and '.join([side] * 10)}" for line in lines for side in line.split("\t")]
    pairs = [f"{source}\t{target}" for source, target in zip(*[iter(longer)] * 2, strict=True)]
    corpus = tmp_path / "pairs.tsv"
    corpus.write_text("\n".join([*lines, *pairs]), encoding="utf-8")
    words = options(tmp_path / "out", "--max-length", "60", steps=4)
    words[words.index(str(PAIRS))] = str(corpus)
    assert main(words) == 0
    out, err = capsys.readouterr()
    said = re.search(r"(\d+) train pairs are left out: more than 60 tokens", out)
    assert said is not None
    assert int(said[1]) > 0.7 * len(pairs)
    assert "sentences are left out: over 60 tokens" in err
    training = load(tmp_path / "out").training
    assert training["scores"]["test, greedy"]["sentences"] < training["split"]["test"]
    assert training["steps"] == 4


def test_nothing_but_long_sentences_is_nothing_to_learn_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options(tmp_path / "out", "--max-length", "2")) == 1
    assert "every sentence has more than the 2 tokens" in complaint(capsys)


def test_help_tells_what_each_setting_means() -> None:
    told = " ".join(train._parser().format_help().split())
    assert "last share of the run, in which the rates fall to zero. (0.6)" in told
    assert "updates of the whole run." in told
    assert all(action.help for action in train._parser()._actions if action.dest not in _CLEAR)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_training_on_a_full_disk_leaves_the_old_model(root: Path) -> None:
    resource = pytest.importorskip("resource")
    before = content(root / "finished")
    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
        os._exit(main(options(root / "finished", "--overwrite")))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
    assert content(root / "finished") == before


def test_what_the_state_remembers(trained: Path) -> None:
    origin = read_origin(trained / STATE)
    values = json.loads((trained / CONFIG).read_text())
    assert origin["corpus"] == values["training"]["corpus"]["sha256"]
    assert origin["precision"] == "float32"
    assert origin["architecture"] | {"dropout": 0.1} == values["architecture"]


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_hardware_is_told_as_people_say_it(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.get_num_threads", lambda: threads)
    told = train._hardware(torch.device("cpu"))
    assert told == {1: "1 CPU core", 2: "2 CPU cores", 7: "7 CPU cores"}[threads]
