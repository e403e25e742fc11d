"""Pieces from elsewhere: where they stand in the typed text, and what a file may hold."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model import CheckpointError, load
from model.checkpoint.checkpoint import save_checkpoint
from model.marian.tokenizer import read_marian_tokenizer
from model.tokenizers.unknown import is_mostly_unknown
from model.trace.tracing import InputError
from tests.conftest import change_json, tiny_model
from tests.hostile_folders import copies
from tests.marian_files import write_marian_tokenizer
from tests.unit.test_tokenizer import assert_tiled

pytestmark = pytest.mark.usefixtures("short_texts")
texts = st.text(max_size=60) | st.text(st.sampled_from("ab .'▁>\u0301\u200bﬁ😀中"))


@pytest.fixture(scope="module")
def folder(pairs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("marian")
    write_marian_tokenizer(folder, pairs, codes=(">>fra<<",), character_coverage=1.0)
    return folder


@pytest.fixture(scope="module")
def pieces(folder):
    pad_id = json.loads((folder / "vocab.json").read_text("utf-8"))["<pad>"]
    return read_marian_tokenizer(folder, pad_id, pad_id)


@pytest.fixture(scope="module", params=["unigram", "bpe"])
def in_bytes(request, pairs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("marian")
    how = {"model_type": request.param, "byte_fallback": True, "vocab_size": 420}
    pad_id = write_marian_tokenizer(folder, pairs, separate=True, **how)
    return read_marian_tokenizer(folder, pad_id, pad_id)


@pytest.fixture
def saved(pieces, tmp_path):
    save_checkpoint(tmp_path / "saved", tiny_model(pieces), pieces, {})
    return tmp_path / "saved"


@settings(deadline=None)
@given(text=texts)
def test_places_tile_the_typed_text(pieces, text):
    *tokens, eos = pieces.encode(text)
    assert (eos.id, eos.start, eos.end) == (pieces.eos_id, 0, 0)
    if tokens:  # the normaliser may leave nothing
        assert_tiled(tokens, text)


def test_pieces_show_what_was_typed(pieces):
    text = ">>fra<< I  see a cat."
    code, *tokens, _ = pieces.encode(text)
    assert (code.text, code.start, code.end) == (">>fra<<", 0, 8)
    assert "".join(token.text for token in tokens) == " I see a cat."
    for token in tokens:
        assert token.text.strip() in ("", text[token.start : token.end].strip())
    text = "I see 中文 ."
    [unknown] = [token for token in pieces.encode(text) if token.id == pieces.unk_id]
    assert (unknown.text, text[unknown.start : unknown.end]) == ("<unk>", "中文")
    assert not is_mostly_unknown(pieces, pieces.encode(text), text)
    assert is_mostly_unknown(pieces, pieces.encode("中文"), "中文")


def test_bytes_of_a_sign_share_its_place_and_are_one_word(in_bytes):
    tokens = in_bytes.encode("I see 😀")
    found = [token for token in tokens if token.text.startswith("<F0") or token.start == 6]
    assert [token.text for token in found] == ["<F0>", "<9F>", "<98>", "<80>"]
    assert {(token.start, token.end) for token in found} == {(6, 7)}
    two = in_bytes.encode("😀😀")
    assert [(t.start, t.end) for t in two if t.text == "<F0>"] == [(0, 1), (1, 2)]
    assert is_mostly_unknown(in_bytes, two, "😀😀")
    ids = [token.id for token in in_bytes.encode("a 😀😀 a")]
    assert in_bytes.word_ids(ids, "source") == [0, *[1] * 5, *[2] * 4, 3, None]
    ids = [token.id for token in in_bytes.encode("I see a cat.")[:-1]]  # each side has its own
    assert "".join(in_bytes.subword(id, "source") for id in ids) == " I see a cat."
    assert "".join(in_bytes.subword(id, "target") for id in ids) != " I see a cat."


def test_a_target_begins_with_what_the_decoder_starts_with(pieces, folder, saved):
    source, target = pieces.encode("Je vois."), pieces.encode("Je vois.", "target")
    assert source[0].id != pieces.bos_id == pieces.pad_id == target[0].id
    assert (target[0].start, target[0].end) == (0, 0)
    assert source[-1].id == target[-1].id == pieces.eos_id
    assert pieces.vocab_size == len(json.loads((folder / "vocab.json").read_text("utf-8")))
    trace = load(saved).trace("I see a cat.", target="Je vois un chat.")
    assert (trace.src_tokens[-1], trace.tgt_tokens[0]) == ("</s>", "<pad>")
    assert "".join(trace.next_tokens) == " Je vois un chat.</s>"
    for nothing in ("\u200b", "\ufeff \u200b"):
        with pytest.raises(InputError, match="empty"):
            load(saved).trace(nothing)


def test_words_are_those_of_our_own_vocabularies(pieces, tokenizer, pairs):
    for source, target in [*pairs, ("I don't see 12 cats.", "L'animal n'est-il pas là ?")]:
        for side, text in (("source", source), ("target", target)):
            numbers = pieces.word_ids([t.id for t in pieces.encode(text, side)], side)
            ours = tokenizer.word_ids([t.id for t in tokenizer.encode(text)], side)
            assert {*numbers, None} == {*ours, None}
            assert numbers[-1] is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda v: v.update(kind="other"), "kind"),
        (lambda v: v.pop("kind"), "tokenizer"),
        (lambda v: v.update(source=""), "no SentencePiece model"),
        (lambda v: v.update(source=v["source"][:400]), "no SentencePiece model"),
        (lambda v: v.update(target="/////w=="), "no SentencePiece model"),
        (lambda v: v.update(target=7), "target"),
        (lambda v: v["vocab"].pop("</s>"), "</s>"),
        (lambda v: v["vocab"].update({"<unk>": 0}), "one number"),
        (lambda v: v["vocab"].update({"a": -1}), "vocab"),
        (lambda v: v.update(bos_id=10**6), "first token"),
    ],
)
def test_a_damaged_file_is_refused_in_a_sentence(change, said, saved):
    change_json(saved / "tokenizer.json", change)
    with pytest.raises(CheckpointError, match=said):
        load(saved)


@pytest.mark.parametrize("name", ["source.spm", "target.spm", "vocab.json"])
def test_a_missing_file_is_named(name, folder, tmp_path):
    for path in folder.iterdir():
        if path.name != name:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with pytest.raises(ValueError, match=name):
        read_marian_tokenizer(tmp_path, 0, 0)
    (tmp_path / name).write_bytes(b"garbage")
    with pytest.raises(ValueError, match=name):
        read_marian_tokenizer(tmp_path, 0, 0)


@pytest.mark.slow
def test_any_damage_is_told_or_does_no_harm(saved, tmp_path):
    refused = 0
    for folder, done in copies(saved, tmp_path / "damaged", 300, seed := random.randrange(10**6)):
        try:
            load(folder).trace(">>fra<< I see a cat. 😀")
        except CheckpointError:
            refused += 1
        except InputError:
            pass
        except BaseException as error:
            pytest.fail(f"seed {seed}: {done}: {error!r}")
    assert refused > 100, "hardly anything was damaged"
