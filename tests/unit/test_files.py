"""Files from others are read only if they are regular, small enough and in range."""

import json
import os
import shutil
from typing import Any

import pytest
from msgspec.json import encode
from safetensors import SafetensorError

from model import load
from model.checkpoint.provenance import HistoryLine, TrainingFacts
from model.corpora.corpus import read_corpus
from model.evaluation.comparison import Comparison
from model.files import replacing
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import MAX_JSON_BYTES, decode, read_json
from model.files.regular_file import exists, is_folder, is_regular, open_regular, read_regular
from model.heads.analysis_file import Pruning

LINE = {"step": 7, "seconds": 11.5}
POINT = {"removed": 0, "bleu": 1.5}
CURVES = {"gradient": [POINT], "removal": [POINT], "random": [POINT]}
SCORES = {"bleu": 1.0, "chrf": 2.0}
COMPARED = {"n_parameters": 3, "greedy": SCORES, "beam search": SCORES}
TOO_LONG, UNNAMED = ({name: COMPARED} for name in ("x" * 256, ""))
COMPARISON = {"by_length": [], "joined": [], "sentences": 2, "date": "", "command": ""}


@pytest.mark.parametrize(
    ("kind", "values", "wrong"),
    [
        (HistoryLine, LINE | {"step": 0, "seconds": 0, "loss": -(10.0**15)}, None),
        (HistoryLine, LINE | {"step": 10**15, "of_another_version": [1]}, None),
        *((HistoryLine, LINE | {"step": step}, "step") for step in (-1, 10**15 + 1, 1.5)),
        (HistoryLine, LINE | {"seconds": -0.1}, "seconds"),
        (HistoryLine, LINE | {"loss": -(10.0**16)}, "loss"),
        (HistoryLine, LINE | {"dev_bleu": -1}, "dev_bleu"),
        (HistoryLine, {"step": 7}, "seconds"),
        (HistoryLine, {"seconds": 7}, "step"),
        (TrainingFacts, {}, None),
        (TrainingFacts, {"hardware": "x" * 10_000}, None),
        (TrainingFacts, {"hardware": "x" * 10_001}, "hardware"),
        (Comparison, COMPARISON | {"models": {"x" * 255: COMPARED}}, None),
        *((Comparison, COMPARISON | {"models": m}, "models") for m in (TOO_LONG, UNNAMED, {})),
        (Pruning, CURVES, None),
        *((Pruning, CURVES | {name: []}, name) for name in CURVES),
    ],
)
def test_values_are_accepted_up_to_their_limits(kind, values, wrong):
    if wrong:
        with pytest.raises(ValueError, match=wrong):
            decode(json.dumps(values), kind)
        return
    known = {key: value for key, value in values.items() if key != "of_another_version"}
    assert json.loads(encode(decode(json.dumps(values), kind))) == known


def test_deep_nesting_gets_a_message():
    with pytest.raises(ValueError, match="nested too deeply"):
        decode("[" * 100_000 + "]" * 100_000, Any)


def test_a_file_may_be_as_large_as_its_limit_and_no_larger(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert read_regular(path, 5) == b"12345"
    with pytest.raises(OSError, match="larger than 0 MB"):
        read_regular(path, 4)
    with path.open("wb") as file:
        file.truncate(MAX_JSON_BYTES + 1)  # a sparse file, which takes no space on the disk
    with pytest.raises(CheckpointError, match=r"odd \(it is larger than 32 MB\)\. Mend it\."):
        read_json(path, TrainingFacts, fault="odd", remedy="Mend it.")


@pytest.mark.skipif(os.name != "posix", reason="no pipes and links here")
def test_kinds_of_files_are_distinguished(tmp_path):
    file, folder, pipe = tmp_path / "file", tmp_path / "folder", tmp_path / "pipe"
    link, broken, nothing = tmp_path / "link", tmp_path / "broken", tmp_path / "nothing"
    file.write_text("x")
    folder.mkdir()
    os.mkfifo(pipe)
    link.symlink_to(file)
    broken.symlink_to(nothing)
    impossible = tmp_path / "a\0b"
    paths = (file, folder, pipe, link, broken, nothing, impossible)
    assert [p.name for p in paths if is_regular(p)] == ["file", "link"]
    assert [p.name for p in paths if is_folder(p)] == ["folder"]
    assert [p.name for p in paths if exists(p)] == ["file", "folder", "pipe", "link"]
    for path, words in ((folder, "it is a folder"), (pipe, "not a regular file")):
        with pytest.raises(OSError, match=words):
            open_regular(path)
    with open_regular(link) as opened:
        assert opened.read() == b"x"


def folder_of(path, content: str):
    path.mkdir(parents=True)
    (path / "content").write_text(content)
    return path


def test_a_replacement_that_is_killed_leaves_a_complete_folder(tmp_path):
    folder = tmp_path / "name"
    assert replacing.resolve(folder) == folder
    aside = folder_of(replacing.sibling(folder, ".replaced"), "old")
    assert aside == tmp_path / "name.replaced"
    assert replacing.resolve(folder) == aside
    replacing.recover(folder)
    assert not aside.exists()
    assert (replacing.resolve(folder) / "content").read_text() == "old"
    folder_of(aside, "older")
    assert replacing.resolve(folder) == folder
    for suffix in (".old", ".bak", ".1"):  # names that people use for copies of a folder
        folder_of(replacing.sibling(folder, suffix), suffix)
    for there in (True, False):
        replacing.replace_folder(folder_of(replacing.sibling(folder, ".new"), "new"), folder)
        left = {"name", "name.1", "name.bak", "name.old"}
        assert {p.name for p in tmp_path.iterdir()} == left
        assert (folder / "content").read_text() == "new"
        if there:
            shutil.rmtree(folder)  # the place is empty


def test_temporary_folders_are_listed_only_on_request(tmp_path):
    for name in ("b", "a", "c.new", "d.saving", "e.replaced", "f.old"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").write_text("")
    assert replacing.list_folders(tmp_path) == ["a", "b", "e", "f.old"]
    assert replacing.list_folders(tmp_path, also=(".new",)) == ["a", "b", "c.new", "e", "f.old"]
    assert replacing.list_folders(tmp_path / "nothing") == []


def test_a_folder_that_can_be_created_can_be_written_to(tmp_path):
    replacing.check_writable(tmp_path / "not" / "yet" / "there")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"cannot write to .*: choose a different folder"):
        replacing.check_writable(tmp_path / "file" / "below")


@pytest.mark.parametrize(
    ("error", "becomes"),
    [
        (SafetensorError("no space"), OSError),
        (OSError("no space"), OSError),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (ValueError("odd"), ValueError),
    ],
)
def test_an_error_while_writing_keeps_the_old_file(error, becomes, tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def write() -> None:
        with replacing.replacing(path) as part:
            part.write_text("ne")
            raise error

    with pytest.raises(becomes) as caught:
        write()
    assert (caught.value is error) == (not isinstance(error, SafetensorError))
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


@pytest.mark.skipif(os.name != "posix", reason="no links here")
@pytest.mark.parametrize("is_link", [False, True])
def test_what_a_killed_process_left_has_no_influence(is_link, tmp_path):
    """Neither its permissions are kept, nor is the file changed to which it links."""
    part = tmp_path / "file.part"
    other = tmp_path / "other"
    other.write_text("other")
    usual = other.stat().st_mode
    if is_link:
        part.symlink_to(other)
    else:
        part.write_text("a longer text")
        part.chmod(0o600)
    path = replacing.write_text(tmp_path / "file", "new")
    assert (path.read_text(), path.is_symlink(), path.stat().st_mode) == ("new", False, usual)
    assert other.read_text() == "other"
    assert not part.exists()


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 298774312\n"


@pytest.mark.parametrize(
    "name", ["config.json", "model.safetensors", "tokenizer.json", "history.jsonl"]
)
def test_a_checkpoint_that_git_lfs_has_not_downloaded_is_explained(name, tiny_checkpoint, tmp_path):
    folder = shutil.copytree(tiny_checkpoint, tmp_path / "en-fr")
    (folder / name).write_bytes(POINTER)
    with pytest.raises(ValueError, match="a pointer of git-lfs, not the file itself"):
        load(folder)


@pytest.mark.parametrize("name", ["fra.tsv", "fra-eng.zip", "fra.tar.gz"])
def test_a_corpus_that_git_lfs_has_not_downloaded_is_explained(name, tmp_path):
    (tmp_path / name).write_bytes(POINTER)
    with pytest.raises(ValueError, match="run git lfs pull in its repository"):
        read_corpus(tmp_path / name)
