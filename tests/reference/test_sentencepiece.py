"""Pieces of SentencePiece: what Hugging Face's tokenizer gives, id by id and letter by letter."""

import warnings
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from transformers import MarianTokenizer

from model.checkpoint.checkpoint import read_tokenizer
from model.marian.tokenizer import read_marian_tokenizer
from model.tokenizers.sentencepiece.tokenizer import PieceTokenizer
from tests.marian_files import SPECIALS, write_marian_tokenizer

Two = tuple[PieceTokenizer, MarianTokenizer]
KINDS: dict[str, dict[str, Any]] = {
    "unigram": {"character_coverage": 1.0},
    "bpe": {"model_type": "bpe", "dropped": 7},
    "unigram by bytes": {"byte_fallback": True, "vocab_size": 420, "character_coverage": 0.98},
    "bpe by bytes": {"model_type": "bpe", "byte_fallback": True, "vocab_size": 420},
    "defined": {"user_defined_symbols": ["<sep>", "ab", "cat", "é"], "dropped": 9},
    "bpe defined": {"model_type": "bpe", "user_defined_symbols": ["<sep>", "aa", "cat"]},
    "as it is": {"normalization_rule_name": "identity", "remove_extra_whitespaces": False},
    "no prefix": {"add_dummy_prefix": False, "normalization_rule_name": "nfkc_cf"},
    "two lists": {"separate": True, "byte_fallback": True, "vocab_size": 420},
    "words": {"model_type": "word", "vocab_size": 40},
    "space behind": {"treat_whitespace_as_suffix": True},
    "codes": {"codes": (">>fra<<", ">>cmn_Hans<<"), "dropped": 5},
    "added": {"added": {"<ent>": False, "[KEY]": True}, "codes": (">>fra<<",)},
}
ODD = [
    *"aaabcdetI'’.,?!é <>/_0123",
    "  ", "▁", "\u0301", "e\u0301", "ệ", "e\u0323\u0302", "ｆｕｌｌ", "ﬁ", "①", "한",
    "\u1112\u1161\u11ab", "😀", "👩‍👩‍👧", "中文", "\u00a0", "\u200b", "\u3000", "\t", "\r\n",
    "\x00", "\x07", "\ufeff", "\ufffd", "<unk>", "</s>", "<pad>", "<s>", "<0xF0>", "<sep>",
    ">>fra<<", ">>", "<<", "<ent>", "[KEY]", "cat", "I see a cat.",
]  # fmt: skip
texts = st.lists(st.sampled_from(ODD), max_size=14).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=40
)
examples = settings(deadline=None, max_examples=40)
QUICK = ("unigram", "bpe by bytes", "two lists", "added")


@pytest.fixture(
    scope="module",
    params=[pytest.param(k, marks=[] if k in QUICK else pytest.mark.slow) for k in KINDS],
)
def two(request, pairs, tmp_path_factory) -> Two:
    """The same tokenizer twice: ours, read back from our file, and Hugging Face's."""
    folder = tmp_path_factory.mktemp("marian")
    pad_id = write_marian_tokenizer(folder, pairs, **KINDS[request.param])
    path = tmp_path_factory.mktemp("ours") / "tokenizer.json"
    read_marian_tokenizer(folder, pad_id, pad_id).save(path)
    ours = read_tokenizer(path)
    assert isinstance(ours, PieceTokenizer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without sacremoses, which it does not use
        return ours, MarianTokenizer.from_pretrained(folder)


def theirs(hf: MarianTokenizer, text: str, side: str) -> list[int]:
    words = {"text": text} if side == "source" else {"text_target": text}
    tuned = any(token in text for token in {*hf.added_tokens_encoder} - {*SPECIALS})
    if tuned:  # it reads all of them as tokens or none; we read a typed "</s>" as text
        assume(not any(token in text for token in SPECIALS))
    found: list[int] = hf(**words, split_special_tokens=not tuned)["input_ids"]
    return found


@examples
@given(text=texts)
@example("")
@example("   ")
@example(">>fra<< I see a cat.")
@example(">>fra<<")
@example(">>deu<< ab")
@example("a >>fra<< b")
@example("  I  see   a  cat .  ")
@example("▁▁ a▁ b ▁")
@example("Le déjeuner était prêt ; ﬁnal ﬃ")
@example("\u200b")
def test_ids_are_theirs(two: Two, text: str) -> None:
    ours, hf = two
    assert [ours.encode_ids([text])[0]] == [theirs(hf, text, "source")]
    assert ours.encode_ids([text], "target")[0] == [ours.bos_id, *theirs(hf, text, "target")]
    assert [token.id for token in ours.encode(text)] == ours.encode_ids([text])[0]
    assert [t.id for t in ours.encode(text, "target")] == ours.encode_ids([text], "target")[0]


@examples
@given(data=st.data())
def test_any_ids_are_joined_as_they_join_them(two: Two, data: st.DataObject) -> None:
    ours, hf = two
    ids = data.draw(st.lists(st.integers(0, ours.vocab_size - 1), max_size=20))
    assert ours.decode(ids) == hf.decode(ids, skip_special_tokens=True)


def test_special_ids_are_theirs(two: Two) -> None:
    ours, hf = two
    assert ours.special_ids == {
        "pad_id": hf.convert_tokens_to_ids("<pad>") if not hf.separate_vocabs else ours.pad_id,
        "bos_id": ours.pad_id,
        "eos_id": hf.eos_token_id,
    }
    every = [*range(ours.vocab_size)]
    assert ours.decode(every) == hf.decode(every, skip_special_tokens=True)
    assert ours.subword(ours.eos_id) == "</s>"
    assert ours.subword(ours.bos_id) == "<pad>"
