"""The mean of the weights of two models, and the command that writes it."""

import shutil
from pathlib import Path

import pytest
import torch

from model import average
from model.checkpoint.averaging import average_weights
from model.checkpoint.checkpoint import (
    HISTORY,
    load_checkpoint,
    read_history,
    save_checkpoint,
)
from model.checkpoint.joined_training import join_histories, join_records
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from tests.conftest import tiny_model

SHARE = 0.3
FIRST_COMMAND = "python -m model.train --corpus pairs.tsv --out checkpoints/first"


@pytest.fixture
def further(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    """Return a checkpoint with the vocabulary of ``tiny_checkpoint`` and other weights."""
    folder = tmp_path / "further"
    shutil.copytree(tiny_checkpoint, folder)
    model, tokenizer, training = load_checkpoint(folder)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in model.parameters():
            weight += torch.rand(weight.shape, generator=generator)
    training |= {"steps": 2, "begun_with": f"first, 10 steps of: {FIRST_COMMAND}"}
    training |= {"scores": {"test, greedy": {"bleu": 41.2}}}
    save_checkpoint(folder, model, tokenizer, training, dtype=torch.float32)
    (folder / HISTORY).write_text('{"step": 2, "seconds": 1}\n')
    return folder


@pytest.fixture
def first(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    """Return the checkpoint with which the training of ``further`` began."""
    folder = Path(shutil.copytree(tiny_checkpoint, tmp_path / "first"))
    model, tokenizer, training = load_checkpoint(folder)
    training |= {"steps": 10, "command": FIRST_COMMAND}
    save_checkpoint(folder, model, tokenizer, training, dtype=torch.float32)
    (folder / HISTORY).write_text('{"step": 10, "seconds": 7}\n')
    return folder


def test_each_weight_is_the_weighted_mean_of_both_models(further: Path, tiny_checkpoint: Path):
    last, *_ = load_checkpoint(further)
    first, *_ = load_checkpoint(tiny_checkpoint)
    expected = {
        name: SHARE * weight + (1 - SHARE) * first.get_parameter(name)
        for name, weight in last.named_parameters()
    }
    average_weights(last, first, SHARE)
    for name, weight in last.named_parameters():
        torch.testing.assert_close(weight, expected[name], rtol=0, atol=1e-6)


def test_the_command_writes_the_mean_and_records_both_models(
    further: Path, first: Path, tmp_path: Path
):
    out = tmp_path / "mean"
    models = ["--checkpoint", str(further), "--first", str(first)]
    assert average.main([*models, "--share", str(SHARE), "--out", str(out)]) == 0

    mean, tokenizer, training = load_checkpoint(out)
    expected, *_ = load_checkpoint(further)
    average_weights(expected, load_checkpoint(first)[0], SHARE)
    for name, weight in expected.named_parameters():
        torch.testing.assert_close(mean.get_parameter(name), weight.half().float())
    assert tokenizer.encode("a") == load_checkpoint(first)[1].encode("a")
    assert read_history(out) == [{"step": 10, "seconds": 7}, {"step": 12, "seconds": 8}]
    assert training["steps"] == 12
    command = (
        "python -m model.average --checkpoint checkpoints/further --first "
        "checkpoints/first --share 0.3 --out checkpoints/mean"
    )
    assert training["averaged"].endswith(f": {command}")
    assert training["averaged"].startswith("0.3 of the weights")
    assert "scores" not in training


@pytest.mark.parametrize(
    ("out", "quoted"), [("mean of $x", "'mean of $x'"), ("-mean", "./-mean"), ("mean", "mean")]
)
def test_the_next_command_can_be_pasted_into_a_shell(
    out: str, quoted: str, further: Path, first: Path, tmp_path: Path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    models = ["--checkpoint", str(further), "--first", str(first)]
    assert average.main([*models, f"--out={out}"]) == 0
    assert f" --checkpoint {quoted} --split test " in capsys.readouterr().out


def test_a_model_whose_training_began_with_another_model_is_refused(
    further: Path, first: Path, tmp_path: Path, capsys
):
    model, tokenizer, training = load_checkpoint(first)
    other = training | {"command": FIRST_COMMAND.replace("first", "other")}
    save_checkpoint(first, model, tokenizer, other)
    models = ["--checkpoint", str(further), "--first", str(first)]
    assert average.main([*models, "--out", str(tmp_path / "mean")]) == 1
    assert "did not begin with the weights of" in capsys.readouterr().err
    assert not (tmp_path / "mean").exists()


def test_a_mean_cannot_be_averaged_again(further: Path, first: Path, tmp_path: Path, capsys):
    models = ["--checkpoint", str(further), "--first", str(first)]
    assert average.main([*models, "--out", str(tmp_path / "mean")]) == 0
    models = ["--checkpoint", str(tmp_path / "mean"), "--first", str(first)]
    assert average.main([*models, "--out", str(tmp_path / "again")]) == 1
    assert "is a mean already" in capsys.readouterr().err
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("share", ["0", "1", "-0.5", "nan"])
def test_an_impossible_share_is_refused(share, tiny_checkpoint: Path, tmp_path: Path, capsys):
    folder = str(tiny_checkpoint)
    arguments = ["--checkpoint", folder, "--first", folder, "--out", str(tmp_path / "mean")]
    assert average.main([*arguments, f"--share={share}"]) == 1
    assert "must be between 0 and 1" in capsys.readouterr().err


def test_a_model_of_other_sizes_is_refused(
    tiny_checkpoint: Path, tokenizer: ByteLevelTokenizer, tmp_path: Path, capsys
):
    save_checkpoint(tmp_path / "smaller", tiny_model(tokenizer, n_layers=1), tokenizer, {})
    models = ["--checkpoint", str(tiny_checkpoint), "--first", str(tmp_path / "smaller")]
    assert average.main([*models, "--out", str(tmp_path / "mean")]) == 1
    assert "have different architectures" in capsys.readouterr().err
    assert not (tmp_path / "mean").exists()


def test_a_model_of_another_vocabulary_is_refused(
    tiny_checkpoint: Path,
    tokenizer: ByteLevelTokenizer,
    pairs: list[tuple[str, str]],
    tmp_path: Path,
    capsys,
):
    english = (source for source, _ in pairs)
    other = ByteLevelTokenizer.train(english, tokenizer.vocab_size)
    assert other.vocab_size == tokenizer.vocab_size
    save_checkpoint(tmp_path / "other", tiny_model(other), other, {})
    models = ["--checkpoint", str(tiny_checkpoint), "--first", str(tmp_path / "other")]
    assert average.main([*models, "--out", str(tmp_path / "mean")]) == 1
    assert "have different vocabularies" in capsys.readouterr().err
    assert not (tmp_path / "mean").exists()


def test_an_existing_folder_is_kept(tiny_checkpoint: Path, tmp_path: Path, capsys):
    folder = str(tiny_checkpoint)
    arguments = ["--checkpoint", folder, "--first", folder, "--out", str(tmp_path)]
    assert average.main(arguments) == 1
    assert "is there already: choose a different --out" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_no_folder(
    further: Path, first: Path, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
):
    def fail(*_: Path) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(average, "write_text", fail)
    before = sorted(tmp_path.iterdir())
    models = ["--checkpoint", str(further), "--first", str(first)]
    assert average.main([*models, "--out", str(tmp_path / "mean")]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


def test_the_record_of_a_mean_contains_both_trainings():
    first = {
        "steps": 22_000,
        "epochs": 53.57,
        "seconds": 210,
        "hardware": "a GPU",
        "precision": "bfloat16",
        "settings_history": [{"from_step": 0, "steps": 22_000, "dropout": 0.1}],
        "command": "first",
    }
    last = {
        "steps": 600,
        "epochs": 0.96,
        "seconds": 1000,
        "hardware": "a CPU",
        "precision": "float32",
        "settings_history": [
            {"from_step": 0, "steps": 500, "dropout": 0.2},
            {"from_step": 300, "steps": 600, "dropout": 0.2},
        ],
        "command": "last",
        "averaged": "half and half",
    }
    assert join_records(first, last) == {
        "steps": 22_600,
        "epochs": 54.53,
        "seconds": 1210,
        "hardware": "a GPU, then a CPU",
        "precision": "bfloat16, then float32",
        "settings_history": [
            {"from_step": 0, "steps": 22_000, "dropout": 0.1},
            {"from_step": 22_000, "steps": 22_500, "dropout": 0.2},
            {"from_step": 22_300, "steps": 22_600, "dropout": 0.2},
        ],
        "command": "last",
        "averaged": "half and half",
    }
    assert join_records({}, last) == last
    without_settings = {name: first[name] for name in first if name != "settings_history"}
    joined = join_records(without_settings, last)
    assert [entry["from_step"] for entry in joined["settings_history"]] == [22_000, 22_300]


def test_the_record_of_a_mean_of_means_names_every_training():
    first = {"command": "1", "steps": 3}
    second = {"command": "2", "steps": 2, "begun_with": "1", "averaged": "half 2, half 1"}
    third = {"command": "3", "steps": 4, "begun_with": "2", "averaged": "half 3, half 2"}
    fourth = {"command": "4", "steps": 1, "begun_with": "3"}
    joined = join_records(first, second)
    assert "earlier" not in joined
    joined = join_records(joined, third)
    assert joined["earlier"] == [{"begun_with": "1", "averaged": "half 2, half 1"}]
    joined = join_records(joined, fourth)
    assert joined["earlier"] == [
        {"begun_with": "1", "averaged": "half 2, half 1"},
        {"begun_with": "2", "averaged": "half 3, half 2"},
    ]
    assert joined["command"] == "4"
    assert joined["steps"] == 10


def test_the_history_of_a_mean_continues_that_of_the_first_training():
    first = [{"step": 10, "seconds": 5, "epochs": 0.5}, {"step": 20, "seconds": 9, "epochs": 1.0}]
    last = [{"step": 3, "seconds": 2, "epochs": 0.25, "loss": 1.5}]
    assert join_histories(first, last) == [
        *first,
        {"step": 23, "seconds": 11, "epochs": 1.25, "loss": 1.5},
    ]
    assert join_histories([], last) == last
    assert last == [{"step": 3, "seconds": 2, "epochs": 0.25, "loss": 1.5}]
