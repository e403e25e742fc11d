"""The languages of a Hub model, from its tokenizer settings or from its name."""

import re
from pathlib import Path
from typing import Any

import msgspec

from model.corpora.pairs import Languages
from model.files.json_file import read_json
from model.files.regular_file import exists

_TOKENIZER_SETTINGS = "tokenizer_config.json"
_OPUS_NAME = re.compile(r"opus-mt(?:-tc-(?:base|big))?-([a-z]{2,3})-([a-z]{2,3})")
_CODE = re.compile(r"[a-z]{2,3}")
_TRANSLATION_TASK = re.compile(r"translation_([a-z]{2,3})_to_([a-z]{2,3})")
_SHORT = {  # ISO 639-3 to 639-1, by which the app and browsers know languages
    "ara": "ar", "arb": "ar", "ces": "cs", "cmn": "zh", "deu": "de", "ell": "el", "eng": "en",
    "fin": "fi", "fra": "fr", "heb": "he", "hin": "hi", "hun": "hu", "ita": "it", "jpn": "ja",
    "kor": "ko", "nld": "nl", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "spa": "es",
    "swe": "sv", "tur": "tr", "ukr": "uk", "vie": "vi", "zho": "zh",
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


class _TokenizerSettings(msgspec.Struct, frozen=True):
    """The languages in ``tokenizer_config.json``."""

    source_lang: str | None = None  # MarianMT
    target_lang: str | None = None
    src_lang: str | None = None  # models of many languages
    tgt_lang: str | None = None


def read_languages(folder: Path) -> Languages:
    """Return the source and the target language. None: unknown, or a group of languages.

    Raises:
        CheckpointError: the settings of the tokenizer are damaged.
    """
    path = folder / _TOKENIZER_SETTINGS
    settings = _TokenizerSettings()
    if exists(path):
        settings = read_json(path, _TokenizerSettings, remedy="Get the whole folder again.")
    source = settings.source_lang or settings.src_lang
    target = settings.target_lang or settings.tgt_lang
    name = _OPUS_NAME.fullmatch(_hub_name(folder))
    if not source and not target and name:
        source, target = name[1], name[2]
    return short_code(source), short_code(target)


def translation_prefixes(tasks: Any) -> dict[str, Languages]:
    """Return T5's prompts for translating, with the languages of each prompt.

    Args:
        tasks: ``task_specific_params`` of ``config.json``, of any content.

    >>> translation_prefixes({"translation_en_to_de": {"prefix": "translate English to German: "}})
    {'translate English to German: ': ('en', 'de')}
    """
    languages_of_prefix: dict[str, Languages] = {}
    if isinstance(tasks, dict):
        for task, settings in tasks.items():
            languages = _TRANSLATION_TASK.fullmatch(task)
            prefix = settings.get("prefix") if isinstance(settings, dict) else None
            if languages and isinstance(prefix, str) and prefix.strip():
                source, target = languages.groups()
                languages_of_prefix[prefix] = short_code(source), short_code(target)
    return languages_of_prefix


def short_code(language: str | None) -> str | None:
    """Return the short form of a language code of a model; None if it is not known.

    >>> languages = ("fra", "fra_Latn", "fr_XX", "__fr__", ">>fra<<", "gem")
    >>> [short_code(language) for language in languages]
    ['fr', 'fr', 'fr', 'fr', 'fr', None]
    """
    if language is None:
        return None
    code = language.strip("_<>").split("_")[0]
    if code in _GROUPS or not _CODE.fullmatch(code):
        return None
    return _SHORT.get(code, code)


def code_asked(text: str) -> str | None:
    """Return the target language code at the beginning of a source; None without a code.

    >>> code_asked(">>fra<< I see a cat.")
    '>>fra<<'
    """
    end = text.find("<<") if text.startswith(">>") else -1
    return None if end < 0 else text[: end + 2]


def _hub_name(folder: Path) -> str:
    """Return the name of a folder, or the model's name if the folder is in the Hub cache."""
    path = folder.resolve()
    is_cached = path.parent.name == "snapshots" and path.parents[1].name.startswith("models--")
    return path.parents[1].name.rpartition("--")[2] if is_cached else path.name
