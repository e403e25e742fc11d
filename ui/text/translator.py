"""The texts of the interface in the visitor's language."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

_HERE = Path(__file__).parent
DEFAULT_LANGUAGE = "en"
# $$a formula of its own$$, or $a formula in a line$ with the mark after it
_FORMULA = re.compile(
    r"\$\$.*?\$\$|\$(?P<inner>[^$\n]+)\$(?P<mark>[,.;:)、，。；：）]?)", re.DOTALL
)
LANGUAGES = tuple(sorted(folder.name for folder in (_HERE / "locales").iterdir()))


@dataclass(frozen=True)
class Translator:
    """The texts of one language; each run has its own, which never changes."""

    language: str  # its code, the name of its folder in locales and in content
    texts: Mapping[str, str]  # key to text; {name} in a text stands for a value

    def __call__(self, key: str, **values: object) -> str:
        """Return the text of ``key`` with values filled in; KeyError if one is missing."""
        if key not in self.texts:
            raise KeyError(f"locale {self.language!r} lacks the text {key!r}")
        return self.texts[key].format_map(values)

    def join(self, sentences: Iterable[str]) -> str:
        """Join sentences into a paragraph: in Chinese without spaces."""
        return ("" if self.language == "zh" else " ").join(sentences)

    def listed(self, items: Iterable[str]) -> str:
        """Join words or numbers into a list: in Chinese with its own comma."""
        return ("、" if self.language == "zh" else ", ").join(items)

    def content(self, name: str) -> str:
        """Return a longer text in Markdown: ``content/<language>/<name>.md``."""
        return (_HERE / "content" / self.language / f"{name}.md").read_text(encoding="utf-8")

    def section(self, name: str, part: str) -> str:
        """Return the section of a longer text with heading ``# part``; KeyError if missing."""
        parts = re.split(r"^# (.+)\n", self.content(name), flags=re.MULTILINE)
        sections = dict(zip(parts[1::2], parts[2::2], strict=True))
        if part not in sections:
            raise KeyError(f"content/{self.language}/{name}.md lacks the part {part!r}")
        return _with_marks_in_formulas(sections[part].strip())


def _with_marks_in_formulas(text: str) -> str:
    """Move a punctuation mark after a formula into it: otherwise a line could begin with the mark.

    >>> print(_with_marks_in_formulas("Let $x$, $y$ and $z$."))
    Let $x\\text{,}$ $y$ and $z\\text{.}$
    >>> _with_marks_in_formulas("$x$、$y$")  # two adjacent dollar signs would mean something else
    '$x\\\\text{、}$\\u200b$y$'
    """

    def moved(formula: re.Match[str]) -> str:
        inner, mark = formula["inner"], formula["mark"]
        between = "\u200b" if text.startswith("$", formula.end()) else ""
        return f"${inner}\\text{{{mark}}}${between}" if mark else formula[0]

    return _FORMULA.sub(moved, text)


@cache
def translator(language: str = DEFAULT_LANGUAGE) -> Translator:
    """Return the translator of a language, with the texts of all files in its folder."""
    texts: dict[str, str] = {}
    for path in sorted((_HERE / "locales" / language).glob("*.json")):
        texts |= json.loads(path.read_text(encoding="utf-8"))
    return Translator(language, MappingProxyType(texts))
