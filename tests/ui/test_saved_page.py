"""The button of the explorer that saves the whole analysis."""

from __future__ import annotations

from pathlib import Path

import pytest

from model import load
from model.pictures.words import ENGLISH
from tests.ui.app import open_page
from tests.ui.saved_files import Files
from ui.text.translator import translator


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_saves_what_is_shown(checkpoints: Path, files: Files, language: str) -> None:
    sentence, target = "<b>I see.</b>", "Je vois."
    link = {"sentence": sentence, "target": target, "attention": "decoder_self", "lang": language}
    open_page("pages/explorer.py", **link, view="head", layer="2", head="3", rows="read")
    texts = translator(language).texts
    trace = load(checkpoints / "en-fr").trace(sentence, target=target)
    expected = trace.to_html(
        "decoder_self",
        layer=1,
        head=2,
        rows="read",
        words={name: texts[name] for name in ENGLISH},
        language=language,
    )
    assert files.write["analysis.html"]().decode() == str(expected)


def test_the_mean_is_saved_as_the_mean(checkpoints: Path, files: Files) -> None:
    open_page("pages/explorer.py", sentence="I see.", target="Je vois.", layer="1")
    page = files.write["analysis.html"]().decode()
    trace = load(checkpoints / "en-fr").trace("I see.", target="Je vois.")
    assert page == str(trace.to_html(layer=0))
