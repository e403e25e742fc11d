"""The one file refuses models that its JavaScript does not compute."""

import pytest

from model import TranslationModel
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
