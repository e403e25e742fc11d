"""Countries, cities, organisations and the like: their names, and what stands before them.

English has one "in"; French says au Japon, en Inde, aux Pays-Bas, à Lyon. Which, its article tells.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_TABLES = Path(__file__).parent / "names" / "slots.json"
_VOWEL = re.compile(r"(?!onze\b)[aeiouøœæ]|y[^aeiou]", re.IGNORECASE)
_CONTRACTED = {"le ": ("au ", "du "), "les ": ("aux ", "des ")}

Forms = Mapping[str, str]


def vowel_first(name: str) -> bool:
    """Whether "de" becomes "d'" before a name."""
    return bool(_VOWEL.match(unicodedata.normalize("NFD", name)))


@cache
def nouns(target: str) -> Mapping[str, list[tuple[str, Forms]]]:
    """Kind of slot -> (English, ending of a slot in the target -> what it writes there).

    Args:
        target: "fr" or "zh". Chinese writes the name alone, and in every place the same.
    """
    tables = json.loads(_TABLES.read_text(encoding="utf-8"))
    of_country = tables["country"]
    tables["one_country"] = [row for row in of_country if not row[1].startswith("les ")]
    return {
        kind: [
            (english, _in_french(kind, french) if target == "fr" else {"": chinese})
            for english, french, chinese in rows
        ]
        for kind, rows in tables.items()
    }


def _in_french(kind: str, name: str) -> Forms:
    if kind == "nationality":
        man, woman = name.split()
        return {"": man, "_f": woman}
    return french_forms(name, city=kind == "city")


def french_forms(name: str, *, city: bool = False) -> Forms:
    """A name with its article, and after "in", "to", "from" and "of".

    >>> french_forms("l'Inde")["_in"], french_forms("le Japon")["_from"]
    ('en Inde', 'du Japon')

    Args:
        name: as a subject, such as "les Pays-Bas", "Cuba" or "Le Caire".
        city: of those without an article all cities want "à", and of the countries the islands.
    """
    article, noun = re.fullmatch(r"([Ll]es? |la |l'|)(.+)", name).groups()  # type: ignore[union-attr]
    vowel = article == "l'" or vowel_first(noun)
    without = f"d'{noun}" if vowel else f"de {noun}"
    if contracted := _CONTRACTED.get(article.lower()):
        to, of = (before + noun for before in contracted)
        in_, from_ = to, of
    else:
        to, of = f"à {name}", f"de {name}" if article else without
        in_, from_ = to if city or not (article or vowel) else f"en {noun}", without
    return {"": name, "_bare": noun, "_in": in_, "_to": to, "_from": from_, "_of": of}
