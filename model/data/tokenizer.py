"""One joint byte-level BPE vocabulary for both languages.

Byte-level: whatever a visitor types has a spelling in the vocabulary, so there is no unknown
word and nothing is lost. Text is cut into words, clitics (``'s``, ``l'``, ``-vous``), digits,
punctuation and Chinese characters before BPE, so that no subword straddles them.

Source: Sennrich et al. 2016 (BPE); Radford et al. 2019, section 2.2 (bytes).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, TypedDict

from tokenizers import Tokenizer as Bpe
from tokenizers import pre_tokenizers, processors, trainers

from model.data.cutting import NOW, WAYS, Cutting
from model.data.tokenizer_file import check_tokenizer
from model.files.json_file import LARGEST, decode
from model.files.regular_file import read_regular
from model.files.replacing import write_text

Span = tuple[int, int]
PAD, BOS, EOS, UNK = SPECIALS = "<pad>", "<bos>", "<eos>", "<unk>"  # by their ids


@dataclass(frozen=True)
class Token:
    """One subword of a text.

    Args:
        id: its row in the embedding.
        text: how it reads: a leading space where it begins a word, ``<F0>`` for a byte that
            is only part of a character.
        start: where it begins in the typed text.
        end: where it ends, so that it was typed as ``text[start:end]``. Bytes of one
            character share its place; BOS and EOS have none (``start == end``).
    """

    id: int
    text: str
    start: int
    end: int


class SpecialIds(TypedDict):
    """The ids that decoding needs, by the names of its arguments."""

    pad_id: int
    bos_id: int
    eos_id: int


def mostly_bytes(tokens: Sequence[Token]) -> bool:
    """Whether most tokens of a text are only parts of characters: signs that no merge knows."""
    places = Counter((token.start, token.end) for token in tokens if token.start < token.end)
    parts = sum(n for n in places.values() if n > 1)
    return 2 * parts > places.total()


class Tokenizer:
    """Text to ids and back.

    Args:
        bpe: a Hugging Face tokenizer that knows the four special tokens.

    Raises:
        ValueError: a special token is missing from its vocabulary.
    """

    def __init__(self, bpe: Bpe) -> None:
        self.bpe = bpe
        self.bpe.encode_special_tokens = True  # a typed "<eos>" is text, not the end
        self.pad_id, self.bos_id = self._special(PAD), self._special(BOS)
        self.eos_id, self.unk_id = self._special(EOS), self._special(UNK)
        self.vocab_size: int = bpe.get_vocab_size()
        self._longest = max(map(len, bpe.get_vocab()))  # bytes of the longest subword

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int) -> Tokenizer:
        """Learn the merges from texts of both languages.

        Args:
            texts: sentences, in any order.
            vocab_size: V, at most; the 256 bytes and four special tokens are part of it.
        """
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            special_tokens=[*SPECIALS],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        bpe = NOW.bpe()
        bpe.train_from_iterator(texts, trainer)
        _put_ends(bpe)
        return cls(bpe)

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """Read ``tokenizer.json``; ValueError if it is missing, broken or made in another way."""
        try:
            content = read_regular(path, LARGEST)
            check_tokenizer(content, map(_nothing_learned, WAYS), SPECIALS, _BYTE_OF)
            return cls(Bpe.from_buffer(content))
        except Exception as error:  # the library raises bare Exception
            raise ValueError(f"cannot read the tokenizer {path}: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write ``tokenizer.json``, whole or not at all; OSError if the disk is full."""
        write_text(Path(path), self.bpe.to_str(pretty=True))

    def most_characters(self, n_tokens: int) -> int:
        """No text of more characters than this fits into so many tokens.

        No subword has more bytes than the longest one, and NFC leaves at least one byte for two
        characters. So a text can be refused before a single token of it is looked for.
        """
        return 2 * self._longest * n_tokens

    def encode(self, text: str) -> list[Token]:
        """BOS, the subwords of the text, EOS."""
        encoding = self.bpe.encode(text)
        ends = (0, 0)
        places = [ends, *_side_by_side(encoding.offsets[1:-1], len(text)), ends]
        return [
            Token(id, self.subword(id), start, end)
            for id, (start, end) in zip(encoding.ids, places, strict=True)
        ]

    def encode_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Only the ids, of many texts at once."""
        return [encoding.ids for encoding in self.bpe.encode_batch_fast(list(texts))]

    def decode(self, ids: Sequence[int]) -> str:
        """The text that these ids spell, without special tokens."""
        text: str = self.bpe.decode(list(ids), skip_special_tokens=True)
        return text.removeprefix(" ")

    def word_numbers(self, ids: Sequence[int]) -> list[int | None]:
        """Which word each subword belongs to.

        A word is what the text is cut into before BPE: a word, a clitic (``l'``, ``'t``,
        ``-vous``), a digit or a sign of punctuation.

        Args:
            ids: of one sentence.

        Returns:
            For every id the number of its word, from 0; None for special tokens. Where the subwords
            spell no text, as an untrained model's may, each is a word of its own.
        """
        special = {self.pad_id, self.bos_id, self.eos_id, self.unk_id}
        spelled = ["" if id in special else str(self.bpe.id_to_token(id)) for id in ids]
        try:
            text = bytes(_BYTE_OF[c] for c in "".join(spelled)).decode()
        except UnicodeDecodeError:
            lengths = [len(subword) for subword in spelled if subword]
        else:
            lengths = [len(word) for word, _ in self.bpe.pre_tokenizer.pre_tokenize_str(text)]
        ends = list(accumulate(lengths))
        starts = accumulate(map(len, spelled), initial=0)
        return [
            bisect_right(ends, start) if subword else None
            for subword, start in zip(spelled, starts, strict=False)
        ]

    @property
    def special_ids(self) -> SpecialIds:
        """``pad_id``, ``bos_id`` and ``eos_id``, as decoding takes them."""
        return {"pad_id": self.pad_id, "bos_id": self.bos_id, "eos_id": self.eos_id}

    def subword(self, id: int) -> str:
        """How one id reads on its own: ``" dog"``, ``"ing"``, ``"<eos>"``, ``"<F0>"``."""
        token = str(self.bpe.id_to_token(id))
        if id in (self.pad_id, self.bos_id, self.eos_id, self.unk_id):
            return token
        raw = bytes(_BYTE_OF[character] for character in token)
        try:
            return raw.decode().removesuffix("\u2060")
        except UnicodeDecodeError:
            return f"<{raw.hex(' ').upper()}>"

    def _special(self, token: str) -> int:
        id = self.bpe.token_to_id(token)
        if id is None:
            raise ValueError(f"the tokenizer's vocabulary lacks the special token {token}")
        return int(id)


def _put_ends(bpe: Bpe) -> None:
    ends = [(token, bpe.token_to_id(token)) for token in (BOS, EOS)]
    bpe.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A {EOS}", special_tokens=ends
    )


def _nothing_learned(cutting: Cutting) -> dict[str, Any]:
    """What is the same in every ``tokenizer.json`` that cuts in this way, as JSON values."""
    bpe = cutting.bpe()
    bpe.add_special_tokens([*SPECIALS])
    _put_ends(bpe)
    return decode(bpe.to_str(), dict[str, Any])


def _side_by_side(spans: Sequence[Span], length: int) -> list[Span]:
    """The same spans without overlap or gap, from 0 to ``length``.

    A word after an elision begins behind the apostrophe, though its space was made of it. An
    accent that NFC put on its letter belongs to the letter's subword. Subwords of one character go
    on sharing its place.
    """
    starts: list[int] = []
    for before, span in pairwise([(0, 0), *spans]):
        shared = starts[-1:] if span == before else []
        starts += shared or [max(span[0], before[1]) if starts else 0]
    placed, following = [], (length, length)
    for start in reversed(starts):
        following = (start, following[1] if start == following[0] else following[0])
        placed.append(following)
    return placed[::-1]


def is_part(spelled: str) -> bool:
    """Whether a subword, as the vocabulary spells it, is cut inside of a character."""
    try:
        bytes(_BYTE_OF.get(character, 0) for character in spelled).decode()
    except UnicodeDecodeError:
        return True
    return False


def _byte_characters() -> dict[str, int]:
    """The printable character by which byte-level BPE writes each byte (GPT-2's table)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    table = {chr(byte): byte for byte in printable}
    return table | {chr(256 + n): byte for n, byte in enumerate(others)}


_BYTE_OF = _byte_characters()
