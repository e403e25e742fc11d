"""Names of countries, cities and the like in English, French and Chinese, with French articles."""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from model.augmentation.names.tables import read_table

Forms = Mapping[str, str]  # ending of a slot, such as "_in" for {country_in} -> its text

_ARTICLE_AND_NOUN = re.compile(r"([Ll]es? |la |l'|)(.+)")
# No elision before "onze". The letter y acts as a vowel before a consonant: "d'Yves", but "de
# Yuki".
_VOWEL = re.compile(r"(?!onze\b)[aeiouøœæ]|y[^aeiou]", re.IGNORECASE)
_CONTRACTED = {"le ": ("au ", "du "), "les ": ("aux ", "des ")}  # à + le, de + le


@cache
def nouns(target: str) -> Mapping[str, list[tuple[str, Forms]]]:
    """Return all nouns of ``slots.json`` by kind.

    English has one "in". French says au Japon, en Inde, aux Pays-Bas, à Lyon; the article decides.
    Chinese writes the name alone. So a noun has a form for each ending of a slot: ``{country_in}``
    becomes "au Japon".

    Args:
        target: language of the targets, "fr" or "zh".

    Returns:
        Kind of the noun, such as "country" -> its nouns: (English, forms in the target language).
    """
    table = read_table("slots.json")
    # for templates with a verb in the singular
    table["one_country"] = [row for row in table["country"] if not row[1].startswith("les ")]
    return {
        kind: [
            (english, _forms(kind, french, chinese, target)) for english, french, chinese in rows
        ]
        for kind, rows in table.items()
    }


def _forms(kind: str, french: str, chinese: str, target: str) -> Forms:
    """Return the forms of a noun in the target language.

    Args:
        kind: what the noun names, such as "nationality" or "city".
        french: the French noun; for a nationality, its masculine and feminine forms with a space
            between.
        chinese: the Chinese noun.
        target: the target language, "fr" or "zh".

    Returns:
        Each form by the suffix of its slot: "" for the basic form, "_f" for the feminine form.
    """
    if target != "fr":
        return {"": chinese}
    if kind == "nationality":
        masculine, feminine = french.split()
        return {"": masculine, "_f": feminine}
    return french_forms(french, city=kind == "city")


def french_forms(name: str, *, city: bool = False) -> Forms:
    """Return a French name and its forms after "in", "to", "from" and "of".

    For "in", every city without an article has "à". So has every country that has no article and
    begins with a consonant: these countries are islands.

    Args:
        name: with its article, such as "les Pays-Bas", or without one, such as "Cuba".
        city: whether it is the name of a city.

    Returns:
        Each form by the ending of its slot: "" for the name itself, "_bare" without its article,
        and with their prepositions "_in", "_to", "_from" and "_of".

    >>> french_forms("l'Inde")["_in"], french_forms("le Japon")["_from"]
    ('en Inde', 'du Japon')
    """
    match = _ARTICLE_AND_NOUN.fullmatch(name)
    assert match
    article, noun = match.groups()
    vowel = article == "l'" or begins_with_vowel(noun)
    de_noun = f"d'{noun}" if vowel else f"de {noun}"

    contracted = _CONTRACTED.get(article.lower())
    if contracted:
        a_article, de_article = contracted
        to = a_article + noun
        with_de = de_article + noun
        in_ = to
        from_ = with_de
    else:
        to = f"à {name}"
        with_de = f"de {name}" if article else de_noun
        in_ = f"en {noun}" if (article or vowel) and not city else to
        from_ = de_noun
    return {"": name, "_bare": noun, "_in": in_, "_to": to, "_from": from_, "_of": with_de}


def begins_with_vowel(name: str) -> bool:
    """Return whether "de" becomes "d'" before a name."""
    return bool(_VOWEL.match(unicodedata.normalize("NFD", name)))
