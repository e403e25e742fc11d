"""What goes into the one file; models that its JavaScript does not compute are refused."""

import json
import re

import pytest

from model import TranslationModel
from model.gallery.own_examples import OwnExample
from model.one_file import __main__ as command
from model.one_file.export import one_file
from model.transformer.config import CONVERTED_ONLY
from tests.conftest import tiny_model

CONVERTED = {
    "activation": "silu",
    "positions": "halves",
    "frequencies": "tensor2tensor",
    "scale_embedding": False,
    "output_bias": True,
    "src_vocab_size": 300,
    "never_written": (0,),
}


def test_every_setting_of_converted_models_is_tried():
    assert {*CONVERTED} == {*CONVERTED_ONLY}


@pytest.mark.parametrize("name", CONVERTED)
def test_a_setting_that_only_converted_models_have_is_refused(t, tokenizer, name: str):
    model = tiny_model(tokenizer, **{name: CONVERTED[name]})
    converted = TranslationModel(t.folder, model, tokenizer, t.training)
    with pytest.raises(ValueError, match=f"has {name}="):
        one_file([(converted, None)])


def test_own_examples_come_before_those_of_the_gallery(t):
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
    assert "line 1 is no example" in capsys.readouterr().err
