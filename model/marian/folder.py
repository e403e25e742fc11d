"""The settings of a MarianMT model, as they lie in its folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from model.files.checkpoint_error import CheckpointError
from model.files.json_file import LARGEST, decode
from model.files.regular_file import is_folder, is_there, read_regular

T = TypeVar("T")
CONFIG, GENERATION, TOKENIZER_CONFIG = (
    "config.json",
    "generation_config.json",
    "tokenizer_config.json",
)

_HUB_NAME = re.compile(r"\w[\w.-]*/[\w.-]+")  # Helsinki-NLP/opus-mt-en-fr


class Settings(msgspec.Struct, frozen=True):
    """``config.json``; what it does not say has the default of ``MarianConfig``."""

    model_type: str
    vocab_size: int = 58101
    decoder_vocab_size: int | None = None
    d_model: int = 1024
    encoder_layers: int = 12
    decoder_layers: int = 12
    encoder_attention_heads: int = 16
    decoder_attention_heads: int = 16
    encoder_ffn_dim: int = 4096
    decoder_ffn_dim: int = 4096
    max_position_embeddings: int = 1024
    activation_function: str = "gelu"
    scale_embedding: bool = False
    share_encoder_decoder_embeddings: bool = True
    tie_word_embeddings: bool = True
    dropout: float = 0.1
    pad_token_id: int = 58100
    eos_token_id: int | list[int] = 0
    decoder_start_token_id: int | None = None
    name_or_path: str = msgspec.field(name="_name_or_path", default="")


class Generation(msgspec.Struct, frozen=True):
    """``generation_config.json``, and ``config.json`` where there is none, as for the library."""

    decoder_start_token_id: int | None = None
    bad_words_ids: list[list[int]] | None = None
    forced_bos_token_id: int | None = None
    num_beams: int = 1
    length_penalty: float = 1.0


class Languages(msgspec.Struct, frozen=True):
    """The part of ``tokenizer_config.json`` that is asked for here."""

    source_lang: str | None = None
    target_lang: str | None = None


class MarianFolder(msgspec.Struct, frozen=True):
    """What a folder says of its model.

    Args:
        path: of the folder.
        settings: of the architecture.
        generation: how it is meant to write.
        languages: what its tokenizer says that it reads and writes.
    """

    path: Path
    settings: Settings
    generation: Generation
    languages: Languages

    @property
    def name(self) -> str:
        """Name of the folder; in the cache of Hugging Face that of the model."""
        path = self.path.resolve()
        cached = path.parent.name == "snapshots" and path.parents[1].name.startswith("models--")
        return path.parents[1].name.rpartition("--")[2] if cached else path.name

    @property
    def base(self) -> str | None:
        """The model that its settings name, where that is another one: it may have begun as that.

        Of a path on somebody's disk only the name of a model of OPUS-MT, and none of its folders.
        """
        said = self.settings.name_or_path
        last = re.split(r"[/\\]", said)[-1]
        shown = said if _HUB_NAME.fullmatch(said) else last if last.startswith("opus-mt") else None
        return None if last == self.name else shown

    @property
    def start_id(self) -> int:
        """What the decoder reads first; the padding where nothing else is said."""
        asked = self.generation.decoder_start_token_id, self.settings.decoder_start_token_id
        return next((id for id in asked if id is not None), self.settings.pad_token_id)


def read_folder(path: Path) -> MarianFolder:
    """Read the settings.

    Raises:
        CheckpointError: there is no such folder, or no MarianMT model in it; the message says what
            to do.
    """
    if not is_folder(path):
        raise CheckpointError(f"There is no folder {path}. Give the one that holds {CONFIG}.")
    if not is_there(path / CONFIG):
        raise CheckpointError(
            f"{path} has no {CONFIG}: a model of Hugging Face does. Get the whole folder again."
        )
    kind = _read(path / CONFIG, dict[str, Any]).get("model_type")
    if kind != "marian":
        raise CheckpointError(
            f"{path} holds a model of type {kind!r}, and only 'marian' is converted: MarianMT, as "
            "of the collection opus-mt."
        )
    generation = GENERATION if is_there(path / GENERATION) else CONFIG
    has_languages = is_there(path / TOKENIZER_CONFIG)
    return MarianFolder(
        path,
        _read(path / CONFIG, Settings),
        _read(path / generation, Generation),
        _read(path / TOKENIZER_CONFIG, Languages) if has_languages else Languages(),
    )


def _read(path: Path, kind: type[T]) -> T:
    try:
        return decode(read_regular(path, LARGEST), kind)
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"The file {path} is damaged ({error}). Get the whole folder again."
        ) from error
