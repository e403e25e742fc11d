"""What the explorer in one file contains. It refuses Hub models, which it cannot compute."""

import json
import re

import pytest

from model import load
from model.files.checkpoint_error import NotOfThePaperError
from model.gallery.own_examples import OwnExample
from model.one_file import __main__ as command
from model.one_file.export import one_file
from tests.hub_models import save_folder


def test_a_model_of_the_hub_is_refused(tmp_path):
    model = load(save_folder("marian", tmp_path / "opus-mt-en-fr"))
    with pytest.raises(NotOfThePaperError, match="Choose a model of this project"):
        one_file([(model, None)])


def test_a_teachers_examples_come_before_those_of_the_gallery(t):
    own = OwnExample("I see </script> a cat.", "Look", "Why?", "layer=9&head=2&view=head")
    page = one_file([(t, None)], [own])
    [data] = re.findall(r'<script type="application/json" id="model">(.*?)</script>', page.html)
    [model] = json.loads(data)["models"]
    assert model["gallery"][0] == {
        "title": own.sentence,
        "task": ["Look", "Why?"],
        "sentence": own.sentence,
        "kind": "cross",
        "layer": t.config.n_layers - 1,
        "head": 1,
        "rows": "written",
        "unit": "subwords",
    }


def test_the_command_reads_a_file_of_examples(tiny_checkpoint, tmp_path, capsys):
    examples = tmp_path / "own.tsv"
    examples.write_text("I see a cat.\tLook at the full stop.", encoding="utf-8")
    out = tmp_path / "explorer.html"
    words = ["--checkpoint", str(tiny_checkpoint), "--out", str(out), "--examples", str(examples)]
    assert command.main(words) == 0
    assert "Look at the full stop." in out.read_text(encoding="utf-8")
    examples.write_text("I see a cat.", encoding="utf-8")
    assert command.main(words) == 1
    assert "own.tsv: line 1 is not an example" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"%PDF-1.7 ...", b"PK\x03\x04"])
def test_a_file_without_examples_is_named(content, tiny_checkpoint, tmp_path, capsys):
    examples = tmp_path / "own.tsv"
    examples.write_bytes(content)
    words = ["--checkpoint", str(tiny_checkpoint), "--out", str(tmp_path / "explorer.html")]
    assert command.main([*words, "--examples", str(examples)]) == 1
    assert f"cannot read the examples {examples}: it is a" in capsys.readouterr().err
