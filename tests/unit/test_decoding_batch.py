"""Translating many texts, and the messages about a text that is too long or a wrong line."""

from unittest.mock import Mock

import pytest

from model import InputError
from model.alignment.gold import read_alignments
from model.corpora.references import read_references
from model.decoding.batch import translate_batch
from model.trace.tracing import read_sentence
from model.transformer.transformer import Transformer
from tests.conftest import tiny_model

TEXTS = ["I am a student.", "Go!", "I am.", "You are a student.", "We go."]


@pytest.fixture(scope="module")
def model(tokenizer) -> Transformer:
    sizes = {"d_model": 22, "n_heads": 2, "n_layers": 1, "d_ff": 13, "max_length": 17}
    return tiny_model(tokenizer, seed=4, **sizes)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize(("size", "sizes"), [(2, [2, 2, 1]), (5, [5])])
def test_translations_are_in_the_order_of_the_texts(
    size, sizes, beam, model, tokenizer, monkeypatch
):
    alone = [translate_batch(model, tokenizer, [text], beam=beam)[0].ids for text in TEXTS]
    monkeypatch.setattr("model.decoding.batch.BATCH_SIZE", size)
    monkeypatch.setattr(model, "encode", encode := Mock(wraps=model.encode))
    translations = translate_batch(model, tokenizer, TEXTS, beam=beam)
    assert [len(call.args[0]) for call in encode.call_args_list] == sizes
    assert [hypothesis.ids for hypothesis in translations] == alone
    assert len(set(alone)) > 1


@pytest.mark.parametrize("n", [100, 101])
def test_a_wrong_line_is_quoted_up_to_its_hundredth_character(n, tmp_path):
    path, line = tmp_path / "x.tsv", "x" * n
    path.write_text(f"a\tb\t0-0\t\n{line}\n", "utf-8")
    shown = line if n <= 100 else f"{line[:100]}…"
    for read, end in ((read_references, shown), (read_alignments, line[:100])):
        with pytest.raises(ValueError, match=r"^line 2 ") as caught:
            read(path)
        assert str(caught.value).endswith(f": {end!r}")


@pytest.mark.usefixtures("short_texts")
def test_the_first_text_that_is_too_long_is_quoted_with_its_beginning(t):
    limit = t.config.max_length
    texts = {len(t.tokenizer.encode(text)): text for text in ("a " * n + "a" for n in range(limit))}
    assert len(translate_batch(t.model, t.tokenizer, [texts[limit]])) == 1
    for n in (limit + 1, limit + 2):
        with pytest.raises(ValueError, match=rf"^text 2 has {n} tokens, and at most {limit}"):
            translate_batch(t.model, t.tokenizer, [texts[limit], texts[n], texts[n]])
    text = "abcdefghi " * 100
    with pytest.raises(ValueError, match=r"^text 1 has") as caught:
        translate_batch(t.model, t.tokenizer, [text])
    assert f": {text[:60]!r} … " in str(caught.value)


@pytest.mark.parametrize("limit", [None, 7, 10**6])
def test_a_sentence_may_have_exactly_the_maximum_number_of_tokens(limit, t):
    most = 7 if limit == 7 else t.config.max_length
    lengths = {n: len(t.tokenizer.encode("a " * n + "a")) for n in range(most)}
    assert {most, most + 1} <= set(lengths.values())
    for n, length in lengths.items():
        text = "a " * n + "a"
        if length <= most:
            assert len(read_sentence(t.model, t.tokenizer, text, limit=limit)) == length
            continue
        with pytest.raises(InputError) as caught:
            read_sentence(t.model, t.tokenizer, text, limit=limit)
        error = caught.value
        assert (error.reason, error.n, error.limit) == ("too_long", length, most)


def test_a_text_may_have_exactly_the_maximum_number_of_characters(t):
    most = t.tokenizer.max_characters(5)
    for n, expected in (
        (most, ("empty", 2, 5)),
        (most + 1, ("too_many_characters", most + 1, most)),
    ):
        with pytest.raises(InputError) as caught:
            read_sentence(t.model, t.tokenizer, " " * n, limit=5)
        assert (caught.value.reason, caught.value.n, caught.value.limit) == expected
