"""Files that somebody else wrote: of a regular kind, of bounded size, with values in range."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from safetensors import SafetensorError

from model.files.checkpoint_error import CheckpointError
from model.files.json_file import LARGEST, decode, read_json
from model.files.regular_file import is_folder, is_regular, is_there, open_regular, read_regular
from model.files.replacing import (
    beside,
    check_writable,
    replace_folder,
    replacing,
    settle,
    shown_names,
    standing,
)
from model.files.schemas import Comparison, Facts, Line, Pruning, TokenizerModel

LINE = {"step": 7, "seconds": 11.5}


def without(values: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != key}


@pytest.mark.parametrize(
    ("change", "fits"),
    [
        ({"step": 0}, True),
        ({"step": -1}, False),
        ({"step": 10**15}, True),
        ({"step": 10**15 + 1}, False),
        ({"step": 1.5}, False),
        ({"seconds": 0}, True),
        ({"seconds": -0.1}, False),
        ({"loss": -(10.0**15)}, True),
        ({"loss": -(10.0**16)}, False),
        ({"loss": "2"}, False),
        ({"dev_bleu": -1}, False),
        ({"of_another_version": [1]}, True),
    ],
)
def test_a_line_of_the_history(change, fits):
    text = json.dumps(LINE | change)
    if fits:
        found = decode(text, Line)
        assert found == {key: value for key, value in (LINE | change).items() if key in found}
        assert found.keys() >= LINE.keys()
    else:
        with pytest.raises(ValueError, match=rf"`\$\.{next(iter(change))}`"):
            decode(text, Line)


def test_what_a_line_must_have_and_what_facts_may_lack():
    for key in LINE:
        with pytest.raises(ValueError, match=key):
            decode(json.dumps(without(LINE, key)), Line)
    assert decode("{}", Facts) == {}


def test_texts_and_names_have_a_length():
    assert decode(json.dumps({"hardware": "x" * 10_000}), Facts)["hardware"]
    with pytest.raises(ValueError, match="hardware"):
        decode(json.dumps({"hardware": "x" * 10_001}), Facts)
    scores = {"bleu": 1.0, "chrf": 2.0}
    compared = {"n_parameters": 3, "greedy": scores, "beam search": scores}
    facts = {"by_length": [], "joined": [], "sentences": 2, "date": "", "command": ""}
    for name, fits in (("x" * 255, True), ("x" * 256, False), ("", False)):
        text = json.dumps(facts | {"models": {name: compared}})
        if fits:
            assert list(decode(text, Comparison)["models"]) == [name]
        else:
            with pytest.raises(ValueError, match="models"):
                decode(text, Comparison)
    with pytest.raises(ValueError, match="models"):
        decode(json.dumps(facts | {"models": {}}), Comparison)


def test_a_curve_has_a_point_and_a_vocabulary_bounded_numbers():
    point = {"removed": 0, "bleu": 1.5}
    curves = {"gradient": [point], "removal": [point], "random": [point]}
    assert decode(json.dumps(curves), Pruning) == curves
    for name in curves:
        with pytest.raises(ValueError, match=name):
            decode(json.dumps(curves | {name: []}), Pruning)
    for number, fits in ((0, True), (10**6, True), (10**6 + 1, False), (-1, False)):
        text = json.dumps({"vocab": {"a": number}, "merges": [["a", "b"]], "type": "BPE"})
        if fits:
            assert decode(text, TokenizerModel)["merges"] == [("a", "b")]
        else:
            with pytest.raises(ValueError, match="vocab"):
                decode(text, TokenizerModel)


def test_deep_nesting_is_a_sentence():
    with pytest.raises(ValueError, match="nested too deeply"):
        decode("[" * 100_000 + "]" * 100_000, Any)


def test_a_file_may_be_as_large_as_its_limit_and_no_larger(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert read_regular(path, 5) == b"12345"
    with pytest.raises(OSError, match="larger than 0 MB"):
        read_regular(path, 4)
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)  # takes no place on the disk
    with pytest.raises(CheckpointError, match=r"odd \(it is larger than 32 MB\)\. Mend it\."):
        read_json(path, Facts, fault="odd", remedy="Mend it.")


@pytest.mark.skipif(os.name != "posix", reason="no pipes and links here")
def test_what_is_what(tmp_path):
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
    assert [p.name for p in paths if is_there(p)] == ["file", "folder", "pipe", "link"]
    for path in (folder, pipe):
        with pytest.raises(OSError, match="no regular file"):
            open_regular(path)
    with open_regular(link) as opened:
        assert opened.read() == b"x"


def folder_of(path: Path, content: str) -> Path:
    path.mkdir(parents=True)
    (path / "content").write_text(content)
    return path


def test_a_replacement_killed_half_way_still_stands(tmp_path):
    folder = tmp_path / "name"
    assert standing(folder) == folder
    aside = folder_of(beside(folder, ".replaced"), "old")
    assert aside == tmp_path / "name.replaced"
    assert standing(folder) == aside
    settle(folder)
    assert not aside.exists()
    assert (standing(folder) / "content").read_text() == "old"
    folder_of(aside, "older")
    assert standing(folder) == folder
    replace_folder(folder_of(beside(folder, ".new"), "new"), folder)
    assert [path.name for path in tmp_path.iterdir()] == ["name"]
    assert (folder / "content").read_text() == "new"


def test_what_people_keep_beside_a_folder_stays(tmp_path):
    folder = folder_of(tmp_path / "name", "1")
    for kept in (".old", ".bak", ".1"):
        folder_of(beside(folder, kept), kept)
    replace_folder(folder_of(beside(folder, ".new"), "2"), folder)
    assert (folder / "content").read_text() == "2"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "name",
        "name.1",
        "name.bak",
        "name.old",
    ]


def test_a_folder_may_take_a_place_where_nothing_stands(tmp_path):
    folder = tmp_path / "name"
    replace_folder(folder_of(beside(folder, ".new"), "new"), folder)
    assert [path.name for path in tmp_path.iterdir()] == ["name"]
    assert (folder / "content").read_text() == "new"


def test_working_folders_are_shown_only_where_they_are_asked_for(tmp_path):
    for name in ("b", "a", "c.new", "d.saving", "e.replaced", "f.old"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").write_text("")
    assert shown_names(tmp_path) == ["a", "b", "e", "f.old"]
    assert shown_names(tmp_path, also=(".new",)) == ["a", "b", "c.new", "e", "f.old"]
    assert shown_names(tmp_path / "nothing") == []


def test_a_folder_that_can_be_made_can_be_written_to(tmp_path):
    check_writable(tmp_path / "not" / "yet" / "there")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"cannot write to .*: choose another"):
        check_writable(tmp_path / "file" / "below")


@pytest.mark.parametrize(
    ("error", "becomes"),
    [
        (SafetensorError("no space"), OSError),
        (OSError("no space"), OSError),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (ValueError("odd"), ValueError),
    ],
)
def test_what_goes_wrong_while_a_file_is_written_leaves_the_old_one(error, becomes, tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def write() -> None:
        with replacing(path) as part:
            part.write_text("ne")
            raise error

    with pytest.raises(becomes) as caught:
        write()
    assert (caught.value is error) == (not isinstance(error, SafetensorError))
    assert [found.read_text() for found in tmp_path.iterdir()] == ["old"]
