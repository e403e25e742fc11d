"""No typed text is lost, and every subword has its span in the typed text."""

import json
import re
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tokenizers import Regex, normalizers

from model.tokenizers.byte_level import tokenizer as byte_level
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.tokenizers.tokenizer import BOS, BYTES_SUBWORD, EOS, PAD, UNK, Token

SPECIALS = (PAD, BOS, EOS, UNK)

# any Unicode text, often with characters that the tokenizer treats specially
texts = st.text(max_size=60) | st.text(
    st.sampled_from([*"aelEé'’ -.<7", "\u00a0", "\u2009", "\u202f", "\u0301", "😀", "中"])
)
LATIN = r"[\p{Latin}\p{N}]"
BETWEEN = Regex(rf"(?<=\p{{Han}})(?={LATIN})|(?<={LATIN})(?=\p{{Han}})")
SPACED = normalizers.Replace(BETWEEN, " ")


def normalised(text: str) -> str:
    """Normalise to NFC, plain spaces and apostrophes; separate Chinese and Latin letters."""
    plain = re.sub("[\u00a0\u2009\u202f]", " ", unicodedata.normalize("NFC", text))
    return SPACED.normalize_str(plain.replace("’", "'"))


def subwords(tokenizer: ByteLevelTokenizer, text: str) -> list[str]:
    return [token.text for token in tokenizer.encode(text)[1:-1]]


@settings(deadline=None)
@given(text=texts)
@example("L’œuf d'aujourd’hui n’est-il\u202fpas\u00a0là\u2009?")
@example("😀👩‍👩‍👧 中文 שלום \x00\x07\x1b\r\n\t")
@example("l''a 'tis o'clock'")
def test_decoding_gives_the_text_back(tokenizer, text):
    """Except for word joiners: they mark elisions, and a normalised text has none."""
    assume("\u2060" not in text)
    ids = [token.id for token in tokenizer.encode(text)]
    assert tokenizer.decode(ids) == normalised(text)
    one_by_one = [[token.id for token in tokenizer.encode(t)] for t in (text, "a", text)]
    assert tokenizer.encode_ids([text, "a", text]) == one_by_one


def assert_tiled(tokens: list[Token], text: str) -> None:
    """Check that consecutive spans touch or are equal, from the first character to the last."""
    spans = [(token.start, token.end) for token in tokens]
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    for span, following in pairwise(spans):
        assert following == span or following[0] == span[1]
    assert all(start < end for start, end in spans)


@settings(deadline=None)
@given(text=texts)
@example("l'animal")
@example("c'e\u0301tait")
@example("\u1112\u1161\u11ab")  # NFC joins these three characters into one
@example("\u0958")  # NFC splits this character into two
@example("\u00a0a")
@example("\u2060 l'\u2060 a")
def test_spans_cover_the_typed_text_without_gaps(tokenizer, text):
    bos, *tokens, eos = tokenizer.encode(text)
    assert (bos.id, bos.start, bos.end) == (tokenizer.bos_id, 0, 0)
    assert (eos.id, eos.start, eos.end) == (tokenizer.eos_id, 0, 0)
    if tokens:
        assert_tiled(tokens, text)
    else:
        assert text == ""


def test_chinese_characters_and_names_between_them_are_separate_words():
    taught = ByteLevelTokenizer.train(["我们喜欢猫。", "我叫Tom。", "My name is Tom."] * 30, 330)
    text = "我们喜欢猫。"
    assert subwords(taught, text) == list(text)
    ids = [token.id for token in taught.encode(text)]
    assert taught.word_ids(ids, "source") == [None, 0, 1, 2, 3, 4, 5, None]
    assert " Tom" in subwords(taught, "My name is Tom.")
    ids = [token.id for token in taught.encode("我叫Tom吗？")]
    assert [taught.subword(id) for id in ids[1:4]] == ["我", "叫", " Tom"]
    assert taught.decode(ids) == "我叫 Tom 吗？"


def test_special_tokens_are_found_by_their_names(tokenizer):
    ids = (tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id, tokenizer.unk_id)
    assert [tokenizer.subword(id) for id in ids] == list(SPECIALS)
    assert len(set(ids)) == 4
    assert tokenizer.vocab_size == tokenizer.bpe.get_vocab_size() == 433  # the requested size
    _, *oui, _ = (token.id for token in tokenizer.encode("Oui."))
    padded = [tokenizer.bos_id, *oui, tokenizer.eos_id, tokenizer.pad_id, tokenizer.pad_id]
    assert tokenizer.decode(padded) == "Oui."
    assert tokenizer.decode([]) == ""
    assert tokenizer.encode_ids([""]) == [[tokenizer.bos_id, tokenizer.eos_id]]


@settings(deadline=None)
@given(parts=st.lists(st.sampled_from([*SPECIALS, " ", "a"]), min_size=1))
def test_special_tokens_that_a_visitor_types_are_plain_text(tokenizer, parts):
    text = "".join(parts)
    _, *ids, _ = (token.id for token in tokenizer.encode(text))
    special = {tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id, tokenizer.unk_id}
    assert not special & set(ids)
    assert tokenizer.decode(ids) == text


def test_no_subword_contains_letters_together_with_punctuation_or_digits(tokenizer):
    taught = ByteLevelTokenizer.train(["chat. chat.", "chat?! 365 a365"] * 20, 330)
    assert subwords(taught, "chat 365.") == [" chat", " 3", "6", "5", "."]
    for text in ("chat.", "chat,chat", "chat?!", "(chat)", "a365b", "chat 365."):
        for subword in subwords(taught, text) + subwords(tokenizer, text):
            kinds = {unicodedata.category(c)[0] for c in subword.strip()}
            assert len(kinds) <= 1, (text, subword)
            if kinds & {"N", "P"}:
                assert len(subword.strip()) == 1, (text, subword)


def test_a_word_has_the_same_subwords_after_an_elision_as_elsewhere(tokenizer):
    """In this corpus "animal" becomes one subword. English clitics, as in it's, begin another."""
    texts = ["un animal", "animal", "l'animal", "it's", "isn't"] * 20
    taught = ByteLevelTokenizer.train(texts, 330)
    assert subwords(taught, "un animal") == [" un", " animal"]
    assert subwords(taught, "l'animal") == [" l'", " animal"]
    first, last = taught.encode("l'animal")[-3:-1]
    assert (first.end, last.start, last.end) == (2, 2, len("l'animal"))
    assert taught.decode([token.id for token in taught.encode("l'animal")]) == "l'animal"
    for word in ("isn't", "it's", "we've", "I'm", "they're", "she'll", "he'd"):
        assert "".join(subwords(tokenizer, word)) == f" {word}"
        assert word.index("'") in {token.start for token in tokenizer.encode(word)[1:-1]}


def test_bytes_of_one_character_share_its_span(tokenizer):
    tokens = tokenizer.encode("a😀b")[1:-1]
    emoji = [token for token in tokens if (token.start, token.end) == (1, 2)]
    # the UTF-8 bytes of the character
    assert [token.text for token in emoji] == ["<F0>", "<9F>", "<98>", "<80>"]
    assert all(BYTES_SUBWORD.fullmatch(token.text) for token in emoji)


@pytest.mark.parametrize("lacks", SPECIALS)
def test_a_tokenizer_file_without_a_special_token_or_its_end_is_refused(lacks, tokenizer, tmp_path):
    """If a special token is missing, the message names it; otherwise it names the file."""
    path = tmp_path / "tokenizer.json"
    tokenizer.save(path)
    whole = path.read_text(encoding="utf-8")
    values = json.loads(whole)
    values["added_tokens"] = [t for t in values["added_tokens"] if t["content"] != lacks]
    values["model"]["vocab"]["<other>"] = values["model"]["vocab"].pop(lacks)
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(ValueError, match=f"cannot read the tokenizer .*{re.escape(lacks)}"):
        ByteLevelTokenizer.load(path)
    for other in (whole[: len(whole) // 2], "", "[1, 2]", None):
        path.unlink() if other is None else path.write_text(other, encoding="utf-8")
        with pytest.raises(ValueError, match=r"cannot read the tokenizer .*tokenizer\.json"):
            ByteLevelTokenizer.load(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't sleep.", ["I", "don", "'t", "sleep", "."]),
        ("L'animal a-t-il dormi ?", ["L'", "animal", "a", "-t", "-il", "dormi", "?"]),
        ("Mary's 25 cats", ["Mary", "'s", "2", "5", "cats"]),
    ],
)
def test_word_ids_join_subwords_to_words(tokenizer, text, words):
    ids = [*(token.id for token in tokenizer.encode(text)), tokenizer.pad_id]
    numbers = tokenizer.word_ids(ids, "source")
    assert numbers[0] is numbers[-1] is numbers[-2] is None
    joined: dict[int | None, str] = {}
    for id, number in zip(ids[1:-2], numbers[1:-2], strict=True):
        joined[number] = joined.get(number, "") + tokenizer.subword(id)
    assert list(joined) == list(range(len(words)))
    assert [word.strip() for word in joined.values()] == words


def test_bytes_that_form_no_character_belong_to_a_word(tokenizer):
    broken = tokenizer.bpe.token_to_id("Ã")  # the first of the two bytes of é
    a, dot = (token.id for token in tokenizer.encode("a.")[1:-1])
    ids = [tokenizer.bos_id, a, dot, broken, broken, a]
    assert tokenizer.word_ids(ids, "target") == [None, 0, 1, 2, 2, 3]


def test_what_has_too_many_characters_has_too_many_tokens(tokenizer):
    """NFC may join characters, but keeps at least one byte for every two that were typed."""
    longest = max((tokenizer.subword(id) for id in range(tokenizer.vocab_size)), key=len)
    assert tokenizer.max_characters(1) == 2 * max(map(len, tokenizer.bpe.get_vocab()))
    for n in (1, 7):
        most = n * tokenizer.max_characters(1)
        assert tokenizer.max_characters(n) == most
        for text in (longest * n, "a" * (most + 1), "\u0390" * (most + 1), " " * (most + 1)):
            assert len(text) <= most or len(tokenizer.encode(text)) > n
    composed = [c for c in map(chr, range(0xD800)) if unicodedata.decomposition(c)]
    for c in composed:
        spread = unicodedata.normalize("NFD", c)
        assert len(spread) <= 2 * len(unicodedata.normalize("NFC", spread).encode()), hex(ord(c))


def test_lack_of_memory_is_not_reported_as_a_fault_of_the_file(tmp_path, monkeypatch):
    def without_memory(*_) -> None:
        raise MemoryError

    monkeypatch.setattr(byte_level, "read_regular", without_memory)
    with pytest.raises(MemoryError):
        ByteLevelTokenizer.load(tmp_path / "tokenizer.json")
