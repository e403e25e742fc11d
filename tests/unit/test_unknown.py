"""Characters that a vocabulary does not know."""

import pytest

from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.tokenizers.unknown import is_mostly_unknown, unknown_signs


@pytest.mark.parametrize("text", ["I see a cat.", "I see 🙂.", "", ".", "I'm 🙂."])
def test_a_text_with_a_few_unknown_characters_counts_as_known(text, tokenizer):
    assert not is_mostly_unknown(tokenizer, tokenizer.encode(text), text)


@pytest.mark.parametrize("text", ["🙂🙂", "我喜欢读书。", "\ud558", "\u1112\u1161", "ПРИВЕТ МИР"])
def test_a_text_in_another_script_is_mostly_unknown(text, tokenizer):
    assert is_mostly_unknown(tokenizer, tokenizer.encode(text), text)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("We see £5.", ["£"]),
        ("I see 🙂 and Łódź.", ["🙂", "Ł", "ó", "ź"]),
        ("Is it 3 ½?", ["½"]),
        ("I see \u1112\u1161 or \ud558.", ["\ud558"]),
        ("Éric est à l'École-É.", ["É"]),
    ],
)
def test_each_unknown_character_is_named_once(text, signs, tokenizer):
    assert unknown_signs(tokenizer, tokenizer.encode(text), text) == signs


def test_a_character_that_is_in_some_subword_is_known(shipped_checkpoint):
    tokenizer = ByteLevelTokenizer.load(shipped_checkpoint / "tokenizer.json")
    tokens = tokenizer.encode("The ç key, Champs-Élysées")
    assert {"<20 C3>", "<A7>", "<C3>", "<89>"} <= {token.text for token in tokens}
    assert unknown_signs(tokenizer, tokens, "The ç key, Champs-Élysées") == []
