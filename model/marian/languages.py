"""Which languages a MarianMT model reads and writes."""

from __future__ import annotations

import re

from model.marian.folder import MarianFolder

Code = str | None
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


def languages_of(folder: MarianFolder) -> tuple[Code, Code]:
    """Source and target, such as "en" and "fr"; None where a side is not known, or is a group.

    The tokenizer's settings say it, or else the name of the model.
    """
    said = folder.languages.source_lang, folder.languages.target_lang
    if not any(said):
        found = _NAME.fullmatch(folder.name)
        said = (found[1], found[2]) if found else (None, None)
    source, target = map(_code, said)
    return source, target


def _code(said: Code) -> Code:
    if said is None or said in _GROUPS or not _CODE.fullmatch(said):
        return None
    return _SHORT.get(said, said)
