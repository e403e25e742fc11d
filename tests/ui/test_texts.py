"""Every text of the interface exists, is used, and has all its values."""

import ast
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

from model.heads.kinds import HEAD_KINDS
from model.pictures.offline_page import ENGLISH
from ui.components.attention_grid import _TEXTS
from ui.components.tools import _WORDS
from ui.explorer.writing import _WORDS as _OF_WRITING
from ui.frame.page import LESSONS
from ui.text.translator import LANGUAGES, translator

ROOT = Path(__file__).parents[2]
CONTENT = ROOT / "ui" / "text" / "content"
LOCALES = ROOT / "ui" / "text" / "locales"
SOURCES = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("ui/**/*.py")]


def _asked_for() -> set[re.Pattern[str]]:
    """Return regular expressions of all text keys that the sources ask a translator for.

    They are compiled, because Python remembers only the last 512 that it has compiled.
    """
    others = [*(f"grid.{name}" for name in _TEXTS), *(f"tools.{name}" for name in _WORDS)]
    others += [f"writing.{name}" for name in _OF_WRITING]
    # the last ones are texts of the saved page
    patterns = {re.escape(name) for name in (*others, *ENGLISH)}
    patterns |= {_pattern(key) for key, *_ in _calls("tr")}
    named = [name for call in ("choose_named", "choose_field") for name, *_ in _calls(call)]
    patterns |= {rf"{name.value}\..*" for name in named if isinstance(name, ast.Constant)}
    # a pattern without letters would fit any key
    return {re.compile(pattern) for pattern in patterns if re.search("[a-z]", pattern)}


def _pattern(key: ast.expr) -> str:
    parts = key.values if isinstance(key, ast.JoinedStr) else [key]
    constants = [part.value if isinstance(part, ast.Constant) else None for part in parts]
    assert any(constants), f"a key must be a literal: {ast.unparse(key)}"
    return "".join(".*" if part is None else re.escape(str(part)) for part in constants)


def _calls(name: str) -> list[list[ast.expr]]:
    """Return the arguments of every call of a translator, or of this method of a translator."""
    return [call.args for call in _all_calls() if ast.unparse(call.func) == name]


@cache
def _all_calls() -> list[ast.Call]:
    """Return every call in the sources that has an argument."""
    return [
        node
        for source in SOURCES
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and node.args
    ]


def test_every_key_asked_for_exists_and_no_text_is_unused():
    """The texts of a saved page are those of the app."""
    texts, patterns = translator("en").texts, _asked_for()
    assert [p for p in patterns if not any(map(p.fullmatch, texts))] == []
    assert [key for key in texts if not any(p.fullmatch(key) for p in patterns)] == []
    assert dict(ENGLISH) == {name: texts[name] for name in ENGLISH}


def test_every_kind_of_head_has_its_words():
    """The sources compose these keys, so the test above accepts any text of a kind."""
    parts = ("", ".sign", ".says", ".means")
    asked = {f"kind.{kind}{part}" for kind in HEAD_KINDS for part in parts}
    assert asked == {key for key in translator("en").texts if key.startswith("kind.")}


def _in_parts() -> dict[str, set[str]]:
    """Return name -> sections of each longer text that are asked for."""
    asked = {lesson: {"idea", "try", "tried"} for lesson in LESSONS}
    for name, part in _calls("tr.section"):
        if isinstance(name, ast.Constant):
            asked.setdefault(str(name.value), set()).add(ast.literal_eval(part))
    return asked


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_longer_text_exists_and_all_its_parts_are_used(language):
    whole = {ast.literal_eval(args[0]) for args in _calls("tr.content")}
    asked = _in_parts()
    assert whole | set(asked) == {path.stem for path in (CONTENT / language).glob("*.md")}
    assert all(translator(language).content(name).strip() for name in whole)
    for name, parts in asked.items():
        text = (CONTENT / language / f"{name}.md").read_text(encoding="utf-8")
        assert parts == set(re.findall(r"^# (.+)$", text, flags=re.MULTILINE))
        assert all(translator(language).section(name, part) for part in parts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_texts_in_the_same_files(language):
    assert {"en", "zh"} <= set(LANGUAGES) == {folder.name for folder in CONTENT.iterdir()}
    keys: list[str] = []
    for path in (LOCALES / "en").glob("*.json"):
        other = json.loads((LOCALES / language / path.name).read_text(encoding="utf-8"))
        assert list(other) == list(json.loads(path.read_text(encoding="utf-8"))), path.name
        assert all(text.strip() for text in other.values()), path.name
        keys += other
    assert len(keys) == len(set(keys))
    names = {path.name for path in (LOCALES / language).iterdir()}
    assert names == {path.name for path in (LOCALES / "en").iterdir()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_asterisk_of_markdown_is_shown(language):
    """Markdown shows an asterisk between a punctuation mark inside and a letter outside."""
    longer = [path.read_text(encoding="utf-8") for path in (CONTENT / language).glob("*.md")]
    for text in (*translator(language).texts.values(), *longer):
        filled = re.sub(r"\{\w+\}", "x", re.sub(r"\$[^$]+\$|`[^`]+`", "", text))
        for part in re.finditer(r"(?P<before>.?)(?<!\*)(\*+)([^*\n]+)\2(?P<after>.?)", filled):
            before, _, inside, after = part.groups()
            assert not re.search(r"\w[^\w\s]", before + inside[0]), part.group()
            assert not re.search(r"[^\w\s]\w", inside[-1] + after), part.group()


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_what_to_try_mentions_controls_because_paper_has_none(language):
    control = re.compile(r"\b(?:click|drag|slider|press)|\*play|点击|拖|滑块|播放", re.IGNORECASE)
    for path in (CONTENT / language).glob("*.md"):
        _, *parts = re.split(r"^# (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            assert name in ("try", "tried") or not control.search(text), (path.stem, name)


def _values_named(text: str) -> list[str]:
    """Return the names of the placeholders in a text, each once."""
    return sorted({name for _, name, _, _ in Formatter().parse(text) if name})


def _untranslatable(text: str) -> Counter[str]:
    """Return what is equal in every language: formulas, options of commands, file names."""
    parts = re.findall(r"\$[^$]+\$|--[\w-]+|[\w/]+\.(?:tsv|zip|jsonl)|python -m \w+\.\w+", text)
    return Counter(re.sub(r"\s", "", formula) for formula in parts)


def test_values_formulas_and_commands_are_the_same_in_every_language():
    for language in LANGUAGES:
        other = translator(language).texts
        for key, text in translator("en").texts.items():
            for parts_of in (_values_named, _untranslatable):
                assert parts_of(other[key]) == parts_of(text), key


@pytest.mark.parametrize("name", [path.stem for path in (CONTENT / "en").glob("*.md")])
def test_formulas_of_longer_texts_are_the_same_in_every_language(name):
    """Formulas within a line may have another order, and their words may be translated."""
    formulas_by_language = []
    for language in LANGUAGES:
        text = re.sub(r"\\text\{.+?\}", "", translator(language).content(name))
        formulas = Counter(re.findall(r"\$\$.+?\$\$|\$[^$\n]+\$", text, re.DOTALL))
        formulas_by_language.append((formulas, len(re.findall(r"`[^`]+`", text))))
    assert all(of_language == formulas_by_language[0] for of_language in formulas_by_language)


def test_a_missing_text_or_value_raises_an_error():
    with pytest.raises(KeyError, match=r"no\.such"):
        translator("en")("no.such")
    with pytest.raises(KeyError, match="beam"):
        translator("en")("origin.beam")


def test_sentences_are_joined_as_the_language_does():
    assert translator("en").join(["One.", "Two."]) == "One. Two."
    assert translator("zh").join(["一。", "二。"]) == "一。二。"


def test_a_list_has_the_comma_of_its_language():
    assert translator("en").listed(["a", "b"]) == "a, b"
    assert translator("zh").listed(["a", "b"]) == "a、b"
