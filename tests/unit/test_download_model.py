"""The download of a model, from a server that answers as the Hub does."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from model import list_checkpoints, load
from model.download import main
from model.hub import download, folder
from tests.hub_models import save_folder
from tests.hub_server import REVISION, Hub, serve

NAME = "Someone/t5-tiny"
NOT_NEEDED = ("pytorch_model.bin", "tf_model.h5", "flax_model.msgpack", "onnx/model.onnx")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of a model, and some files that are not needed."""
    made = save_folder("t5", tmp_path_factory.mktemp("made") / "t5")
    content = {path.name: path.read_bytes() for path in made.iterdir()}
    content |= {"README.md": b"# A model", **dict.fromkeys(NOT_NEEDED, b"x" * 1000)}
    return content


@pytest.fixture
def hub(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """Start a server that answers as the Hub does."""
    monkeypatch.chdir(tmp_path)
    hub = Hub(NAME, dict(files))
    with serve(hub, monkeypatch, tmp_path):
        yield hub


def _reason(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([NAME, *arguments]) == 1
    return capsys.readouterr().err.splitlines()[-1]


def test_a_model_is_downloaded_and_opens(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([NAME]) == 0
    output = capsys.readouterr().out
    assert "Licence: apache-2.0" in output
    assert REVISION in output
    assert "checkpoints/t5-tiny is complete" in output.replace("\\", "/")

    target = Path("checkpoints/t5-tiny")
    names = {path.name for path in target.iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "README.md"} <= names
    assert not names & {*NOT_NEEDED, ".cache"}
    record = json.loads((target / "download.json").read_text())
    assert record == {"model": NAME, "revision": REVISION, "licence": "apache-2.0"}
    assert [path.name for path in Path("checkpoints").iterdir()] == ["t5-tiny"]
    assert load(target).name == "t5-tiny"

    n_sent = len(hub.sent)
    assert main([f"{download.ENDPOINT}/{NAME}"]) == 0
    assert "there already" in capsys.readouterr().out
    assert len(hub.sent) == n_sent


def test_a_bin_file_is_downloaded_only_without_safetensors(hub: Hub) -> None:
    hub.files["pytorch_model.bin"] = hub.files.pop("model.safetensors")
    needed = download.find_model(NAME, Path("checkpoints")).sizes
    assert "pytorch_model.bin" in needed
    hub.files["model.safetensors.index.json"] = b"{}"
    hub.files["model-00001-of-00002.safetensors"] = b""
    shutil.rmtree("checkpoints")
    needed = download.find_model(NAME, Path("checkpoints")).sizes
    assert {"model.safetensors.index.json", "model-00001-of-00002.safetensors"} <= needed.keys()
    assert not needed.keys() & set(NOT_NEEDED)


def test_an_interrupted_download_leaves_no_checkpoint_and_can_be_continued(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = download.snapshot_download

    def stopped(name: str, *, allow_patterns: list[str], **options: Any) -> None:
        # the download stops after the weights
        real(name, allow_patterns=allow_patterns[:1], **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(download, "snapshot_download", stopped)
    assert main([NAME]) == 130
    assert "the same command continues" in capsys.readouterr().err
    assert list_checkpoints("checkpoints") == []
    assert [path.name for path in Path("checkpoints").iterdir()] == [".download"]

    monkeypatch.setattr(download, "snapshot_download", real)
    assert main([NAME]) == 0
    assert list_checkpoints("checkpoints") == ["t5-tiny"]
    assert hub.sent.count("model.safetensors") == 1
    load("checkpoints/t5-tiny")


def test_another_revision_is_downloaded_from_the_beginning(hub: Hub) -> None:
    root = Path("checkpoints")
    download.find_model(NAME, root)
    (root / ".download/t5-tiny/leftover").touch()
    hub.revision = "f" * 40
    download.find_model(NAME, root, "main")
    assert not (root / ".download/t5-tiny/leftover").exists()


@pytest.mark.parametrize(
    ("path", "status", "code", "message"),
    [
        ("/api/", 404, "RepoNotFound", "has no model Someone/t5-tiny, or it is private"),
        ("/api/", 404, "RevisionNotFound", "has no such revision"),
        ("/Someone", 403, "GatedRepo", "agree to its conditions: agree at http"),
        ("/api/", 500, "", "answered 500 for Someone/t5-tiny: try again later"),
    ],
)
def test_a_refusal_of_the_hub_is_explained(
    path: str,
    status: int,
    code: str,
    message: str,
    hub: Hub,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hub.refused[path] = status, code
    assert message in _reason(capsys)
    assert not Path("checkpoints").exists() or list(Path("checkpoints").iterdir()) == []


@pytest.mark.usefixtures("hub")
def test_a_missing_network_is_explained(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "ENDPOINT", "http://127.0.0.1:1")
    assert "is this computer online?" in _reason(capsys)


def test_a_broken_connection_keeps_the_received_bytes(
    hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.refused[f"/{NAME}/resolve/{REVISION}/tokenizer.json"] = 418, ""
    hub.refused[f"/{NAME}/resolve/{REVISION}/spiece.model"] = 418, ""
    assert "answered 418 for Someone/t5-tiny: try again later, the same command" in _reason(capsys)
    hub.refused.clear()
    assert main([NAME]) == 0
    assert hub.sent.count("config.json") == 1


def test_a_model_of_another_type_is_refused(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    hub.files["config.json"] = b'{"model_type": "gpt2"}'
    assert "model of the type 'gpt2'" in _reason(capsys)
    assert hub.sent == ["config.json"]
    assert list(Path("checkpoints").iterdir()) == []


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        (("model.safetensors", "pytorch_model.bin"), "has no weights for PyTorch"),
        (("config.json",), "has no config.json"),
        (("tokenizer.json", "spiece.model"), "has no files of a tokenizer"),
    ],
)
def test_a_model_without_a_needed_file_is_refused(
    missing: tuple[str, ...], message: str, hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in missing:
        hub.files.pop(name, None)
    assert message in _reason(capsys)
    assert hub.sent == []


@pytest.mark.usefixtures("hub")
def test_a_disk_that_is_too_small_is_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(".")._replace(free=10)
    monkeypatch.setattr(download.shutil, "disk_usage", lambda _: usage)
    assert "make room, or choose a folder on a different disk" in _reason(capsys)


@pytest.mark.usefixtures("hub")
def test_a_model_larger_than_the_memory_is_announced(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "available_memory", lambda: 1000)
    assert main([NAME]) == 0
    assert "of memory to open, and this machine has 0 MB free" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["a/b/c", "a/..", "/", "a/b c", "../b"])
def test_an_impossible_name_of_a_model_is_refused(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([name, "--to", str(tmp_path)]) == 1
    assert "is not the name of a model" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fra-spa"], "there is no corpus 'fra-spa'"),
        (["fra-eng", "--revision", "main"], "--revision is for a model"),
        ([NAME, "--sha256", "00"], "--url and --sha256 are for a corpus"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err
