"""Prices, times and dates are equal in both languages when they are read by other rules."""

import re
from pathlib import Path

import numpy as np
import pytest

from model.augmentation.names.language_pair import language_pair_of
from model.augmentation.quantities import KINDS, quantity
from tests.expected import check

PAIRS = {"fr": ("You are here.", "Vous êtes là."), "zh": ("You are here.", "你在这。")}
CURRENCIES = {
    "$": "dollars dollars 美元 $",
    "€": "euros euros 欧元 €",
    "£": "pounds livres 英镑 £",
    "¥": "¥",
    "c": "cents 美分",
    "p": "pence 便士",
    "yuan": "yuan 元",
    "yen": "yen 日元",
    "rupees": "rupees roupies 卢比",
}


def drawn(kind: str, target: str, n: int = 8000) -> list[tuple[str, str]]:
    months = language_pair_of([PAIRS[target]]).month
    random = np.random.default_rng(1)
    return [quantity(kind, target, months, random) for _ in range(n)]


def number(text: str, target: str) -> float:
    """Return the value of the only number in a text, by the rules of the language."""
    [digits] = re.findall(r"-?\d[\d., ]*\d|-?\d", text)
    if target == "fr":
        assert re.fullmatch(r"-?\d{1,3}( \d{3})*(,\d+)?", digits), text
        return float(digits.replace(" ", "").replace(",", "."))
    assert re.fullmatch(r"-?\d{1,3}(,\d{3})*(\.\d+)?", digits), text
    return float(digits.replace(",", ""))


def currency(text: str) -> str:
    """Return the currency whose name is the longest in a text: 日元 and 美元 both contain 元."""
    lengths = {}
    for sign, names in CURRENCIES.items():
        in_text = [len(name) for name in names.split() if name in text]
        if in_text:
            lengths[sign] = max(in_text)
    return min(lengths, key=lambda sign: (-lengths[sign], sign))


@pytest.mark.parametrize("target", ["fr", "zh"])
@pytest.mark.parametrize(
    "kind", ["price", "percent", "amount", "degrees", "decimal", "length", "weight"]
)
def test_both_sides_have_the_same_value(kind: str, target: str) -> None:
    made = [pair for pair in drawn(kind, target) if "illion" not in pair[0]]
    for english, other in made:
        as_in_europe = re.search(r"\d,\d\d(?!\d)", english)
        assert number(english, "fr" if as_in_europe else "en") == number(other, target)
        if kind == "price":
            assert currency(english) == currency(other)
        if kind == "degrees":
            assert english[-1] == other[-1] in "CF"
    assert len(set(made)) > 60


@pytest.mark.parametrize("target", ["fr", "zh"])
def test_a_time_is_the_same_on_both_clocks(target: str) -> None:
    shown = [pair for pair in drawn("time", target, 1000) if ":" in pair[0]]
    assert len(shown) > 500
    for english, other in shown:
        hour, minute, half = re.fullmatch(r"(\d+):(\d\d) ?(\S*)", english).groups()
        late = half.lower().startswith("p")
        if target == "fr":
            there, after = re.fullmatch(r"(\d+) h(?: (\d\d))?", other).groups()
            assert int(there) == (int(hour) % 12 + 12 * late if half else int(hour))
        else:
            day, there, after = re.fullmatch(
                r"(上午|中午|下午|晚上|午夜|)(\d+)点(?:(\d+)分)?", other
            ).groups()
            assert int(there) == int(hour)
            evening = "晚上" if int(hour) > 5 else "下午"
            noon = ("午夜", "中午") if hour == "12" else ("上午", evening)
            assert day == (noon[late] if half else "")
        assert int(after or 0) == int(minute)


@pytest.mark.parametrize(
    ("kind", "target", "wanted"),
    [
        ("time", "fr", "5 o'clock=5 heures|5pm=17 h|5 pm=17 h|noon=midi|midnight=minuit"),
        ("time", "fr", "half past five=cinq heures et demie|one o'clock=une heure"),
        ("time", "fr", "a quarter to six=six heures moins le quart"),
        ("time", "zh", "5 o'clock=5点|5pm=下午5点|half past two=两点半|noon=中午"),
        ("time", "zh", "a quarter to six=差一刻六点|ten to one=差十分一点"),
        ("weekday", "fr", "Monday=lundi"),
        ("weekday", "zh", "Sunday=星期日"),
        ("ordinal", "fr", "2nd=2e|21st=21e|13th=13e|3rd=3e"),
        ("ordinal", "zh", "2nd=第2"),
        ("million", "fr", "3 million=3 millions|1.5 million=1,5 million|2 billion=2 milliards"),
        ("million", "zh", "3 million=300万|1.5 million=150万|2 billion=20亿|150 million=1.5亿"),
        ("speed", "fr", "120 km/h=120 km/h"),
        ("speed", "zh", "120 km/h=每小时120公里"),
    ],
)
def test_forms_that_differ_between_the_languages_are_made(
    kind: str, target: str, wanted: str
) -> None:
    made = {"=".join(pair) for pair in drawn(kind, target, 8000)}
    assert set(wanted.split("|")) <= made


def test_a_price_in_cents_in_millions_and_with_the_comma_of_europe() -> None:
    for target, comma in (("fr", r"\1,\2 €"), ("zh", r"\1.\2欧元")):
        made = drawn("price", target, 2000)
        many = [pair for pair in made if "million" in pair[0]]
        europe = [(m, b) for a, b in made if (m := re.fullmatch(r"€?(\d+),(\d\d)( €)?", a))]
        assert len(many) > 20
        assert len(europe) > 50
        assert all(m.expand(comma) == other for m, other in europe)
        assert any("cents" in a and re.search("cents|美分", b) for a, b in made)
        if target == "fr":
            assert all(re.fullmatch(r"[\d,]+ mill(ion|iard)s? d(e |')\w+", b) for _, b in many)


DATE = re.compile(r"(?:(\w+day), )?(?:the )?(\w+)(?: of)? (\w+)(?:,? (\d{4}))?")


@pytest.mark.parametrize("target", ["fr", "zh"])
def test_a_date_has_its_month_in_words_or_in_figures(target: str) -> None:
    months = dict(language_pair_of([PAIRS[target]]).month)
    spellings = set()
    for source, written_target in drawn("date", target, 1000):
        if re.fullmatch(r"[\d/-]+", source):
            assert source == written_target
            continue
        weekday, first, second, year = DATE.fullmatch(source).groups()
        month, day = (first, second) if first in months else (second, first)
        n = int(re.match(r"\d+", day)[0])
        assert day in (
            str(n),
            f"{n}{['st', 'nd', 'rd'][n % 10 - 1] if n in (1, 2, 3, 21, 22, 23) else 'th'}",
        )
        if target == "fr":
            rest = f"{'1er' if n == 1 else n} {months[month]}" + (f" {year}" if year else "")
        else:
            rest = (f"{year}年" if year else "") + f"{months[month]}{n}日"
        assert rest in written_target
        assert (written_target == rest) == (not weekday)
        spellings.add((bool(weekday), first in months, day.isdigit(), bool(year)))
    assert len(spellings) == 12


@pytest.mark.parametrize("kind", ["email", "phone"])
def test_addresses_are_the_same_in_every_language(kind: str) -> None:
    for target in PAIRS:
        made = drawn(kind, target, 100)
        assert all(english == other for english, other in made)
        assert len(set(made)) > 90
    assert {"price", "time", "percent", "amount", "degrees", "email", "phone"} <= set(KINDS)


def test_the_forms_are_drawn_as_often_as_before() -> None:
    """If a share changes, such as that of prices without a space, some of the lines change."""
    lines = []
    for kind in [*KINDS, "date"]:
        english = [source for source, _ in drawn(kind, "fr", 16)]
        lines.append(f"{kind}: {'; '.join(english)}")
    check(Path(__file__).parent / "expected" / "quantities.txt", lines)
