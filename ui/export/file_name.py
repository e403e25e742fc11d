"""Names of saved files, which describe their content."""

import unicodedata
from collections.abc import Mapping

_MAX_SENTENCE = 30  # characters of a sentence in a name
_MAX_PART = 60  # characters of any other part; systems allow 255 bytes for the whole name
_NUMBERED = ("layer", "head")  # fields whose name is written before the value


def file_stem(name: str, about: Mapping[str, object]) -> str:
    """Return the name of a figure's files, without a suffix.

    Args:
        name: of the figure on its page.
        about: the description of the figure, see ``ui.export.figure``.

    >>> file_stem("map", {"checkpoint": "en-fr", "sentence": "I see a cat.", "attention": "cross",
    ...                   "layer": 3, "head": 2})
    'map_cross_layer-3_head-2_I-see-a-cat_en-fr'
    """
    parts = [slug(name)]
    for field in ("page", "attention"):
        if isinstance(about.get(field), str):
            parts.append(slug(str(about[field])))
    for field in _NUMBERED:
        if about.get(field, "all") != "all":
            parts.append(slug(f"{field} {about[field]}"))
    parts.append(slug(_first_words(str(about.get("sentence", "")))))
    parts.append(slug(str(about.get("checkpoint", ""))))
    return "_".join(part for part in parts if part)


def slug(text: str) -> str:
    """Return a text with only letters and digits of any script, separated by hyphens.

    >>> slug(" Où est-il ? "), slug("我看见 a cat。"), slug("../x"), slug("?")
    ('Où-est-il', '我看见-a-cat', 'x', '')
    """
    letters = [
        character if unicodedata.category(character)[0] in "LMN" else " "
        for character in unicodedata.normalize("NFC", text[: 4 * _MAX_PART])
    ]
    return "-".join("".join(letters).split())[:_MAX_PART].strip("-")


def _first_words(sentence: str) -> str:
    """Return the first words of a sentence. Only a very long first word is cut."""
    if len(sentence) <= _MAX_SENTENCE:
        return sentence
    words = sentence[: _MAX_SENTENCE + 1]
    return words.rpartition(" ")[0] or words[:_MAX_SENTENCE]
