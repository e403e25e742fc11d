"""The settings of a MarianMT model, as they lie in its folder."""

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from model.checkpoint.checkpoint import read_card
from model.files.checkpoint_error import CheckpointError
from model.files.folder_format import recognise_folder
from model.files.json_file import decode, read_json
from model.files.regular_file import exists, is_folder

T = TypeVar("T")
ALIGNED = "transformer-align"  # what OPUS-MT calls its models trained with guided alignment
REMEDY = "Get the whole folder again."
_CONFIG = "config.json"
_LARGEST_README = 1_000_000  # bytes
_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?)\n---\s*$", re.DOTALL | re.MULTILINE)
_LICENCE = re.compile(r"^license:[ \t]*(\S.*)$", re.MULTILINE)
_HUB_NAME = re.compile(r"\w[\w.-]*/[\w.-]+")  # Helsinki-NLP/opus-mt-en-fr
_NAME = re.compile(r"opus-mt(?:-tc-(?:base|big))?-([a-z]{2,3})-([a-z]{2,3})")
_CODE = re.compile(r"[a-z]{2,3}")
_SHORT = {  # ISO 639-3 to 639-1, which the app and browsers know languages by
    "ara": "ar", "ces": "cs", "cmn": "zh", "deu": "de", "ell": "el", "eng": "en", "fin": "fi",
    "fra": "fr", "heb": "he", "hin": "hi", "hun": "hu", "ita": "it", "jpn": "ja", "kor": "ko",
    "nld": "nl", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "spa": "es", "swe": "sv",
    "tur": "tr", "ukr": "uk", "vie": "vi", "zho": "zh",
}  # fmt: skip
_GROUPS = {  # families of languages, from ISO 639-5, and "several"
    "several", "aav", "afa", "alg", "alv", "apa", "aqa", "aql", "art", "ath", "auf", "aus", "awd",
    "azc", "bad", "bai", "bat", "ber", "bih", "bnt", "btk", "cai", "cau", "cba", "ccn", "ccs",
    "cdc", "cdd", "cel", "cmc", "cpe", "cpf", "cpp", "crp", "csu", "cus", "day", "dmn", "dra",
    "egx", "esx", "euq", "fiu", "fox", "gem", "gme", "gmq", "gmw", "grk", "hmx", "hok", "hyx",
    "iir", "ijo", "inc", "ine", "ira", "iro", "itc", "jpx", "kar", "kdo", "khi", "kro", "map",
    "mkh", "mno", "mul", "mun", "myn", "nah", "nai", "ngf", "nic", "nub", "omq", "omv", "oto",
    "paa", "phi", "plf", "poz", "pqe", "pqw", "pra", "qwe", "roa", "sai", "sal", "sdv", "sem",
    "sgn", "sio", "sit", "sla", "smi", "son", "sqj", "ssa", "syd", "tai", "tbq", "trk", "tup",
    "tut", "tuw", "urj", "wak", "wen", "xgn", "xnd", "ypk", "zhx", "zle", "zls", "zlw", "znd",
}  # fmt: skip


class MarianSettings(msgspec.Struct, frozen=True):
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


class AddedToken(msgspec.Struct, frozen=True):
    """A token of a fine-tuning."""

    content: str
    special: bool = False


class TokenizerSettings(msgspec.Struct, frozen=True):
    """``tokenizer_config.json``, as far as it is asked for here."""

    source_lang: str | None = None
    target_lang: str | None = None
    separate_vocabs: bool = False
    added_tokens_decoder: dict[int, AddedToken] = {}


class MarianFolder(msgspec.Struct, frozen=True):
    """What a folder says of its model."""

    path: Path
    settings: MarianSettings
    generation: Generation
    tokenizer: TokenizerSettings
    readme: str

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
    def licence(self) -> str | None:
        """The one that the head of its README names."""
        head = _FRONT_MATTER.search(self.readme)
        found = _LICENCE.search(head[1]) if head else None
        return found[1].strip() if found else None

    @property
    def is_aligned(self) -> bool:
        """Whether its README says that a head was guided; its settings never say it."""
        return ALIGNED in self.readme

    @property
    def start_id(self) -> int:
        """What the decoder reads first; the padding where nothing else is said."""
        asked = self.generation.decoder_start_token_id, self.settings.decoder_start_token_id
        return next((id for id in asked if id is not None), self.settings.pad_token_id)


def languages_of(folder: MarianFolder) -> tuple[str | None, str | None]:
    """Source and target, such as "en" and "fr"; None where a side is not known, or is a group.

    The tokenizer's settings say it, or else the name of the model.
    """
    said = folder.tokenizer.source_lang, folder.tokenizer.target_lang
    if not any(said):
        found = _NAME.fullmatch(folder.name)
        said = (found[1], found[2]) if found else (None, None)
    source, target = map(_code, said)
    return source, target


def _code(said: str | None) -> str | None:
    if said is None or said in _GROUPS or not _CODE.fullmatch(said):
        return None
    return _SHORT.get(said, said)


def read_if_there(path: Path, kind: type[T]) -> T:
    """A file as values of a type, all defaults where there is none; CheckpointError if damaged."""
    return read_json(path, kind, remedy=REMEDY) if exists(path) else decode("{}", kind)


def read_folder(path: Path) -> MarianFolder:
    """Read the settings; CheckpointError if there is no such folder, or no MarianMT model in it.

    A model in the cache of Hugging Face is read from its newest snapshot.
    """
    folder_format = recognise_folder(path)
    if folder_format and folder_format.name == "hub_cache" and folder_format.inner:
        return read_folder(folder_format.inner)
    config, generation = path / _CONFIG, path / "generation_config.json"
    if folder_format and not exists(config):
        raise CheckpointError(f"{path} is {folder_format}.")
    if not is_folder(path):
        raise CheckpointError(f"There is no folder {path}. Give the one that holds {_CONFIG}.")
    if not exists(config):
        raise CheckpointError(f"{path} has no {_CONFIG}: a model of Hugging Face does. {REMEDY}")
    kind = read_json(config, dict[str, Any], remedy=REMEDY).get("model_type")
    if kind != "marian":
        raise CheckpointError(
            f"{path} holds a model of type {kind!r}, and only 'marian' is converted: MarianMT, as "
            "of the collection opus-mt."
        )
    return MarianFolder(
        path,
        read_json(config, MarianSettings, remedy=REMEDY),
        read_json(generation if exists(generation) else config, Generation, remedy=REMEDY),
        read_if_there(path / "tokenizer_config.json", TokenizerSettings),
        read_card(path, _LARGEST_README),
    )
