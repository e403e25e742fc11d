"""A checkpoint is read as it was written, or the error names the file and the remedy."""

import json
import os
import pickle
import shutil
import stat
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch
from safetensors.torch import load_file, save_file

from model import CheckpointError, list_checkpoints, load
from model.checkpoint import weights_file
from model.checkpoint.architectures import read_architecture
from model.checkpoint.checkpoint import (
    explain_other_folders,
    load_checkpoint,
    read_history,
    save_checkpoint,
    save_config,
)
from model.checkpoint.weights_file import save_weights
from model.evaluation.comparison import save_comparison
from model.files.json_file import decode
from model.heads.analysis_file import Analysis, save_analysis
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from tests.conftest import change_json, tiny_model

FILES = ("model.safetensors", "config.json", "tokenizer.json")


@pytest.fixture
def folder(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_checkpoint, tmp_path / "broken"))


def change_weights(folder: Path, change) -> None:
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")


def complaint(folder: Path) -> str:
    """Return the message of the error of a folder; it must name the folder and a remedy."""
    with pytest.raises(CheckpointError) as caught:
        load(folder)
    text = str(caught.value)
    assert str(folder) in text
    assert any(word in text for word in ("Restore", "Get the", "Choose", ": add ")), (
        "it says what to do"
    )
    return text


@pytest.mark.parametrize(("norm", "tie_embeddings"), [("pre", True), ("post", False)])
def test_saving_rounds_weights_to_float16_and_changes_nothing_else(
    tokenizer, tmp_path, norm, tie_embeddings
):
    model = tiny_model(tokenizer, norm=norm, tie_embeddings=tie_embeddings)
    save_checkpoint(tmp_path / "a" / "new", model, tokenizer, {"seed": 3})
    loaded, loaded_tokenizer, training = load_checkpoint(tmp_path / "a" / "new")
    assert loaded.config == model.config
    assert not loaded.training
    assert training == {"seed": 3}
    assert loaded_tokenizer.encode("L'été") == tokenizer.encode("L'été")
    rounded = {name: p.half().float() for name, p in model.state_dict().items()}
    torch.testing.assert_close(dict(loaded.state_dict()), rounded, rtol=0, atol=0)
    save_checkpoint(tmp_path / "b", loaded, tokenizer, {"seed": 3})
    for name in FILES:
        assert (tmp_path / "b" / name).read_bytes() == (tmp_path / "a/new" / name).read_bytes()


def test_weights_on_disk_are_float16_and_shared_ones_are_stored_once(tiny_checkpoint):
    weights = load_file(tiny_checkpoint / "model.safetensors")
    assert {tensor.dtype for tensor in weights.values()} == {torch.float16}
    n_shared = sum(tensor.shape[0] == 433 for tensor in weights.values())
    assert n_shared == 1  # source embedding, target embedding and output are one matrix
    assert load(tiny_checkpoint).n_parameters == sum(t.numel() for t in weights.values())


def test_a_damaged_checkpoint_does_not_affect_an_intact_one(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "a file").write_text("")
    good = shutil.copytree(folder, tmp_path / "another")
    (folder / "model.safetensors").write_bytes(b"")
    assert list_checkpoints(tmp_path) == ["another", "broken"]
    assert list_checkpoints(tmp_path / "nowhere") == []
    complaint(folder)
    assert load(good).trace("Hello.").src_tokens[0] == "<bos>"


def test_folders_beside_the_checkpoints_are_explained(tiny_checkpoint, tmp_path):
    shutil.copytree(tiny_checkpoint, tmp_path / "sound")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "todo.txt").write_text("Ask for a larger machine.")
    (tmp_path / ".cache").mkdir()
    shutil.copytree(tiny_checkpoint, tmp_path / "around" / "run")
    (tmp_path / "around" / "run" / "config.json").write_text('{"model_type": "marian"}')
    (tmp_path / "gguf").mkdir()
    (tmp_path / "gguf" / "model.gguf").write_bytes(b"GGUF" + bytes(100))
    around, gguf, notes = explain_other_folders(tmp_path, 5)
    assert around == f"{tmp_path / 'around'} is a folder around a model: give run, which is in it."
    assert gguf.startswith(f"{tmp_path / 'gguf'} is a model for llama.cpp (GGUF): get the model")
    assert notes.startswith(f"{tmp_path / 'notes'} holds no model")
    assert explain_other_folders(tmp_path, 2) == [around, gguf]
    assert explain_other_folders(tmp_path / "nowhere", 5) == []


def test_missing_folders_and_files_are_named(folder, tmp_path):
    assert "no checkpoint folder" in complaint(tmp_path / "nowhere")
    for name in FILES:
        (folder / name).rename(tmp_path / name)
        assert name in complaint(folder)
        assert not any(other in complaint(folder) for other in set(FILES) - {name})
        (tmp_path / name).rename(folder / name)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *(("model.safetensors", length, "cut off or damaged") for length in (0, 5, 100, -1)),
        ("model.safetensors", pickle.dumps({"a": 1}), "cut off or damaged"),
        *(("tokenizer.json", length, "cannot read the tokenizer") for length in (0, 1000)),
        *(
            ("config.json", content, "config.json does not describe a model")
            for content in (0, b'{"architecture": {', b"[]", b"\xff\xfe", b'{"architecture": 3}')
        ),
    ],
)
def test_a_file_that_is_cut_off_or_of_another_kind_is_refused(name, content, message, folder):
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(content if isinstance(content, bytes) else whole[:content])
    assert message in complaint(folder)


def test_a_missing_or_unknown_weight_is_refused(folder):
    change_weights(folder, lambda weights: weights.__delitem__("decoder.norm.bias"))
    assert "decoder.norm.bias is missing. " in complaint(folder)
    for bias, message in ((torch.zeros(66).int(), "I32"), (torch.zeros(66), "")):
        change_weights(folder, lambda weights, b=bias: weights.update({"decoder.norm.bias": b}))
        # the last change restores the folder
        assert message in complaint(folder) if message else load(folder)
    change_weights(folder, lambda weights: weights.update(surprise=torch.zeros(1)))
    assert "surprise is unknown" in complaint(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d_ff": 38}, "has shape (37, 66) instead of (38, 66) (and 11 more)"),
        ({"n_layers": 3}, "is missing (and"),
        ({"rotary": True}, "unknown architecture keys ['rotary']"),
        ({"n_heads": 5}, "config.json does not describe a model"),  # test_config.py has other cases
        ({"dropout": "x"}, "config.json does not describe a model"),
    ],
)
def test_an_architecture_that_does_not_fit_the_weights_is_refused(change, message, folder):
    change_json(folder / "config.json", lambda values: values["architecture"].update(change))
    assert message in complaint(folder)


def test_an_architecture_without_a_key_and_a_foreign_tokenizer_are_refused(
    folder, tmp_path, monkeypatch
):
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    change_json(folder / "config.json", lambda values: values.update(architecture={"d_model": 66}))
    assert "missing required field `vocab_size`" in complaint(folder)
    monkeypatch.chdir(other)
    assert load(".").name == "other"
    ByteLevelTokenizer.train([], 300).save(other / "tokenizer.json")
    known = ByteLevelTokenizer.load(other / "tokenizer.json").vocab_size
    assert f"has {known} tokens, its model 433" in complaint(other)


TWO_LINES = '{"step": 1, "seconds": 2}\n{"step": 2, "seconds": 4}\n'


def test_a_history_line_that_a_crash_cut_off_is_left_out(folder):
    assert load(folder).history == []
    for cut_off in ("", '{"st'):
        (folder / "history.jsonl").write_text(TWO_LINES + cut_off)
        expected = [{"step": 1, "seconds": 2}, {"step": 2, "seconds": 4}]
        assert read_history(folder) == load(folder).history == expected


@pytest.mark.parametrize("second", [(1, 9), (2, 3), (2, 5), (3, 3)])
def test_steps_and_seconds_of_a_continued_history_keep_growing(tmp_path, second):
    lines = [{"step": step, "seconds": seconds} for step, seconds in ((2, 4), second)]
    (tmp_path / "history.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with pytest.raises(CheckpointError, match=rf"step {second[0]} comes after step 2"):
        read_history(tmp_path)
    (tmp_path / "history.jsonl").write_text('{"step": 1, "seconds": 2}\n{"st\n{"step": 3}\n')
    with pytest.raises(CheckpointError, match=r"history\.jsonl is damaged .* remove it"):
        read_history(tmp_path)


SHIPPED = Path(__file__).parents[2] / "checkpoints"


def test_saved_files_have_the_form_of_the_shipped_files(tmp_path):
    for name in ("en-fr", "en-fr-bahdanau"):
        text = (SHIPPED / name / "config.json").read_text("utf-8")
        values = json.loads(text)
        save_config(tmp_path, read_architecture(values["architecture"]), values["training"])
        assert (tmp_path / "config.json").read_text("utf-8") == text
    files = {"en-fr/analysis": (save_analysis, Analysis), "comparison": (save_comparison, dict)}
    for name, (save, kind) in files.items():
        text = (SHIPPED / f"{name}.json").read_text("utf-8")
        assert save(tmp_path, decode(text, kind)).read_text("utf-8") == text


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_weights_may_be_read_by_whom_the_umask_allows(tiny_checkpoint, tmp_path):
    """safetensors alone would let only the owner read them. Later permissions are kept."""
    mode = lambda path: stat.S_IMODE(path.stat().st_mode)  # noqa: E731
    path, other = tmp_path / "w.safetensors", tmp_path / "other"
    model = load_checkpoint(tiny_checkpoint)[0]
    other.touch()
    save_weights(path, model)
    assert mode(path) == mode(other)
    path.chmod(0o640)
    save_weights(path, model)
    assert mode(path) == 0o640
    assert sorted(file.name for file in tmp_path.iterdir()) == ["other", "w.safetensors"]


def test_unreadable_weights_are_not_called_damaged(tiny_checkpoint, monkeypatch):
    monkeypatch.setattr(weights_file, "open_regular", Mock(side_effect=PermissionError(13, "no")))
    with pytest.raises(CheckpointError, match="This user may not read the weights"):
        load_checkpoint(tiny_checkpoint)
