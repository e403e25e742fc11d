"""A model of one's own on the pages: opened, refused, told from others, closed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from model.files.archive import ArchiveError
from tests.broken_zips import Files, entries_of, files_of, written
from tests.ui.app import html_of, open_page, run, text_of
from ui.frame.page import PAGES
from ui.state import own_model
from ui.state.limits import MEMORY_VARIABLE, UPLOAD_VARIABLE, UPLOADS_VARIABLE
from ui.state.memory import memory
from ui.text.translator import translator

EN = translator("en")
EXPLORER = PAGES["explorer"]
HOSTILE = '<img src=x onerror="alert(1)"> ![x](http://127.0.0.1:9/x.png) [y](http://127.0.0.1:9/y)'


@pytest.fixture
def files(tiny_checkpoint: Path) -> Files:
    return files_of(tiny_checkpoint)


@pytest.fixture(autouse=True)
def allowed(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Two megabytes, in a folder for temporary files that nobody else uses."""
    place = tmp_path_factory.mktemp("temp")
    shutil.rmtree(checkpoints / "torn")
    monkeypatch.setenv(UPLOAD_VARIABLE, "2000000")
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    own_model.leave_nothing()
    own_model._all.clear()
    assert list(place.iterdir()) == []


def send(app: AppTest, files: Files | bytes, *, name: str = "mine.zip") -> AppTest:
    """Choose a file in the uploader that is there now."""
    content = files if isinstance(files, bytes) else written(entries_of(files))
    [box] = app.get("file_uploader")
    box.set_value((name, content, "application/zip"))
    return run(app)


def names_of(app: AppTest) -> list[str]:
    return app.selectbox(key="choice.checkpoint").options


def on_disk(place: Path) -> list[str]:
    return [path.name for path in place.glob("*/*/*")]


def test_it_is_chosen_and_named_as_one_s_own_on_every_page(files: Files, allowed: Path) -> None:
    app = send(open_page(EXPLORER), files, name="../Mein Modell.v2.zip")
    assert names_of(app) == ["en-fr", "Mein-Modell-v2 (your own)"]
    assert app.selectbox(key="choice.checkpoint").value == "own/Mein-Modell-v2"
    assert on_disk(allowed) == ["Mein-Modell-v2"]
    for page in PAGES.values():
        if page != PAGES["gallery"]:
            assert run(app.switch_page(page)).query_params["checkpoint"] == "own/Mein-Modell-v2"
            assert not app.toast
    run(app.switch_page(PAGES["welcome"]))
    assert "Mein-Modell-v2" in html_of(app)


def test_how_its_heads_are_measured_is_said_without_a_folder_that_the_server_lacks(
    files: Files,
) -> None:
    app = send(open_page(EXPLORER), files)
    assert "analyse --checkpoint FOLDER --pairs FILE.tsv with its folder" in text_of(app)
    app = run(app.switch_page(PAGES["heads"]))
    assert "The heads of mine have not been measured yet" in html_of(app)
    assert "checkpoints/mine" not in html_of(app)


def test_the_one_before_stays_until_another_is_sound(files: Files, allowed: Path) -> None:
    app = send(send(open_page(EXPLORER), files), b"no zip", name="<b>.zip")
    assert names_of(app)[1:] == ["mine (your own)"]
    assert f"&lt;b&gt;.zip: {ArchiveError('no_zip')}".replace("'", "&#x27;") in html_of(app)
    app = send(app, files, name="other.zip")
    assert names_of(app)[1:] == ["other (your own)"]
    assert "no zip" not in html_of(app)
    assert on_disk(allowed) == ["other"]
    app.button(key="own.forget").click()
    assert names_of(run(app)) == ["en-fr"]
    assert app.selectbox(key="choice.checkpoint").value == ""
    assert on_disk(allowed) == []
    assert not app.toast


def test_it_is_not_taken_for_another(files: Files) -> None:
    app = send(open_page(EXPLORER), files, name="en-fr.zip")
    assert names_of(app) == ["en-fr", "en-fr-own (your own)"]
    assert app.selectbox(key="choice.checkpoint").value == "own/en-fr-own"


def test_what_is_wrong_with_the_model_is_said_without_a_path(files: Files, allowed: Path) -> None:
    app = send(open_page(EXPLORER), files | {"config.json": HOSTILE.encode()})
    [said] = [part for part in html_of(app).split("\n") if "mine.zip" in part]
    assert "The file config.json does not describe a model" in said
    assert str(allowed) not in html_of(app)
    assert on_disk(allowed) == []


def test_a_link_names_what_only_its_owner_has(files: Files) -> None:
    app = send(open_page(EXPLORER), files)
    stranger = open_page(EXPLORER, checkpoint="own/mine", second_checkpoint="own/mine")
    assert [toast.value for toast in stranger.toast] == [EN("own.link")]
    assert names_of(stranger) == ["en-fr"]
    assert "checkpoint" not in stranger.query_params
    assert names_of(run(app))[1:] == ["mine (your own)"]
    lost = open_page(EXPLORER, checkpoint="gone")
    assert [toast.value for toast in lost.toast] == [EN("link.ignored", names="checkpoint")]


def test_nothing_that_it_says_of_itself_is_read_as_markup(files: Files) -> None:
    config = (
        files["config.json"]
        .decode()
        .replace('"training": {}', '"training": {"languages": ["en", %s]}')
    )
    hostile = HOSTILE.replace('"', '\\"')
    files |= {"config.json": (config % f'"{hostile}"').encode(), "README.md": HOSTILE.encode()}
    app = send(open_page(EXPLORER), files)
    for page in PAGES.values():
        run(app.switch_page(page))
        assert "<img src=x" not in html_of(app)
        assert "127.0.0.1:9" not in text_of(app)


def test_there_is_room_for_so_many(
    files: Files, allowed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = sum(map(len, files.values()))
    monkeypatch.setenv(UPLOADS_VARIABLE, str(2_000_000 + size))
    first, second = (send(open_page(EXPLORER), files) for _ in range(2))
    assert len(on_disk(allowed)) == 2
    third = send(open_page(EXPLORER), files)
    assert str(ArchiveError("no_room")).replace("'", "&#x27;") in html_of(third)
    second.button(key="own.forget").click()
    run(second)
    assert names_of(send(third, files))[1:] == ["mine (your own)"]
    assert names_of(run(first))[1:] == ["mine (your own)"]


def test_no_model_pushes_all_others_out_of_memory(
    files: Files, allowed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MEMORY_VARIABLE, "2000000")
    memory.cache_clear()
    app = send(open_page(EXPLORER), files)
    assert "MB in memory, and at most 0.5 are given to one here" in html_of(app)
    assert on_disk(allowed) == []
    memory.cache_clear()


def test_who_has_left_leaves_nothing(files: Files, allowed: Path) -> None:
    app = send(open_page(EXPLORER), files)
    own_model.remove_left(lambda _: True, patience=0)
    own_model.remove_left(lambda _: False, patience=60)
    assert on_disk(allowed) == ["mine"]
    own_model.remove_left(lambda _: False, patience=0)
    assert on_disk(allowed) == []
    assert names_of(run(app)) == ["en-fr"]


def test_what_a_killed_server_left_is_removed(files: Files, allowed: Path) -> None:
    dead = allowed / f"{own_model._FOLDERS}dead" / "x"
    dead.mkdir(parents=True)
    (dead.parent / own_model._LOCK).touch()
    others = allowed / "somebody-else"
    others.mkdir()
    send(open_page(EXPLORER), files)
    own_model.remove_leftovers()  # also not its own
    assert not dead.parent.exists()
    assert on_disk(allowed) == ["mine"]
    others.rmdir()


def test_nobody_opens_one_unless_the_operator_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(UPLOAD_VARIABLE)
    app = open_page(EXPLORER)
    assert not app.get("file_uploader")
    assert EN("own.title") not in [expander.label for expander in app.expander]
