"""Prices, times, dates and other numbers that each language writes in a way of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from model.data.corpus import Pair

Random = np.random.Generator

# Sign, and its name in English, French and Chinese.
_CURRENCIES = (
    ("$", "dollars", "dollars", "美元"),
    ("€", "euros", "euros", "欧元"),
    ("£", "pounds", "livres", "英镑"),
)
_HALVES = {"a.m.": "上午", "am": "上午", "AM": "上午", "p.m.": "下午", "pm": "下午", "PM": "下午"}
_DOMAINS = ("example.com", "mail.com", "school.edu", "test.org", "city.gov", "uni.fr", "web.cn")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def quantity(kind: str, target: str, months: Sequence[Pair], random: Random) -> Pair:
    """One of ``KINDS`` as English writes it, and as the target language does.

    Args:
        kind: such as "price".
        target: "fr" or "zh".
        months: the twelve in both languages.
        random: decides which.
    """
    return _date(target, months, random) if kind == "date" else KINDS[kind](target, random)


def _price(target: str, random: Random) -> Pair:
    """$1,250.50; 1 250,50 $; 1,250.50美元."""
    value = f"{int(10 ** random.uniform(0, 4)):,}"
    if random.random() < 0.6:
        value += f".{random.integers(100):02}"
    sign, english, french, chinese = _CURRENCIES[random.integers(len(_CURRENCIES))]
    spelled = random.random() < 0.3 and not value.startswith("1.") and value != "1"
    there = {"fr": f"{_french(value)} {french if spelled else sign}", "zh": value + chinese}
    return f"{value} {english}" if spelled else sign + value, there[target]


def _time(target: str, random: Random) -> Pair:
    """5:30 p.m.; 17 h 30; 下午5点30分."""
    hour, minute = int(random.integers(1, 12)), int(random.integers(60))
    minute = minute if random.random() < 0.5 else minute // 15 * 15
    half = [*_HALVES, "", ""][random.integers(len(_HALVES) + 2)]
    if not half and random.random() < 0.5:
        hour += 12  # as a clock of 24 hours has it
    late = hour + 12 * half.lower().startswith("p")
    there = {
        "fr": f"{late} h {minute:02}" if minute else f"{late} h",
        "zh": f"{_HALVES.get(half, '')}{hour}点" + (f"{minute}分" if minute else ""),
    }
    return f"{hour}:{minute:02} {half}".rstrip(), there[target]


def _date(target: str, months: Sequence[Pair], random: Random) -> Pair:
    """May 3, 2019; 3 mai 2019; 2019年5月3日."""
    month, day, year = (
        int(random.integers(12)),
        int(random.integers(1, 29)),
        random.integers(1800, 2100),
    )
    english, other = months[month]
    here = (f"{english} {day}, {year}", f"{day} {english} {year}")[random.integers(2)]
    first = "1er" if day == 1 else str(day)
    return here, f"{first} {other} {year}" if target == "fr" else f"{year}年{other}{day}日"


def _percent(target: str, random: Random) -> Pair:
    """12.5%; 12,5 %; 12.5%."""
    value = str(random.integers(2, 101))
    if random.random() < 0.3:
        value += f".{random.integers(1, 10)}"
    return f"{value}%", f"{_french(value)} %" if target == "fr" else f"{value}%"


def _amount(target: str, random: Random) -> Pair:
    """1,250,000; 1 250 000; 1,250,000."""
    digits = int(random.integers(4, 10))
    round_to = 10 ** int(random.integers(digits - 1))
    value = f"{random.integers(10 ** (digits - 1), 10**digits) // round_to * round_to:,}"
    return value, _french(value) if target == "fr" else value


def _degrees(target: str, random: Random) -> Pair:
    """25°C; 25 °C; 25°C."""
    value, scale = random.integers(-30, 45), "CF"[random.integers(2)]
    return f"{value}°{scale}", f"{value}{' ' * (target == 'fr')}°{scale}"


def _email(target: str, random: Random) -> Pair:  # noqa: ARG001
    """The same in every language."""
    name = "".join(random.choice(list(_LETTERS), random.integers(3, 9)))
    number = str(random.integers(100)) * (random.random() < 0.4)
    address = f"{name}{number}@{_DOMAINS[random.integers(len(_DOMAINS))]}"
    return address, address


def _phone(target: str, random: Random) -> Pair:  # noqa: ARG001
    """The same in every language: 555-0123, 06 12 34 56 78, +44 20 7946 0123."""
    form = ("5##-####", "0# ## ## ## ##", "+## ## #### ####", "1##########")[random.integers(4)]
    number = "".join(str(random.integers(10)) if c == "#" else c for c in form)
    return number, number


def _french(value: str) -> str:
    """A comma before the decimals, and spaces between thousands."""
    return value.replace(",", " ").replace(".", ",")


# And "date", which needs the names of the months.
KINDS: Mapping[str, Callable[[str, Random], Pair]] = {
    "price": _price,
    "time": _time,
    "percent": _percent,
    "amount": _amount,
    "degrees": _degrees,
    "email": _email,
    "phone": _phone,
}
