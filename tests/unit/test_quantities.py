"""Prices, times and dates in both languages: read back by rules of their own, they say the same."""

import re

import numpy as np
import pytest

from model.data.language_pair import language_pair_of
from model.data.quantities import KINDS, quantity

PAIRS = {"fr": ("You are here.", "Vous êtes là."), "zh": ("You are here.", "你在这。")}
CURRENCIES = {"$": "dollars 美元 $", "€": "euros 欧元 €", "£": "pounds livres 英镑 £"}


def drawn(kind: str, target: str, n: int = 400) -> list[tuple[str, str]]:
    months, random = language_pair_of([PAIRS[target]]).month, np.random.default_rng(1)
    return [quantity(kind, target, months, random) for _ in range(n)]


def number(text: str, target: str) -> float:
    """The value of the one number in a text, as that language writes it."""
    [found] = re.findall(r"-?\d[\d., ]*\d|-?\d", text)
    if target == "fr":
        assert re.fullmatch(r"-?\d{1,3}( \d{3})*(,\d+)?", found), text
        return float(found.replace(" ", "").replace(",", "."))
    assert re.fullmatch(r"-?\d{1,3}(,\d{3})*(\.\d+)?", found), text
    return float(found.replace(",", ""))


def currency(text: str) -> str:
    [sign] = [sign for sign, names in CURRENCIES.items() if any(n in text for n in names.split())]
    return sign


@pytest.mark.parametrize("target", ["fr", "zh"])
@pytest.mark.parametrize("kind", ["price", "percent", "amount", "degrees"])
def test_both_sides_have_the_same_value(kind: str, target: str) -> None:
    made = drawn(kind, target)
    for english, other in made:
        assert number(english, "en") == number(other, target)
        if kind == "price":
            assert currency(english) == currency(other)
        if kind == "degrees":
            assert english[-1] == other[-1] in "CF"
    assert len(set(made)) > 60


@pytest.mark.parametrize("target", ["fr", "zh"])
def test_a_time_is_the_same_on_both_clocks(target: str) -> None:
    for english, other in drawn("time", target):
        hour, minute, half = re.fullmatch(r"(\d+):(\d\d) ?(\S*)", english).groups()
        late = half.lower().startswith("p")
        if target == "fr":
            there, after = re.fullmatch(r"(\d+) h(?: (\d\d))?", other).groups()
            assert int(there) == int(hour) + 12 * late
        else:
            day, there, after = re.fullmatch(r"(上午|下午|)(\d+)点(?:(\d+)分)?", other).groups()
            assert int(there) == int(hour)
            assert day == ("下午" if late else "上午" if half else "")
        assert int(after or 0) == int(minute)


def test_a_date_has_its_month_in_words_or_in_figures() -> None:
    english = dict(language_pair_of([PAIRS["fr"]]).month)
    for one, other in drawn("date", "fr"):
        day, month, year = other.split()
        there = "1" if day == "1er" else day
        [own] = [name for name, written in english.items() if written == month]
        assert one in (f"{own} {there}, {year}", f"{there} {own} {year}")
    months = [name for name, _ in language_pair_of([PAIRS["zh"]]).month]
    for one, other in drawn("date", "zh"):
        year, month, day = map(int, re.fullmatch(r"(\d+)年(\d+)月(\d+)日", other).groups())
        own = months[month - 1]
        assert one in (f"{own} {day}, {year}", f"{day} {own} {year}")


@pytest.mark.parametrize("kind", ["email", "phone"])
def test_addresses_are_the_same_in_every_language(kind: str) -> None:
    for target in PAIRS:
        made = drawn(kind, target, 100)
        assert all(english == other for english, other in made)
        assert len(set(made)) > 90
    assert set(KINDS) == {"price", "time", "percent", "amount", "degrees", "email", "phone"}
