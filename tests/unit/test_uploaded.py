"""A checkpoint as a zip: a sound one is opened, whatever made it; others are refused in words."""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from model import CheckpointError, load
from model.files import archive
from model.files.archive import SENTENCES, ArchiveError
from model.uploaded import MOST_HEADS, open_uploaded
from tests.broken_zips import (
    KINDS,
    LIMIT,
    Entry,
    Files,
    Random,
    broken,
    entries_of,
    files_of,
    written,
)
from ui.text.translator import LANGUAGES, translator


@pytest.fixture(scope="module")
def files(tiny_checkpoint: Path) -> Files:
    return files_of(tiny_checkpoint)


def everything(place: Path) -> dict[str, tuple[int, int]]:
    """All that lies in a folder, with what changes when it is touched."""
    found = {}
    for path in place.rglob("*"):
        about = path.lstat()
        found[str(path)] = about.st_size, about.st_mtime_ns
    return found


def opened(content: bytes, tmp_path: Path, *, limit: int = LIMIT):
    return open_uploaded(io.BytesIO(content), tmp_path / "own" / "mine", limit=limit)


def fault_of(content: bytes, tmp_path: Path, *, limit: int = LIMIT) -> str:
    with pytest.raises(ArchiveError) as caught:
        opened(content, tmp_path, limit=limit)
    return caught.value.fault


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_is_refused_for_its_own_fault(name: str, files: Files, tmp_path: Path) -> None:
    make, faults = KINDS[name]
    (tmp_path / "own").mkdir()
    for seed in range(3):
        before = everything(tmp_path)
        with pytest.raises(CheckpointError) as caught:
            opened(make(dict(files), Random(seed)), tmp_path)
        assert getattr(caught.value, "fault", "") in faults, caught.value
        said = str(caught.value)
        assert said.isprintable()
        assert said.endswith((".", "…"))
        assert len(said) <= 500
        assert str(tmp_path) not in said
        assert everything(tmp_path).keys() == before.keys()


def test_kinds_come_in_turn(files: Files) -> None:
    counts = Counter(name for name, _ in broken(files, 2 * len(KINDS), seed=3))
    assert counts == dict.fromkeys(KINDS, 2)


def by_zipfile(files: Files, top: str, method: int, *, folders: bool = False) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as made:
        if folders:
            made.mkdir(top or "snapshots/")
        for name, content in files.items():
            made.writestr(f"{top}{name}", content)
        made.comment = b"made by hand"
    return buffer.getvalue()


SOUND: list[Callable[[Files], bytes]] = [
    lambda files: written(entries_of(files)),
    lambda files: by_zipfile(files, "", zipfile.ZIP_DEFLATED),
    lambda files: by_zipfile(files, "模型 (1)/", zipfile.ZIP_STORED, folders=True),
    lambda files: by_zipfile(files, "", zipfile.ZIP_STORED, folders=True),
    lambda files: written(
        [
            Entry(b"__MACOSX/mine/._config.json", b"x"),
            Entry(b"mine/.DS_Store", b"x"),
            *entries_of(files | {"training.safetensors": bytes(2 * LIMIT)}),
        ]
    ),
]


@pytest.mark.parametrize("make", SOUND)
def test_a_sound_one_translates_as_its_folder(
    make: Callable[[Files], bytes], files: Files, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    found = opened(make(files), tmp_path)
    assert files_of(tmp_path / "own" / "mine") == files
    assert found.name == "mine"
    before = load(tiny_checkpoint).trace("I see a cat.")
    assert (found.trace("I see a cat.").cross == before.cross).all()


def test_every_file_of_a_checkpoint_comes_along(shipped_checkpoint: Path, tmp_path: Path) -> None:
    small = shipped_checkpoint.with_name("en-fr-small")
    names = ["config.json", "model.safetensors", "tokenizer.json", "README.md", "history.jsonl"]
    steps = [f"snapshots/{path.name}" for path in sorted((small / "snapshots").iterdir())[:2]]
    files = {name: (small / name).read_bytes() for name in [*names, *steps]}
    opened(written(entries_of(files)), tmp_path, limit=10**7)
    assert files_of(tmp_path / "own" / "mine") == files


def test_limits_are_exact(files: Files, tmp_path: Path) -> None:
    size = sum(map(len, files.values()))
    stored = [Entry(e.name, e.content, method=0) for e in entries_of(files)]
    deflated = written(entries_of(files))
    assert len(deflated) < size - 1
    assert fault_of(deflated, tmp_path, limit=size - 1) == "too_much"
    opened(deflated, tmp_path, limit=size)
    shutil.rmtree(tmp_path / "own")
    whole = written(stored)
    assert fault_of(whole, tmp_path, limit=len(whole) - 1) == "too_much"


def test_what_is_unpacked_is_counted_whatever_the_list_says(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "_content", lambda *_: iter([bytes(10**6)] * 9))
    assert fault_of(written(entries_of(files)), tmp_path) == "too_large"


def test_a_full_disk_is_said(files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    assert fault_of(written(entries_of(files)), tmp_path) == "no_room"


def test_a_model_for_a_large_machine(files: Files, tmp_path: Path) -> None:
    content = files["config.json"].replace(b'"n_heads": 3', b'"n_heads": 33')
    with pytest.raises(CheckpointError, match=f"33 heads, and at most {MOST_HEADS}"):
        opened(written(entries_of(files | {"config.json": content})), tmp_path)


def test_what_breaks_while_it_is_opened_leaves_nothing(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("model.uploaded.load", break_off)
    with pytest.raises(KeyboardInterrupt):
        opened(written(entries_of(files)), tmp_path)
    assert os.listdir(tmp_path / "own") == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_has_its_sentence(language: str) -> None:
    texts = translator(language).texts
    assert {key for key in texts if key.startswith("archive.")} == {
        f"archive.{f}" for f in SENTENCES
    }
    if language == "en":
        assert all(texts[f"archive.{fault}"] == said for fault, said in SENTENCES.items())
