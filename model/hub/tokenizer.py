"""The tokenizer of a Hub model, with the interface of our own tokenizer.

The library's tokenizers change while they work: they switch between source and target, and between
languages. Many threads share one tokenizer of ours. So the parts that do not change are taken out
of the library's tokenizer once: the pieces, their ids, and the special tokens around a sentence.
"""

from __future__ import annotations

import copy
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from model.corpora.pairs import Languages
from model.corpora.plain_text import Span
from model.hub.languages import code_asked, short_code
from model.hub.model import HubConfig
from model.hub.sentence_piece import SPACE, SentencePiece
from model.tokenizers.byte_level.pre_tokenizer import word_ends
from model.tokenizers.byte_level.tokenizer import BYTE_OF
from model.tokenizers.tokenizer import (
    BYTES_SUBWORD,
    LANGUAGE,
    Side,
    SpecialIds,
    Token,
    Tokenizer,
    without_gaps,
)

_UNUSED = "<unused {}>"  # a row of the embedding that belongs to no piece
_LETTER = "x"  # replaces bytes that are not a character when words are counted
_BYTE = re.compile("<0x([0-9A-F]{2})>")  # as SentencePiece spells a byte
_BYTE_LEVEL_SPACE = "Ġ"  # as byte-level BPE spells the space before a word
_FRENCH = ("fra_Latn", "fr_XX", "__fr__", ">>fra<<", ">>fr<<")
_PREFIX_FAMILIES = ("t5", "mt5")  # their models read the task as a text before the sentence
_TARGET_CODE = re.compile(">>[^<>]+<<")  # of a Marian model that writes several languages
_MAX_LANGUAGES = 5  # in a message
_PROBE = "a"  # a text that shows which special tokens the library puts around it

Pieces = list[tuple[int, Span]]  # the id of each piece, and its span in the text
Cutter = Callable[[str], Pieces]


class _Frame(NamedTuple):
    """The ids of the special tokens before and after a text."""

    before: tuple[int, ...]
    after: tuple[int, ...]


class HubTokenizer(Tokenizer):
    """Splits texts exactly as the library's tokenizer does.

    Args:
        library_tokenizer: as ``AutoTokenizer`` opens it.
        config: of the model.
        generation: the settings for decoding, ``generation_config`` of the library's model.
        prefixes: texts with which T5 is asked to translate, and the languages of each.
    """

    def __init__(
        self,
        library_tokenizer: Any,
        config: HubConfig,
        generation: Any,
        prefixes: Mapping[str, Languages] = MappingProxyType({}),
    ) -> None:
        self._library = library_tokenizer
        self._prefixes = prefixes
        self.takes_prefix = config.model_type in _PREFIX_FAMILIES
        self.vocab_size = config.vocab_size
        self.src_vocab_size = config.src_vocab_size or config.vocab_size
        self.pad_id = int(library_tokenizer.pad_token_id)
        self.eos_id = int(library_tokenizer.eos_token_id)
        self._other_eos_ids = _other_ends(generation.eos_token_id, self.eos_id)
        self.unk_id = int(library_tokenizer.unk_token_id)
        start_ids = (generation.decoder_start_token_id, generation.bos_token_id, self.pad_id)
        self.bos_id = next(int(id) for id in start_ids if id is not None)  # old folders name none

        # 1. Collect the pieces of both vocabularies
        source, target = _vocabularies(library_tokenizer)
        self._pieces: dict[Side, list[str]] = {
            "source": _padded(source, self.src_vocab_size),
            "target": _padded(target, self.vocab_size),
        }
        added = library_tokenizer.added_tokens_decoder.values()
        self._special = {str(token) for token in added if token.special}
        self._special |= set(_m2m_100_languages(library_tokenizer).values())
        self._shown_as_it_is = self._special | {str(token) for token in added}
        self._is_byte_level = any(_BYTE_LEVEL_SPACE in piece for piece in target.values())
        self._max_piece_length = max(map(len, source.values()))
        self._check_special_ids()
        self._cutters = _cutters(library_tokenizer, source, target)

        # 2. Find the special tokens around a source and around a target
        self.language_ids = {
            piece: id
            for id, piece in enumerate(self._pieces["source"])
            if piece in self._special and LANGUAGE.fullmatch(piece)
        }
        forced_id: int | None = generation.forced_bos_token_id
        if self.language_ids:
            _choose_target(library_tokenizer, self.language_ids, forced_id)
        self._source_frame = self._frame("source", library_tokenizer(_PROBE)["input_ids"])
        target_ids = library_tokenizer(text_target=_PROBE)["input_ids"]
        self._target_frame = self._frame("target", target_ids)
        self._forced_id = forced_id
        self._use_target_frame()

        # 3. Choose the text that is put before each sentence
        self._codes = self._find_codes()
        self.prefix = ""
        if self.takes_prefix:
            into_french = [text for text, languages in prefixes.items() if languages[1] == "fr"]
            self.prefix = next(iter([*into_french, *prefixes]), "")
        elif self.codes:
            self.prefix = f"{_french_or_first(self.codes)} "

    def save(self, path: str | Path) -> None:
        raise ValueError(f"a model of the Hub keeps its own files: {path} is not written")

    def max_characters(self, n_tokens: int) -> int:
        return n_tokens * self._max_piece_length

    def encode(self, text: str, side: Side = "source") -> list[Token]:
        """Return the subwords of a text with the special tokens of its side.

        A target begins with the token that the decoder reads first. A source begins with the tokens
        of ``prefix``. Their spans are empty, because the prefix is not part of the text.
        """
        text = text.encode(errors="replace").decode()  # a lone surrogate is not a character
        prefix = self.prefix if side == "source" and not self._begins_with_code(text) else ""
        all_pieces = self._known(self._cutters[side](prefix + text), side)
        # a piece that reaches over the end of the prefix belongs to the text
        of_prefix = [id for id, (_, end) in all_pieces if end <= len(prefix)]
        pieces = [
            (id, (max(0, start - len(prefix)), end - len(prefix)))
            for id, (start, end) in all_pieces[len(of_prefix) :]
        ]
        frame = self._source_frame if side == "source" else self._target_frame
        first = (self.bos_id,) if side == "target" else ()
        before = (*first, *frame.before, *of_prefix)
        ids = (*before, *(id for id, _ in pieces), *frame.after)
        spans = [
            *((0, 0) for _ in before),
            *without_gaps([span for _, span in pieces], len(text)),
            *((0, 0) for _ in frame.after),
        ]
        return [
            Token(id, self.subword(id, side), start, end)
            for id, (start, end) in zip(ids, spans, strict=True)
        ]

    def decode(self, ids: Sequence[int]) -> str:
        pieces = self._pieces["target"]
        written = [
            id for id in ids if pieces[id] not in self._special and pieces[id] != _UNUSED.format(id)
        ]
        text: str = self._library.decode(written, skip_special_tokens=True)
        return text.strip()

    def word_ids(self, ids: Sequence[int], side: Side) -> list[int | None]:
        """Return the word of each piece. An unknown piece counts as a letter."""
        texts: list[str | None] = []
        for id in ids:
            text = self.subword(id, side)
            if id == self.unk_id or BYTES_SUBWORD.fullmatch(text):
                texts.append(_LETTER)
            else:
                texts.append(None if self._pieces[side][id] in self._special else text)
        written = [text for text in texts if text is not None]
        ends = word_ends("".join(written))
        starts = accumulate(map(len, written), initial=0)
        numbers = iter([bisect_right(ends, start) for start in starts])
        return [None if text is None else next(numbers) for text in texts]

    def subword(self, id: int, side: Side = "target") -> str:
        piece = self._pieces[side][id]
        if piece in self._shown_as_it_is:
            return piece
        if self._is_byte_level:
            return _from_bytes(piece)
        byte = _BYTE.fullmatch(piece)
        return f"<{byte[1]}>" if byte else piece.replace(SPACE, " ")

    @property
    def codes(self) -> tuple[str, ...]:
        return self._codes

    def _check_special_ids(self) -> None:
        """Raise ValueError if a special id is beyond the end of an embedding."""
        n_rows = min(map(len, self._pieces.values()))
        for id in (self.pad_id, self.eos_id, self.unk_id, self.bos_id):
            if id >= n_rows:
                raise ValueError(
                    f"its tokenizer needs the id {id}, and its embedding has only {n_rows} rows"
                )

    def _known(self, pieces: Pieces, side: Side) -> Pieces:
        """Replace the ids that the embedding lacks by the id of an unknown piece.

        A tokenizer has such ids if a fine-tuning added tokens to it, and not to the model.
        """
        n_rows = len(self._pieces[side])
        return [(id if id < n_rows else self.unk_id, span) for id, span in pieces]

    def _find_codes(self) -> tuple[str, ...]:
        """Return the target language codes of the vocabulary; () if there is only one or none."""
        codes = sorted(filter(_TARGET_CODE.fullmatch, self._pieces["source"]))
        return tuple(codes) if len(codes) > 1 else ()

    def _begins_with_code(self, text: str) -> bool:
        """Return whether a text begins with a target language code, such as ``>>fra<<``."""
        return bool(self.codes) and code_asked(text) is not None

    @property
    def special_ids(self) -> SpecialIds:
        return {
            **super().special_ids,
            "other_eos_ids": self._other_eos_ids,
            "first_id": self._first_id,
        }

    @property
    def source_languages(self) -> tuple[str, ...]:
        """The source languages that ``with_languages`` accepts; () if there is no choice."""
        return tuple(self.language_ids)

    @property
    def target_languages(self) -> tuple[str, ...]:
        """The target languages that ``with_languages`` accepts; () if there is no choice."""
        return self.source_languages or self.codes

    @property
    def language_pair(self) -> Languages:
        """The chosen source and target language; None if there is no choice."""
        if not self.language_ids:
            return None, code_asked(self.prefix)
        source = [*self._source_frame.before, *self._source_frame.after]
        target = [self.bos_id, *self._target_frame.before]
        return self._language_among(source), self._language_among(target)

    def short_languages(self, otherwise: Languages) -> Languages:
        """Return the short codes of the source and the target language.

        Args:
            otherwise: the languages of a side that has no choice.
        """
        if self.takes_prefix and self.prefix:
            return self._prefixes.get(self.prefix, (None, None))
        source, target = self.language_pair
        return (
            short_code(source) if self.source_languages else otherwise[0],
            short_code(target) if self.target_languages else otherwise[1],
        )

    def with_prefix(self, prefix: str) -> Self:
        """Return a tokenizer that puts another text before each sentence.

        Args:
            prefix: such as "translate English to German:"; empty for none.

        Raises:
            ValueError: the model takes no prefix.
        """
        if not self.takes_prefix:
            raise ValueError("this model takes no prefix: only T5 does")
        changed = copy.copy(self)
        changed.prefix = f"{' '.join(prefix.split())} " if prefix.strip() else ""
        return changed

    def with_languages(self, source: str = "", target: str = "") -> Self:
        """Return a tokenizer for two other languages of the same model.

        Args:
            source: one of ``source_languages``; empty keeps the present one.
            target: one of ``target_languages``; empty keeps the present one.

        Raises:
            ValueError: one of them is not a language of the model.
        """
        if source and not self.source_languages:
            raise ValueError("this model has no choice of source languages")
        for language, choice in ((source, self.source_languages), (target, self.target_languages)):
            if language and language not in choice:
                raise ValueError(
                    f"this model has no language {language!r}: {_hint(language, choice)}"
                )
        changed = copy.copy(self)
        if not self.language_ids:
            changed.prefix = f"{target} " if target else self.prefix
            return changed
        present_source, present_target = self.language_pair
        source = source or present_source or next(iter(self.language_ids))
        target = target or present_target or next(iter(self.language_ids))
        changed._source_frame = self._with_language(self._source_frame, source)
        changed._target_frame = self._with_language(self._target_frame, target)
        if not changed._language_among(changed._target_frame.before):
            changed.bos_id = self.language_ids[target]  # mBART-25: the decoder reads it first
        changed._forced_id = None
        changed._use_target_frame()
        return changed

    def _use_target_frame(self) -> None:
        """Take from the target's frame the first token that the decoder must write.

        The special tokens after EOS are removed from the frame.
        """
        before, after = self._target_frame
        language = self._language_among(before)
        self._first_id = self._forced_id
        if self._first_id is None and language is not None:
            self._first_id = self.language_ids[language]
        n_after = after.index(self.eos_id) + 1 if self.eos_id in after else len(after)
        self._target_frame = _Frame(before, after[:n_after])

    def _frame(self, side: Side, ids: list[int]) -> _Frame:
        """Return the special ids that the library puts around a text."""
        content = [id for id, _ in self._cutters[side](_PROBE)]
        for start in range(len(ids) - len(content) + 1):
            end = start + len(content)
            if ids[start:end] == content:
                return _Frame(tuple(ids[:start]), tuple(ids[end:]))
        raise ValueError("its tokenizer does not keep the pieces of a text together")

    def _with_language(self, frame: _Frame, language: str) -> _Frame:
        """Return a frame with another language in place of its own."""

        def changed(ids: Iterable[int]) -> tuple[int, ...]:
            known = self.language_ids.values()
            return tuple(self.language_ids[language] if id in known else id for id in ids)

        return _Frame(changed(frame.before), changed(frame.after))

    def _language_among(self, ids: Iterable[int]) -> str | None:
        """Return the first of the ids that is a language, as its piece; None if none is."""
        pieces = (self._pieces["source"][id] for id in ids if id < self.src_vocab_size)
        return next((piece for piece in pieces if piece in self.language_ids), None)


def _hint(language: str, choice: Sequence[str]) -> str:
    """Return the languages that may be meant, or how many there are to choose from."""
    code = short_code(language) or language
    similar = [known for known in choice if short_code(known) == code]
    if similar:
        return f"perhaps {' or '.join(similar)} is meant"
    return f"it has {len(choice)}, such as {', '.join(choice[:_MAX_LANGUAGES])}"


def _vocabularies(library_tokenizer: Any) -> tuple[dict[int, str], dict[int, str]]:
    """Return the pieces of source and target by their ids."""
    added = {id: str(token) for id, token in library_tokenizer.added_tokens_decoder.items()}
    if hasattr(library_tokenizer, "separate_vocabs"):  # MarianMT
        source = {id: piece for piece, id in library_tokenizer.encoder.items()}
        return source | added, library_tokenizer.decoder | added
    ids = range(len(library_tokenizer))
    pieces = library_tokenizer.convert_ids_to_tokens([*ids])
    shared = dict(zip(ids, pieces, strict=True)) | added | _m2m_100_languages(library_tokenizer)
    return shared, shared


def _m2m_100_languages(library_tokenizer: Any) -> dict[int, str]:
    """Return the languages of M2M100 by their ids. They are not among its added tokens."""
    ids = getattr(library_tokenizer, "lang_token_to_id", {})
    return {id: token for token, id in ids.items()}


def _padded(pieces: dict[int, str], n_rows: int) -> list[str]:
    """Return a piece for each row of an embedding. It may have more rows than pieces."""
    return [pieces.get(id) or _UNUSED.format(id) for id in range(n_rows)]


def _choose_target(library: Any, language_ids: dict[str, int], forced_id: int | None) -> None:
    """Choose a target language for the library's tokenizer, if its folder names none.

    Args:
        library: the tokenizer.
        language_ids: of all its languages.
        forced_id: the id with which the model begins every translation, if there is one.

    Raises:
        ValueError: its class has no setting for the target language.
    """
    if not hasattr(library, "tgt_lang"):
        raise ValueError("it has languages, and this class cannot choose one of them")
    if library.tgt_lang is not None:
        return
    forced = [language for language, id in language_ids.items() if id == forced_id]
    target = forced[0] if forced else _french_or_first(language_ids)
    library.tgt_lang = target.strip("_")


def _other_ends(setting: int | list[int] | None, eos_id: int) -> tuple[int, ...]:
    """Return the ids of the tokens that end a translation like EOS.

    Args:
        setting: ``eos_token_id`` of the settings for decoding.
        eos_id: of the tokenizer; it is left out.
    """
    ids = setting if isinstance(setting, list) else [setting]
    return tuple(int(id) for id in ids if id is not None and id != eos_id)


def _french_or_first(languages: Iterable[str]) -> str:
    """Return French, the target language of our own model, or else the first language."""
    names = list(languages)
    return next((name for name in _FRENCH if name in names), names[0])


def _cutters(
    library_tokenizer: Any, source: dict[int, str], target: dict[int, str]
) -> dict[Side, Cutter]:
    """Return the functions that split a source and a target.

    Args:
        library_tokenizer: of the library ``transformers``.
        source: pieces of the source by their ids.
        target: pieces of the target by their ids.

    Raises:
        ValueError: the tokenizer is of an unknown kind.
    """
    if library_tokenizer.is_fast:
        cutter = _fast_cutter(library_tokenizer.backend_tokenizer)
        return {"source": cutter, "target": cutter}
    added = {str(token): id for id, token in library_tokenizer.added_tokens_decoder.items()}
    unk_id = library_tokenizer.unk_token_id
    if hasattr(library_tokenizer, "spm_source"):  # MarianMT
        models = (library_tokenizer.spm_source, library_tokenizer.spm_target)
    elif hasattr(library_tokenizer, "sp_model"):  # M2M100
        models = (library_tokenizer.sp_model, library_tokenizer.sp_model)
    else:
        raise ValueError(f"its tokenizer {type(library_tokenizer).__name__} is of an unknown kind")
    source_model, target_model = (SentencePiece(model.serialized_model_proto()) for model in models)
    has_codes = hasattr(library_tokenizer, "spm_source")  # only MarianMT cuts off a language code
    return {
        "source": _sentence_piece_cutter(source_model, source, added, unk_id, has_codes),
        "target": _sentence_piece_cutter(target_model, target, added, unk_id, has_codes),
    }


def _fast_cutter(backend: Any) -> Cutter:
    """Return a function that splits texts with the library ``tokenizers``, including spans."""
    backend.no_padding()
    backend.no_truncation()

    def cut(text: str) -> Pieces:
        encoding = backend.encode(text, add_special_tokens=False)
        pieces: Pieces = []
        previous_end = 0
        for id, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
            # Some tokenizers leave the space before a piece out of its span.
            is_after_space = text[previous_end:start].isspace()
            pieces.append((id, (previous_end if is_after_space else start, end)))
            previous_end = end
        return pieces

    return cut


def _sentence_piece_cutter(
    model: SentencePiece,
    pieces: dict[int, str],
    added: dict[str, int],
    unk_id: int,
    has_codes: bool,
) -> Cutter:
    """Return a function that cuts out the added tokens, and splits the rest with SentencePiece.

    Args:
        model: splits the rest.
        pieces: by their ids.
        added: tokens that SentencePiece does not see, with their ids. Tokens that a fine-tuning
            adds to M2M100 have the same ids as languages, because the library gives these ids
            twice.
        unk_id: of pieces that have no id.
        has_codes: whether a language code at the start of the text is hidden from SentencePiece,
            too.
    """
    id_of = {piece: id for id, piece in pieces.items()} | added
    longest_first = sorted(added, key=len, reverse=True)
    pattern = re.compile(f"({'|'.join(map(re.escape, longest_first))})")

    def cut(text: str) -> Pieces:
        result: Pieces = []
        start = 0
        for n, segment in enumerate(pattern.split(text)):
            is_added = n % 2 == 1  # the pattern is a group, so texts and added tokens alternate
            token = segment if is_added else ""
            if has_codes and not is_added:
                token = code_asked(segment) or ""
            if token:
                result.append((id_of.get(token, unk_id), (start, start + len(token))))
            rest_start = start + len(token)
            for piece, (begin, end) in model.cut(segment[len(token) :]):
                span = (rest_start + begin, rest_start + end)
                result.append((id_of.get(piece, unk_id), span))
            start += len(segment)
        return result

    return cut


def _from_bytes(piece: str) -> str:
    """Return the text of a byte-level BPE piece, or its bytes if they are not valid UTF-8.

    The name of an unused row is not written in bytes, and stays as it is.

    >>> _from_bytes("Ġdog"), _from_bytes("ä½"), _from_bytes("<unused 7>")
    (' dog', '<E4 BD>', '<unused 7>')
    """
    if any(character not in BYTE_OF for character in piece):
        return piece
    raw = bytes(BYTE_OF[character] for character in piece)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return f"<{raw.hex(' ').upper()}>"
