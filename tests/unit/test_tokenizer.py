"""Nothing that is typed is lost, and every subword knows its place in the typed text."""

from __future__ import annotations

import json
import re
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tokenizers import Regex, normalizers

from model.data.byte_level.tokenizer import ByteLevelTokenizer
from model.data.tokenizer import BOS, EOS, PAD, UNK, mostly_unknown

SPECIALS = (PAD, BOS, EOS, UNK)

# any Unicode, and more often than by chance what the tokenizer treats in a way of its own
texts = st.text(max_size=60) | st.text(
    st.sampled_from([*"aelEé'’ -.<7", "\u00a0", "\u2009", "\u202f", "\u0301", "\u2060", "😀", "中"])
)

LATIN = r"[\p{Latin}\p{N}]"
BETWEEN = Regex(rf"(?<=\p{{Han}})(?={LATIN})|(?<={LATIN})(?=\p{{Han}})")
SPACED = normalizers.Replace(BETWEEN, " ")


def normalised(text: str) -> str:
    """All that the tokenizer changes: NFC, three typographic spaces, the curly apostrophe.

    And between a Chinese character and a Latin letter or digit there is a space.
    """
    plain = re.sub("[\u00a0\u2009\u202f]", " ", unicodedata.normalize("NFC", text))
    return SPACED.normalize_str(plain.replace("’", "'"))


def subwords(tokenizer: ByteLevelTokenizer, text: str) -> list[str]:
    return [token.text for token in tokenizer.encode(text)[1:-1]]


@settings(deadline=None, max_examples=300)
@given(text=texts)
@example("L’œuf d'aujourd’hui n’est-il\u202fpas\u00a0là\u2009?")
@example("😀👩‍👩‍👧 中文 שלום \x00\x07\x1b\r\n\t")
@example("l''a 'tis o'clock'")
def test_decoding_gives_the_text_back(tokenizer: ByteLevelTokenizer, text: str) -> None:
    """But for a word joiner before a space: that is how the vocabulary writes an elision."""
    assume("\u2060 " not in normalised(text))
    ids = [token.id for token in tokenizer.encode(text)]
    assert tokenizer.decode(ids) == normalised(text)


@settings(deadline=None, max_examples=300)
@given(text=texts)
@example("l'animal")
@example("c'e\u0301tait")
@example("\u1112\u1161\u11ab")  # three characters that NFC makes one
@example("\u0958")  # one that NFC makes two
@example("\u00a0a")
@example("\u2060 l'\u2060 a")
def test_places_tile_the_typed_text(tokenizer: ByteLevelTokenizer, text: str) -> None:
    bos, *tokens, eos = tokenizer.encode(text)
    assert (bos.id, bos.start, bos.end) == (tokenizer.bos_id, 0, 0)
    assert (eos.id, eos.start, eos.end) == (tokenizer.eos_id, 0, 0)
    if not tokens:
        assert text == ""
        return
    places = [(token.start, token.end) for token in tokens]
    assert places[0][0] == 0
    assert places[-1][1] == len(text)
    for place, following in pairwise(places):
        assert following in (place, (place[1], following[1]))  # shared, or the very next
    assert all(start < end for start, end in places)


def test_a_chinese_character_is_a_word_of_its_own() -> None:
    taught = ByteLevelTokenizer.train(["我们喜欢猫。", "我们喜欢汤姆。"] * 30, 330)
    text = "我们喜欢猫。"
    assert subwords(taught, text) == list(text)
    ids = [token.id for token in taught.encode(text)]
    assert taught.word_numbers(ids, "source") == [None, 0, 1, 2, 3, 4, 5, None]


def test_a_name_is_the_same_subwords_among_chinese_characters() -> None:
    taught = ByteLevelTokenizer.train(["My name is Tom.", "我叫Tom。"] * 30, 330)
    assert " Tom" in subwords(taught, "My name is Tom.")
    ids = [token.id for token in taught.encode("我叫Tom吗？")]
    assert [taught.subword(id) for id in ids[1:4]] == ["我", "叫", " Tom"]
    assert taught.decode(ids) == "我叫 Tom 吗？"


@settings(deadline=None)
@given(text=texts)
def test_many_at_once_are_as_one_by_one(tokenizer: ByteLevelTokenizer, text: str) -> None:
    one_by_one = [[token.id for token in tokenizer.encode(t)] for t in (text, "a", text)]
    assert tokenizer.encode_ids([text, "a", text]) == one_by_one


def test_pieces_show_what_was_typed(tokenizer: ByteLevelTokenizer) -> None:
    text = "Le chat dort."
    for token in tokenizer.encode(text)[1:-1]:
        assert token.text.strip() == text[token.start : token.end].strip()


def test_special_ids_go_by_name(tokenizer: ByteLevelTokenizer) -> None:
    ids = (tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id, tokenizer.unk_id)
    assert [tokenizer.subword(id) for id in ids] == list(SPECIALS)
    assert len(set(ids)) == 4
    assert tokenizer.vocab_size == tokenizer.bpe.get_vocab_size() == 433  # as asked for


@settings(deadline=None)
@given(parts=st.lists(st.sampled_from([*SPECIALS, " ", "a"]), min_size=1))
def test_typed_specials_are_text(tokenizer: ByteLevelTokenizer, parts: list[str]) -> None:
    text = "".join(parts)
    _, *ids, _ = (token.id for token in tokenizer.encode(text))
    special = {tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id, tokenizer.unk_id}
    assert not special & set(ids)
    assert tokenizer.decode(ids) == text


def test_decoding_leaves_out_specials(tokenizer: ByteLevelTokenizer) -> None:
    _, *ids, _ = (token.id for token in tokenizer.encode("Oui."))
    padded = [tokenizer.bos_id, *ids, tokenizer.eos_id, tokenizer.pad_id, tokenizer.pad_id]
    assert tokenizer.decode(padded) == "Oui."
    assert tokenizer.decode([]) == ""


def test_empty_text_is_bos_and_eos(tokenizer: ByteLevelTokenizer) -> None:
    assert tokenizer.encode_ids([""]) == [[tokenizer.bos_id, tokenizer.eos_id]]


def test_no_subwords_straddles_punctuation_or_digits(tokenizer: ByteLevelTokenizer) -> None:
    """Though the corpus offers nothing else to merge."""
    taught = ByteLevelTokenizer.train(["chat. chat.", "chat?! 365 a365"] * 20, 330)
    assert subwords(taught, "chat 365.") == [" chat", " 3", "6", "5", "."]
    for text in ("chat.", "chat,chat", "chat?!", "(chat)", "a365b", "chat 365."):
        for subword in subwords(taught, text) + subwords(tokenizer, text):
            kinds = {unicodedata.category(c)[0] for c in subword.strip()}
            assert len(kinds) <= 1, (text, subword)
            if kinds & {"N", "P"}:
                assert len(subword.strip()) == 1, (text, subword)


def test_an_elision_leaves_the_word_as_it_is_elsewhere() -> None:
    """The corpus decides the merges, so one is taken in which "animal" is a subword for sure."""
    taught = ByteLevelTokenizer.train(
        ["un animal", "animal", "l'animal", "it's", "isn't"] * 20, 330
    )
    assert subwords(taught, "un animal") == [" un", " animal"]
    assert subwords(taught, "l'animal") == [" l'", " animal"]
    first, last = taught.encode("l'animal")[-3:-1]
    assert (first.end, last.start, last.end) == (2, 2, len("l'animal"))
    assert taught.decode([token.id for token in taught.encode("l'animal")]) == "l'animal"


def test_an_english_clitic_is_no_elision(tokenizer: ByteLevelTokenizer) -> None:
    for word in ("isn't", "it's", "we've", "I'm", "they're", "she'll", "he'd"):
        assert "".join(subwords(tokenizer, word)) == f" {word}"
        apostrophe = word.index("'")
        starts = {token.start for token in tokenizer.encode(word)[1:-1]}
        assert apostrophe in starts  # the clitic begins a subword of its own


def test_bytes_of_one_character_share_its_place(tokenizer: ByteLevelTokenizer) -> None:
    tokens = tokenizer.encode("a😀b")[1:-1]
    emoji = [token for token in tokens if (token.start, token.end) == (1, 2)]
    assert [token.text for token in emoji] == ["<F0>", "<9F>", "<98>", "<80>"]  # its UTF-8


def test_file_keeps_everything(tokenizer: ByteLevelTokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = ByteLevelTokenizer.load(tmp_path / "tokenizer.json")
    for text in ("L'animal dort-il\u202f?", "<eos> 😀"):
        assert loaded.encode(text) == tokenizer.encode(text)


def test_a_vocabulary_of_bytes_alone_can_be_kept(tmp_path: Path) -> None:
    tokenizer = ByteLevelTokenizer.train([], vocab_size=260)
    tokenizer.save(tmp_path / "tokenizer.json")
    again = ByteLevelTokenizer.load(tmp_path / "tokenizer.json")
    assert again.vocab_size == 260
    assert again.encode_ids(["été"]) == tokenizer.encode_ids(["été"])


@pytest.mark.parametrize("token", SPECIALS)
def test_file_without_a_special_token(
    tokenizer: ByteLevelTokenizer, tmp_path: Path, token: str
) -> None:
    path = tmp_path / "tokenizer.json"
    tokenizer.save(path)
    values = json.loads(path.read_text(encoding="utf-8"))
    values["added_tokens"] = [t for t in values["added_tokens"] if t["content"] != token]
    values["model"]["vocab"]["<other>"] = values["model"]["vocab"].pop(token)
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"cannot read the tokenizer .*{re.escape(token)}"):
        ByteLevelTokenizer.load(path)


def test_missing_and_broken_file(tokenizer: ByteLevelTokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    with pytest.raises(ValueError, match=r"cannot read the tokenizer .*tokenizer\.json"):
        ByteLevelTokenizer.load(path)
    tokenizer.save(path)
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"{}", b"[1, 2]"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"cannot read the tokenizer .*tokenizer\.json"):
            ByteLevelTokenizer.load(path)


def _words(tokenizer, text: str) -> list[str]:
    ids = [token.id for token in tokenizer.encode(text)]
    words: dict[int, str] = {}
    for id, number in zip(ids, tokenizer.word_numbers(ids, "source"), strict=True):
        if number is not None:
            words[number] = words.get(number, "") + tokenizer.subword(id)
    assert list(words) == list(range(len(words)))
    return [word.strip() for word in words.values()]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't sleep.", ["I", "don", "'t", "sleep", "."]),
        ("L'animal a-t-il dormi ?", ["L'", "animal", "a", "-t", "-il", "dormi", "?"]),
        ("Mary's 25 cats", ["Mary", "'s", "2", "5", "cats"]),
    ],
)
def test_pieces_are_put_together_to_words(tokenizer, text, words):
    assert _words(tokenizer, text) == words


def test_special_tokens_belong_to_no_word(tokenizer):
    ids = [token.id for token in tokenizer.encode("I see.")]
    numbers = tokenizer.word_numbers([*ids, tokenizer.pad_id], "source")
    assert numbers[0] is numbers[-1] is numbers[-2] is None
    assert None not in numbers[1:-2]


def test_pieces_that_spell_no_text_are_words_of_their_own(tokenizer):
    half = tokenizer.encode("é")[1].id
    broken = tokenizer.bpe.token_to_id("Ã")  # the first byte of é alone
    assert tokenizer.word_numbers([tokenizer.bos_id, broken, broken, half], "target") == [
        None,
        0,
        1,
        2,
    ]


def test_what_has_too_many_characters_has_too_many_tokens(tokenizer: ByteLevelTokenizer) -> None:
    """For every character there is: NFC leaves a byte for at least every two of them."""
    for n in (1, 7):
        most = tokenizer.most_characters(n)
        longest = max((tokenizer.subword(id) for id in range(tokenizer.vocab_size)), key=len)
        for text in (longest * n, "a" * (most + 1), "\u0390" * (most + 1), " " * (most + 1)):
            assert len(text) <= most or len(tokenizer.encode(text)) > n
    for code in range(0x110000):
        if not 0xD800 <= code <= 0xDFFF:
            spread = unicodedata.normalize("NFD", chr(code))
            assert len(spread) <= 2 * len(unicodedata.normalize("NFC", spread).encode()), hex(code)


@pytest.mark.parametrize("text", ["I am a student.", ""])
def test_special_tokens_take_no_place_in_the_text(tokenizer: ByteLevelTokenizer, text: str) -> None:
    first, *_, last = tokenizer.encode(text)
    assert (first.id, last.id) == (tokenizer.bos_id, tokenizer.eos_id)
    assert (first.start, first.end) == (last.start, last.end) == (0, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I see a cat.", False),
        ("I see 🙂.", False),
        ("🙂🙂", True),
        ("我喜欢读书。", True),
        ("", False),
    ],
)
def test_mostly_unknown(tokenizer: ByteLevelTokenizer, text: str, expected: bool) -> None:
    assert mostly_unknown(tokenizer.encode(text)) is expected
