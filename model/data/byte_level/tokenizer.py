"""One joint byte-level BPE vocabulary for both languages.

Byte-level: whatever a visitor types has a spelling in the vocabulary, so there is no unknown
word and nothing is lost. Text is cut into words, clitics (``'s``, ``l'``, ``-vous``), digits,
punctuation and Chinese characters before BPE, so that no subword straddles them.

Source: Sennrich et al. 2016 (BPE); Radford et al. 2019, section 2.2 (bytes).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as Bpe
from tokenizers import pre_tokenizers, processors, trainers

from model.data.byte_level.cutting import NOW, WAYS, Cutting
from model.data.byte_level.tokenizer_file import check_tokenizer
from model.data.tokenizer import BOS, EOS, PAD, UNK, Side, Token, Tokenizer, side_by_side
from model.files.json_file import LARGEST, decode
from model.files.regular_file import read_regular
from model.files.replacing import write_text

BY_ID = (PAD, BOS, EOS, UNK)


class ByteLevelTokenizer(Tokenizer):
    """Text to ids and back, with one vocabulary for both sides.

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
        self.vocab_size = self.src_vocab_size = bpe.get_vocab_size()
        self._longest = max(map(len, bpe.get_vocab()))  # bytes of the longest subword

    def __reduce__(self) -> tuple[type[ByteLevelTokenizer], tuple[Bpe]]:
        """Made anew in another process: the library does not hand on what is set above."""
        return ByteLevelTokenizer, (self.bpe,)

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int) -> ByteLevelTokenizer:
        """Learn the merges from texts of both languages.

        Args:
            texts: sentences, in any order.
            vocab_size: V, at most; the 256 bytes and four special tokens are part of it.
        """
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            special_tokens=[*BY_ID],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        bpe = NOW.bpe()
        bpe.train_from_iterator(texts, trainer)
        _put_ends(bpe)
        return cls(bpe)

    @classmethod
    def load(cls, path: str | Path) -> ByteLevelTokenizer:
        """Read ``tokenizer.json``; ValueError if it is missing, broken or made in another way."""
        try:
            content = read_regular(path, LARGEST)
            check_tokenizer(content, map(_nothing_learned, WAYS), BY_ID, _BYTE_OF)
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

    def encode(self, text: str, side: Side = "source") -> list[Token]:  # noqa: ARG002
        """BOS, the subwords of the text, EOS."""
        encoding = self.bpe.encode(text)
        ends = (0, 0)
        places = [ends, *side_by_side(encoding.offsets[1:-1], len(text)), ends]
        return [
            Token(id, self.subword(id), start, end)
            for id, (start, end) in zip(encoding.ids, places, strict=True)
        ]

    def encode_ids(
        self,
        texts: Sequence[str],
        side: Side = "source",  # noqa: ARG002
    ) -> list[list[int]]:
        """Only the ids, of many texts at once."""
        return [encoding.ids for encoding in self.bpe.encode_batch_fast(list(texts))]

    def decode(self, ids: Sequence[int]) -> str:
        """The text that these ids spell, without special tokens."""
        text: str = self.bpe.decode(list(ids), skip_special_tokens=True)
        return text.removeprefix(" ")

    def word_numbers(self, ids: Sequence[int], side: Side) -> list[int | None]:  # noqa: ARG002
        """As ``Tokenizer.word_numbers``; a byte that is part of no character counts as a letter."""
        special = {self.pad_id, self.bos_id, self.eos_id, self.unk_id}
        spelled = ["" if id in special else str(self.bpe.id_to_token(id)) for id in ids]
        text = _with_letters(bytes(_BYTE_OF[c] for c in "".join(spelled)))
        words = self.bpe.pre_tokenizer.pre_tokenize_str(text)
        ends = list(accumulate(len(word) for word, _ in words))
        starts = accumulate(map(len, spelled), initial=0)
        return [
            bisect_right(ends, start) if subword else None
            for subword, start in zip(spelled, starts, strict=False)
        ]

    def subword(self, id: int, side: Side = "target") -> str:  # noqa: ARG002
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
    bpe.add_special_tokens([*BY_ID])
    _put_ends(bpe)
    return decode(bpe.to_str(), dict[str, Any])


def spelled_alike(
    one: ByteLevelTokenizer, other: ByteLevelTokenizer
) -> tuple[list[int], list[int]]:
    """The subwords that two vocabularies share: their ids in the one, and in the other."""
    vocabulary = other.bpe.get_vocab()
    shared = {
        id: vocabulary[subword]
        for subword, id in one.bpe.get_vocab().items()
        if subword in vocabulary
    }
    return [*shared], [*shared.values()]


def is_part(spelled: str) -> bool:
    """Whether a subword, as the vocabulary spells it, is cut inside of a character."""
    try:
        bytes(_BYTE_OF.get(character, 0) for character in spelled).decode()
    except UnicodeDecodeError:
        return True
    return False


def _with_letters(spelled: bytes) -> str:
    """The text of as many bytes in UTF-8, with an x for each that is part of no character."""
    try:
        return spelled.decode()
    except UnicodeDecodeError as error:
        rest = _with_letters(spelled[error.end :])
        return spelled[: error.start].decode() + "x" * (error.end - error.start) + rest


def _byte_characters() -> dict[str, int]:
    """The printable character by which byte-level BPE writes each byte (GPT-2's table)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    table = {chr(byte): byte for byte in printable}
    return table | {chr(256 + n): byte for n, byte in enumerate(others)}


_BYTE_OF = _byte_characters()
