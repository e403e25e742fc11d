"""The gallery as a folder: what it holds is what the models do, and no page needs a server."""

import base64
import json
import re
from html import unescape

import numpy as np
import pytest

from model.gallery.finding import read_gallery
from model.gallery.phenomena import PHENOMENA
from model.translation_model import load_transformer
from tests.ui.app import ROOT
from ui.gallery.exhibits import exhibits, look, places
from ui.gallery.static_pages import main
from ui.state.models import FOLDER_VARIABLE
from ui.text.translator import translator

INDEX = {"en": "index.html", "zh": "index.zh.html"}


@pytest.fixture(scope="module", autouse=True)
def shared() -> None:
    """The shipped models."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the command writes for the shipped models: name of a file -> its text."""
    folder = tmp_path_factory.mktemp("static") / "examples"
    assert main(["--out", str(folder)]) == 0
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_every_page_is_linked_and_nothing_is_asked_of_any_server(pages):
    linked: set[str] = set()
    for language, name in INDEX.items():
        found = {unescape(link) for link in re.findall(r'href="([^"]+)"', pages[name])} - {"data:,"}
        others = found - {*INDEX.values()}
        assert len(others) == len(places()) > 10
        assert all(link.endswith(f".{language}.html") for link in others)
        assert found - others == {*INDEX.values()} - {name}
        linked |= found
    assert linked == {*pages}
    for page in pages.values():
        assert "default-src 'none'" in page
        assert not re.search(r'(?:src|href|srcset)="(?:https?:)?//', page)


def test_each_page_begins_with_its_head_and_holds_the_weights_of_the_model(pages):
    t = load_transformer(ROOT / "checkpoints" / "en-fr")
    for example in read_gallery(t):
        trace = t.trace(example.sentence)
        page = pages[f"en-fr.{example.phenomenon}.en.html"]
        [data] = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page)
        said = json.loads(data)
        kind, layer, head = example.place
        start = said["start"]
        assert (start["kind"], start["layer"], start["head"]) == (kind, layer, head)
        assert kind == "encoder_self" or start["rows"] == PHENOMENA[example.phenomenon].rows
        [maps] = [one for one in said["attentions"] if one["kind"] == kind]
        weights = np.frombuffer(base64.b64decode(maps["weights"]), "<f4").reshape(maps["shape"])
        np.testing.assert_allclose(weights, getattr(trace, kind), atol=1e-5)


@pytest.mark.parametrize(("language", "tag"), [("en", "en"), ("zh", "zh-Hans")])
def test_an_index_says_of_each_example_what_the_app_says(pages, language, tag):
    page = unescape(pages[INDEX[language]])
    assert page.startswith(f'<!doctype html>\n<html lang="{tag}">')
    for _, exhibit in exhibits(places()):
        assert look(exhibit, translator(language)) in page
        assert exhibit.target_text in page


def test_what_cannot_be_written_is_said(tmp_path, tiny_checkpoint, monkeypatch, capsys):
    (tmp_path / "file").write_text("in the way")
    assert main(["--out", str(tmp_path / "file" / "out")]) == 1
    assert "file" in capsys.readouterr().err
    monkeypatch.setenv(FOLDER_VARIABLE, str(tiny_checkpoint.parent))
    assert main(["--out", str(tmp_path / "out")]) == 1
    assert "python -m model.find_examples" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
