"""model.train refuses before it changes a file, and replaces a model as a whole."""

import re
import shutil
from pathlib import Path

import pytest
import torch

from model import load, train
from model.checkpoint.checkpoint import CONFIG, WEIGHTS, list_checkpoints
from model.checkpoint.provenance import followed_by
from model.checkpoint.snapshots import load_snapshot
from model.corpora.batches import Batch
from model.train import main
from model.training.options import training_parser
from model.training.runs import list_runs, read_run
from model.training.saved_state import read_state, write_state
from model.training.trainer import STATE, Training
from model.translation_model import load_transformer
from tests import conftest
from tests.conftest import PAIRS
from tests.hub_models import save_folder
from tests.unit.conftest import killed_after

pytestmark = pytest.mark.usefixtures("short_texts")


def options(folder: Path, *words: str, steps: int = 6) -> list[str]:
    course = f"--steps {steps} --eval-every 4 --save-every 2 --snapshots 3"
    return conftest.options(folder, course, *words)


def content(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "finished"
    assert main(options(folder)) == 0
    return folder


@pytest.fixture(scope="module")
def untouched(trained):
    """Make a finished and an unfinished training in one folder."""
    unfinished = Path(shutil.copytree(trained, trained.with_name("unfinished")))
    for name in (CONFIG, WEIGHTS):
        (unfinished / name).unlink()
    return trained.parent


@pytest.fixture
def root(untouched, tmp_path):
    return Path(shutil.copytree(untouched, tmp_path / "root"))


@pytest.fixture
def refused(capsys):
    """Run a command line that must fail without a traceback; return its only sentence."""

    def sentence(words: list[str]) -> str:
        assert main(words) == 1
        text = capsys.readouterr().err
        lines = [line for line in text.splitlines() if line.startswith("python -m model.train: ")]
        assert len(lines) == 1, text
        assert "Traceback" not in text
        return lines[0]

    return sentence


def test_the_recorded_command_names_every_setting(trained):
    """So that it means the same after a default has changed."""
    recorded = load(trained).training["command"].split()
    again = training_parser(None).parse_args(recorded[3:])
    named = {f"--{name.replace('_', '-')}" for name in vars(again) if name != "parser"}
    assert named - set(recorded) == {
        # Options that do not change the model
        "--device",
        "--precision",
        "--threads",
        "--resume",
        "--overwrite",
        # Options that are off
        "--begin-with",
        "--simplified",
        "--new-vocabulary",
        "--ignore-warnings",
        "--written",
        # Options of another architecture
        "--d-hidden",
        "--cell",
    }
    expected = training_parser(None).parse_args(options(trained))
    for name, value in vars(expected).items():
        if name not in ("corpus", "out", "device", "precision", "threads", "parser"):
            assert getattr(again, name) == value


MISTAKES = {
    "finished": "finished model",
    "finished --resume": "finished model",
    "finished --overwrite --steps 0": "steps",
    "finished --overwrite --dropout nan": "dropout",
    "finished --overwrite --max-length 99999999": "max_length",
    "finished --overwrite --d-model 100000 --d-ff 100000": "weights",
    "finished --overwrite --arch bahdanau": "--arch",
    "finished --overwrite --corpus nowhere.tsv": "nowhere.tsv",
    "finished --overwrite --begin-with nowhere": "nowhere",
    "finished --overwrite --resume --d-ff 64": "architecture: it began with --d-ff 32. Leave",
    "finished --overwrite --max-length 2": "2 tokens",
    "finished --overwrite --new-vocabulary": "--begin-with",
    "second --n-layers 2 --begin-with finished": "different architecture",
    "second --vocab-size 299 --begin-with finished": "no effect",
    "unfinished --resume --begin-with finished": "random weights",
    "unfinished --resume --vocab-size 299": "give the options that the training began with",
    "unfinished": "--resume",
    "unfinished --resume --norm post": "architecture: it began with --norm pre. Leave",
    "unfinished --resume --no-tie-embeddings": "it began with --tie-embeddings. Leave",
    "unfinished --resume --corpus ../few.tsv": "different corpus: give the options that",
    "unfinished --resume --simplified": "different corpus: give the options that",
    "unfinished --resume --written": "different corpus: give the options that",
    "../few.tsv": "another name",
    "second --resume": "nothing to resume",
    **dict.fromkeys(("x.new", "x.replaced", "x.saving"), "another name"),
}
if not torch.cuda.is_available():
    MISTAKES["finished --overwrite --device cuda"] = "no CUDA device"


@pytest.mark.usefixtures("sayings_alone")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_command_changes_no_file(mistake, untouched, refused, monkeypatch):
    few = "".join(PAIRS.read_text("utf-8").splitlines(keepends=True)[:50])
    (untouched.parent / "few.tsv").write_text(few, "utf-8")
    before = content(untouched)
    name, *words = mistake.split()
    monkeypatch.chdir(untouched)
    assert MISTAKES[mistake] in refused(options(Path(name), *words))
    assert content(untouched) == before


def test_a_training_can_begin_with_another_model(root):
    first, second = root / "finished", root / "second"
    begin = ["--seed", "5", "--dropout", "0.3", "--begin-with", str(first)]
    assert main(options(second, *begin, steps=2)) == 0
    old, new = load_transformer(first), load_transformer(second)
    assert new.tokenizer.bpe.to_str() == old.tokenizer.bpe.to_str()
    for name, p in load_snapshot(new.folder, new.config, 0).named_parameters():
        assert torch.equal(p, old.model.get_parameter(name))
    message = f"finished, 6 steps of: {old.training['command']}"
    assert new.training["begun_with"] == message
    assert message in (second / "README.md").read_text(encoding="utf-8")
    assert main(options(second, "--overwrite", "--resume", steps=4)) == 0
    assert load(second).training["begun_with"] == message
    assert read_run(second).history[-1]["step"] == 4


def test_the_hardware_is_recorded_in_the_order_of_use(monkeypatch):
    monkeypatch.setattr("torch.get_num_threads", lambda: 2)
    assert train._hardware(torch.device("cpu")) == "2 CPU cores"
    assert followed_by("12 CPU cores", "2 CPU cores") == "12 CPU cores, then 2 CPU cores"


def test_a_training_cannot_begin_with_a_model_of_the_hub(root, tmp_path, refused):
    theirs = save_folder("marian", tmp_path / "theirs")
    sentence = refused(options(root / "begun", "--begin-with", str(theirs)))
    assert sentence.endswith(
        f"the model in {theirs} is one of the Hugging Face Hub, and its tokenizer cannot be "
        "trained here: begin with a model that was trained here"
    )
    assert not (root / "begun").exists()


def test_a_training_can_begin_with_a_model_of_other_languages(root, tmp_path):
    other, continued = tmp_path / "other.tsv", root / "begun"
    other.write_text("".join(f"the dog {n}\t狗 {n}\n" for n in range(100)), encoding="utf-8")
    first = load_transformer(root / "finished")
    size = ["--vocab-size", str(first.config.vocab_size)]
    new = ["--corpus", str(other), "--new-vocabulary", *size]
    assert main(options(continued, *new, "--begin-with", str(first.folder), steps=2)) == 0
    then = load_transformer(continued)
    vocabulary, theirs = then.tokenizer.bpe.get_vocab(), first.tokenizer.bpe.get_vocab()
    assert "çĭĹ" in vocabulary.keys() - theirs.keys()  # the three bytes of 狗 as one subword
    for name, p in load_snapshot(continued, then.config, 0).named_parameters():
        trained = first.model.get_parameter(name)
        if "tokens" in name:
            shared = vocabulary.keys() & theirs.keys()
            assert all(torch.equal(p[vocabulary[s]], trained[theirs[s]]) for s in shared)
            assert not torch.equal(p[vocabulary["çĭĹ"]], trained[vocabulary["çĭĹ"]])
        else:
            assert torch.equal(p, trained)
    assert "--new-vocabulary" in then.training["command"]
    assert read_run(continued).history[-1]["step"] == 2
    assert main(options(continued, *new, "--overwrite", "--resume", steps=4)) == 0
    assert load_transformer(continued).tokenizer.bpe.to_str() == then.tokenizer.bpe.to_str()


def test_the_old_model_stays_in_its_folder_while_the_new_one_is_trained(root):
    """The page Learning shows the new training beside it. After a kill it can be resumed."""
    (root / "finished" / "analysis.json").write_text("of the old model")
    before = content(root / "finished")
    words = options(root / "finished", "--overwrite", "--d-ff", "64", steps=8)
    with killed_after(5):
        main(words)
    assert content(root / "finished") == before
    assert list_checkpoints(root) == ["finished"]
    assert list_runs(root) == ["finished", "finished.new", "unfinished"]
    assert not read_run(root / "finished.new").finished
    assert main([*words, "--resume"]) == 0
    model = load(root / "finished")
    assert (model.config.d_ff, model.training["steps"]) == (64, 8)
    assert not (model.folder / "analysis.json").exists()
    assert (model.folder / "README.md").read_text().startswith("# finished\n")
    assert sorted(path.name for path in root.iterdir()) == ["finished", "unfinished"]


def test_a_resumed_training_keeps_its_precision_and_adds_its_hardware(root, monkeypatch, capsys):
    """A history whose only line was cut off by a crash is begun again."""
    monkeypatch.setattr("model.train.choose_precision", lambda *_: pytest.fail("measured again"))
    folder = root / "unfinished"
    state = read_state(folder / STATE)
    state.progress.hardware = "2 CPU cores"
    write_state(folder / STATE, state)
    (folder / "history.jsonl").write_text('{"step": 4', encoding="utf-8")
    assert main(options(folder, "--resume", "--precision", "auto", steps=7)) == 0
    assert "in float32, as before" in capsys.readouterr().out
    model = load(folder)
    assert model.training["precision"] == "float32"
    assert model.training["hardware"] == "2 CPU cores, then 1 CPU core"
    assert [line["step"] for line in model.history] == [7]


@pytest.mark.usefixtures("sayings_alone")
def test_options_that_are_left_out_when_a_training_is_resumed_are_those_of_its_beginning(tmp_path):
    """Only --corpus, whose path may have changed, and --resume have to be given again."""
    folder = tmp_path / "x"
    changed = ["--written", "--dropout", "0.25", "--muon-lr", "0.002", "--norm", "post"]
    words = options(folder, *changed, steps=7)
    with killed_after(5):
        main(words)
    assert main(["--corpus", str(PAIRS), "--out", str(folder), "--resume"]) == 0
    again = training_parser(None).parse_args(load(folder).training["command"].split()[3:])
    first = training_parser(None).parse_args(words)
    of_this_machine = ("corpus", "out", "parser", "resume", "device", "precision", "threads")
    for name, value in vars(first).items():
        if name not in of_this_machine:
            assert getattr(again, name) == value, name
    assert len(load(folder).training["settings_history"]) == 1


def test_a_given_option_wins_over_the_saved_state(root):
    folder = root / "unfinished"
    words = ["--corpus", str(PAIRS), "--out", str(folder), "--resume", "--steps", "7"]
    assert main([*words, "--dropout", "0.5"]) == 0
    _, second = load(folder).training["settings_history"]
    assert (second["from_step"], second["dropout"], second["steps"]) == (6, 0.5, 7)


def test_a_change_of_the_precision_is_printed_and_recorded(root, capsys):
    folder = root / "unfinished"
    assert main(options(folder, "--resume", "--precision", "bfloat16", steps=7)) == 0
    printed = capsys.readouterr().out
    assert "in bfloat16, as asked, and no longer in float32." in printed
    training = load(folder).training
    assert training["precision"] == "float32, then bfloat16"
    precisions = [settings["precision"] for settings in training["settings_history"]]
    assert precisions == ["float32", "bfloat16"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "precision bfloat16 (was float32)" in card


def test_numbers_that_are_not_finite_and_a_torn_state_end_a_training_before_it_writes(
    root, monkeypatch, refused
):
    """An infinite gradient stops the training before its step, so all files are of the last one."""
    before = content(root / "finished"), content(root / "unfinished")
    step, learn = Training.train_step, Training._compute_gradients

    def no_weight(training: Training, batch: Batch) -> float:
        loss = step(training, batch)
        next(training.average.parameters()).data[0, 0] = float("nan")
        return loss

    def no_gradient(training: Training, batch: Batch):
        loss = learn(training, batch)
        next(training.model.parameters()).grad[0, 0] = float("inf")
        return loss

    with monkeypatch.context() as patch:
        patch.setattr(Training, "train_step", no_weight)
        assert "finite" in refused(options(root / "finished", "--overwrite"))
    monkeypatch.setattr(Training, "_compute_gradients", no_gradient)
    assert "step 7" in refused(options(root / "unfinished", "--resume", steps=8))
    assert (content(root / "finished"), content(root / "unfinished")) == before
    state = root / "unfinished" / STATE
    state.write_bytes(state.read_bytes()[:3000])
    assert str(state) in refused(options(root / "unfinished", "--resume"))


def test_sentences_that_are_too_long_are_left_out_and_counted(tmp_path, capsys):
    lines = PAIRS.read_text(encoding="utf-8").splitlines()
    longer = ["\t".join(" and ".join([side] * 10) for side in s.split("\t")) for s in lines]
    corpus = tmp_path / "pairs.tsv"
    corpus.write_text("\n".join([*lines, *longer]), encoding="utf-8")
    words = options(tmp_path / "out", "--max-length", "60", "--corpus", str(corpus), steps=2)
    assert main(words) == 0
    out, err = capsys.readouterr()
    [n] = re.findall(r"(\d+) train pairs are left out: more than 60 tokens", out)
    assert int(n) > 0.7 * len(longer)
    assert "sentences are left out: over 60 tokens" in err
    training = load(tmp_path / "out").training
    assert training["scores"]["test, greedy"]["sentences"] < training["split"]["test"]
