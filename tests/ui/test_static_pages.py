"""The gallery as a folder: what it holds is what the models do, and no page needs a server."""

from __future__ import annotations

import base64
import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from model.gallery.gallery_file import read_gallery
from model.gallery.phenomena import PHENOMENA
from model.translation_model import load_transformer
from tests.server import ROOT
from ui.gallery.exhibits import exhibits, places
from ui.gallery.static_pages import main
from ui.gallery.words import look
from ui.state.models import FOLDER_VARIABLE
from ui.text.translator import LANGUAGES, translator


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command writes for the shipped models."""
    written = tmp_path_factory.mktemp("static") / "examples"
    assert main(["--out", str(written)]) == 0
    return written


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def links(page: str) -> set[str]:
    return {unescape(link) for link in re.findall(r'href="([^"]+)"', page)} - {"data:,"}


def test_every_page_is_linked_and_every_link_leads_to_a_page(folder):
    index = {"en": "index.html", "zh": "index.zh.html"}
    files = {path.name for path in folder.iterdir()}
    linked: set[str] = set()
    for language, name in index.items():
        found = links(text(folder / name))
        pages = found - set(index.values())
        assert len(pages) == len(places()) > 10
        assert all(link.endswith(f".{language}.html") for link in pages)
        assert found - pages == set(index.values()) - {name}
        linked |= found
    assert linked == files


def test_each_page_begins_with_its_head_and_holds_the_weights_of_the_model(folder):
    t = load_transformer(ROOT / "checkpoints" / "en-fr")
    for example in read_gallery(t):
        candidate = example.candidate
        trace = t.trace(candidate.sentence)
        page = text(folder / f"en-fr.{candidate.phenomenon}.en.html")
        [data] = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page)
        said = json.loads(data)
        kind, layer, head = example.place
        rows = PHENOMENA[candidate.phenomenon].rows
        assert said["start"]["kind"] == kind
        assert (said["start"]["layer"], said["start"]["head"]) == (layer, head)
        assert said["start"]["rows"] == (rows if kind != "encoder_self" else said["start"]["rows"])
        [maps] = [one for one in said["attentions"] if one["kind"] == kind]
        weights = np.frombuffer(base64.b64decode(maps["weights"]), "<f4").reshape(maps["shape"])
        np.testing.assert_array_equal(weights, getattr(trace, kind))


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_index_says_of_each_example_what_the_app_says(folder, language):
    tr = translator(language)
    name = "index.html" if language == "en" else f"index.{language}.html"
    page = unescape(text(folder / name))
    assert page.startswith(
        f'<!doctype html>\n<html lang="{"zh-Hans" if language == "zh" else "en"}">'
    )
    for _, exhibit in exhibits(places()):
        assert look(exhibit, tr) in page
        assert exhibit.target_text in page


def test_nothing_is_asked_of_any_server(folder):
    for path in folder.iterdir():
        page = text(path)
        assert "default-src 'none'" in page
        assert not re.search(r'(?:src|href|srcset)="(?:https?:)?//', page)


def test_without_examples_it_says_how_to_find_them(tmp_path, tiny_checkpoint, monkeypatch, capsys):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tiny_checkpoint.parent))
    assert main(["--out", str(tmp_path / "out")]) == 1
    assert "python -m model.find_examples" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    assert main(["--out", str(tmp_path / "file" / "out")]) == 1
    assert "file" in capsys.readouterr().err
