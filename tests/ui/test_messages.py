"""No page shows the path of a folder on the server, whatever is wrong with a checkpoint."""

from pathlib import Path

import pytest

from model import CheckpointError, load
from tests.ui.app import html_of, open_by_any_link
from ui.frame.page import PAGES
from ui.server.queue import Job
from ui.state.memory import memory
from ui.state.messages import without_folders
from ui.state.models import FOLDER_VARIABLE

DAMAGED = [
    ("config.json", b"{"),
    ("config.json", None),
    ("model.safetensors", b"short"),
    ("model.safetensors", None),
    ("tokenizer.json", b"[]"),
    ("heads.json", b"{"),
    ("history.jsonl", b"{}\n"),
]


@pytest.mark.parametrize(("name", "content"), DAMAGED)
def test_a_page_names_a_damaged_file_and_its_checkpoint_only(checkpoints, name, content):
    path = checkpoints / "en-fr" / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    memory.cache_clear()
    for page in (PAGES["welcome"], PAGES["explorer"], PAGES["heads"], PAGES["learning"]):
        app = open_by_any_link(page, {"checkpoint": "en-fr"})
        shown = html_of(app) + "".join(element.value for element in app.markdown)
        assert str(checkpoints) not in shown, page
        assert str(checkpoints.parent) not in shown, page


def test_a_page_names_the_checkpoint_and_a_command_names_the_folder(checkpoints):
    (checkpoints / "en-fr" / "model.safetensors").write_bytes(b"short")
    memory.cache_clear()
    shown = html_of(open_by_any_link(PAGES["explorer"], {}))
    assert "The weights en-fr/model.safetensors are cut off or damaged" in shown
    folder = checkpoints / "en-fr"
    with pytest.raises(CheckpointError, match=f"The weights {folder}/model.safetensors are"):
        load(folder)


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            "The checkpoint /srv/models/en-fr lacks config.json.",
            "The checkpoint en-fr lacks config.json.",
        ),
        ("(/srv/models/en-fr/heads.json)", "(en-fr/heads.json)"),
        ("[Errno 28] No space left: '/tmp/x1/state.pt'", "[Errno 28] No space left: 'state.pt'"),
        ("cannot read C:\\app\\models\\a.json", "cannot read a.json"),
        (
            "Choose one of checkpoints/, or 1/2 of en-fr/x.",
            "Choose one of checkpoints/, or 1/2 of en-fr/x.",
        ),
    ],
)
def test_paths_of_the_server_are_removed_from_messages(message, shown, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, "/srv/models")
    assert without_folders(message) == shown


def test_the_folder_of_checkpoints_may_be_relative_and_have_spaces(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for folder in ("own models", "./own models", str(tmp_path / "own models")):
        monkeypatch.setenv(FOLDER_VARIABLE, folder)
        error = f"The file {Path(folder)}/en-fr/heads.json is damaged."
        assert without_folders(error) == "The file en-fr/heads.json is damaged."


@pytest.mark.parametrize("name", ["-x", ".x", "(old)", "[1]", "a'b", ",x", "en fr"])
@pytest.mark.parametrize(
    "root",
    [
        "/srv/My Models",
        "/srv/a, b/models",
        "/srv/the user's/models (new)",
        """/srv/a "b" it's/models""",
        "../up/ck",
        "../my up/ck",
        "ck",
    ],
)
def test_no_name_of_a_root_or_checkpoint_leaves_a_path_in_the_message(root, name, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, root)
    path = f"{root}/{name}/config.json"
    assert without_folders(f"The file {path} is damaged.") == (
        f"The file {name}/config.json is damaged."
    )
    nested = f"({root}/{name}/snapshots/4/config.json)"
    assert without_folders(nested) == f"({name}/snapshots/4/config.json)"


def test_a_path_with_quotes_as_a_system_error_writes_it_is_removed(monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, """/srv/a "b" it's""")
    error = OSError(2, "No such file", """/srv/a "b" it's/-x/config.json""")
    assert str(error) == r"""[Errno 2] No such file: '/srv/a "b" it\'s/-x/config.json'"""
    assert without_folders(error) == "[Errno 2] No such file: '-x/config.json'"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("The folder /srv/my dir/models is empty.", "The folder models is empty."),
        ("Choose one of /srv/my dir/models/.", "Choose one of models/."),
        ("cannot write /srv/my dir/other/x.pt", "cannot write x.pt"),
        ("cannot write /srv/my dir/models-old/x.pt", "cannot write x.pt"),
    ],
)
def test_folders_above_the_root_are_removed(message, shown, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, "/srv/my dir/models")
    assert without_folders(message) == shown


def test_a_relative_root_that_is_a_common_word_stays_in_a_sentence(monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, "checkpoints")
    sentence = "Choose one of checkpoints/, or a folder of checkpoints/."
    assert without_folders(sentence) == sentence


def test_a_failed_job_shows_no_path_either():
    def fail():
        raise OSError(28, "No space left on device", "/srv/secret/state.pt")
        yield

    job = Job(fail, lambda: True)
    assert job.work() == "failed"
    assert job.problem == "[Errno 28] No space left on device: 'state.pt'"
