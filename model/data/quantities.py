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
# Hundredths of these, and money that has none.
_SMALL_CURRENCIES = (
    ("cents", "cents", "美分"),
    ("pence", "pence", "便士"),
    ("yuan", "yuans", "元"),
    ("yen", "yens", "日元"),
    ("rupees", "roupies", "卢比"),
)
_HOURS = (
    ("one", "une heure", "一点"),
    ("two", "deux heures", "两点"),
    ("three", "trois heures", "三点"),
    ("four", "quatre heures", "四点"),
    ("five", "cinq heures", "五点"),
    ("six", "six heures", "六点"),
    ("seven", "sept heures", "七点"),
    ("eight", "huit heures", "八点"),
    ("nine", "neuf heures", "九点"),
    ("ten", "dix heures", "十点"),
    ("eleven", "onze heures", "十一点"),
)
# What is said of an hour, such as "half past five".
_SPOKEN = (
    ("{} o'clock", "{}", "{}"),
    ("half past {}", "{} et demie", "{}半"),
    ("a quarter past {}", "{} et quart", "{}一刻"),
    ("ten past {}", "{} dix", "{}十分"),
    ("twenty past {}", "{} vingt", "{}二十分"),
    ("a quarter to {}", "{} moins le quart", "差一刻{}"),
    ("ten to {}", "{} moins dix", "差十分{}"),
    ("{} in the morning", "{} du matin", "早上{}"),
)
_TWELVES = (("noon", "midi", "中午"), ("midnight", "minuit", "午夜"))
_MILLIONS = (("million", "million", 100), ("billion", "milliard", 100_000))
# Unit, its names in English, French and Chinese, and its highest value.
_LENGTHS = (
    ("m", "meters", "mètres", "{}米", 900),
    ("km", "kilometers", "kilomètres", "{}公里", 9000),
    ("cm", "centimeters", "centimètres", "{}厘米", 100),
)
_WEIGHTS = (("kg", "kilos", "kilos", "{}公斤", 200), ("g", "grams", "grammes", "{}克", 900))
_SPEEDS = (("km/h", "kilometers per hour", "kilomètres par heure", "每小时{}公里", 350),)
_HALVES = ("a.m.", "am", "AM", "p.m.", "pm", "PM")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEKDAYS_THERE = {
    "fr": ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    "zh": tuple(f"星期{day}" for day in "一二三四五六日"),
}
_DATES = (0, 0, 0, 1, 1, 1, 2, 3)  # "May 3" and "3 May" are more common than "May 3rd"
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
    """$1,250.50; 1 250,50 $; 1,250.50美元. And €3,50, ¥500, 99 cents, 3 million dollars."""
    value = f"{int(10 ** random.uniform(0, 4)):,}"
    which = random.random()
    if which < 0.1:
        return _small_price(target, random)
    if which < 0.2:
        return _euros_of_europe(target, random)
    if which < 0.25:
        many, others = _million(target, random)
        _, english, french, chinese = _CURRENCIES[random.integers(len(_CURRENCIES))]
        there = {"fr": f"{others} d'euros" if french == "euros" else f"{others} de {french}"}
        there["zh"] = others + chinese
        return f"{many} {english}", there[target]
    if random.random() < 0.6:
        value += f".{random.integers(100):02}"
    sign, english, french, chinese = _CURRENCIES[random.integers(len(_CURRENCIES))]
    spelled = random.random() < 0.3 and not value.startswith("1.") and value != "1"
    there = {"fr": f"{_french(value)} {french if spelled else sign}", "zh": value + chinese}
    return f"{value} {english}" if spelled else sign + value, there[target]


def _small_price(target: str, random: Random) -> Pair:
    """99 cents; 99 cents; 99美分. And ¥500; 500 ¥; ¥500: a yen, or a yuan."""
    value = str(random.integers(2, 1000))
    if random.random() < 0.2:
        return f"¥{value}", f"{value} ¥" if target == "fr" else f"¥{value}"
    english, french, chinese = _SMALL_CURRENCIES[random.integers(len(_SMALL_CURRENCIES))]
    return f"{value} {english}", f"{value} {french}" if target == "fr" else value + chinese


def _euros_of_europe(target: str, random: Random) -> Pair:
    """€3,50 or 3,50 €; 3,50 €; 3.50欧元."""
    whole, cents = random.integers(1, 1000), f"{random.integers(100):02}"
    here = (f"€{whole},{cents}", f"{whole},{cents} €")[random.integers(2)]
    return here, f"{whole},{cents} €" if target == "fr" else f"{whole}.{cents}欧元"


def _time(target: str, random: Random) -> Pair:
    """As a clock shows it, or in words."""
    if random.random() < 0.6:
        return _on_a_clock(target, random)
    return _in_words(target, random) if random.random() < 0.5 else _full_hour(target, random)


def _full_hour(target: str, random: Random) -> Pair:
    """5 pm; 17 h; 下午5点. And 5 o'clock; 5 heures; 5点."""
    hour = int(random.integers(2, 13))
    if random.random() < 0.4:
        return f"{hour} o'clock", f"{hour} heures" if target == "fr" else f"{hour}点"
    half = _HALVES[random.integers(len(_HALVES))]
    space = " " * int(random.integers(2))
    there = f"{_of_24(hour, half)} h" if target == "fr" else f"{_half_there(hour, half)}{hour}点"
    return f"{hour}{space}{half}", there


def _of_24(hour: int, half: str) -> int:
    return hour % 12 + 12 * half.lower().startswith("p") if half else hour


def _half_there(hour: int, half: str) -> str:
    """What Chinese says before the hour: in the morning, at noon, in the evening ..."""
    late = half.lower().startswith("p")
    if hour == 12:
        return "中午" if late else "午夜"
    return ("晚上" if hour >= 6 else "下午") if late else "上午"


def _in_words(target: str, random: Random) -> Pair:
    """half past five; cinq heures et demie; 五点半. And noon; midi; 中午."""
    side = ["fr", "zh"].index(target) + 1
    if random.random() < 0.15:
        twelve = _TWELVES[random.integers(2)]
        return twelve[0], twelve[side]
    said, hour = _SPOKEN[random.integers(len(_SPOKEN))], _HOURS[random.integers(len(_HOURS))]
    return said[0].format(hour[0]), said[side].format(hour[side])


def _on_a_clock(target: str, random: Random) -> Pair:
    """5:30 p.m.; 17 h 30; 下午5点30分."""
    hour, minute = int(random.integers(1, 13)), int(random.integers(60))
    minute = minute if random.random() < 0.5 else minute // 15 * 15
    half = [*_HALVES, "", ""][random.integers(len(_HALVES) + 2)]
    if not half and random.random() < 0.5:
        hour = int(random.integers(24))  # as a clock of 24 hours has it
    shown = f"{hour:02}" if not half and random.random() < 0.3 else str(hour)
    late = _of_24(hour, half)
    there = {
        "fr": f"{late} h {minute:02}" if minute else f"{late} h",
        "zh": f"{_half_there(hour, half) if half else ''}{hour}点"
        + (f"{minute}分" if minute else ""),
    }
    space = " " * int(random.integers(2))
    return f"{shown}:{minute:02}{space}{half}".rstrip(), there[target]


def _date(target: str, months: Sequence[Pair], random: Random) -> Pair:
    """May 3, 2019; 3 mai 2019; 2019年5月3日. With or without the year and the day of the week."""
    n, day, year = (int(random.integers(*range_)) for range_ in ((0, 12), (1, 29), (1800, 2100)))
    which = random.random()
    if which < 0.1:
        figures = f"{day:02}/{n + 1:02}/{year}" if which < 0.07 else f"{year}-{n + 1:02}-{day:02}"
        return figures, figures  # which is the month, only its writer knows
    english, other = months[n]
    th = f"{day}{_th(day)}"
    here = (f"{english} {day}", f"{day} {english}", f"{english} {th}", f"the {th} of {english}")
    written = here[_DATES[random.integers(len(_DATES))]]
    there = f"{'1er' if day == 1 else day} {other}" if target == "fr" else f"{other}{day}日"
    if random.random() < 0.7:
        written += f", {year}" if written.startswith(english) else f" {year}"
        there = f"{there} {year}" if target == "fr" else f"{year}年{there}"
    if written.startswith(english) and random.random() < 0.2:
        weekday, its_name = _weekday(target, random)
        there = f"{its_name} {there}" if target == "fr" else there + its_name
        return f"{weekday}, {written}", there
    return written, there


def _th(day: int) -> str:
    return "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _weekday(target: str, random: Random) -> Pair:
    """Monday; lundi; 星期一."""
    n = random.integers(7)
    return _WEEKDAYS[n], _WEEKDAYS_THERE[target][n]


def _ordinal(target: str, random: Random) -> Pair:
    """3rd; 3e; 第3."""
    value = int(random.integers(2, 100))
    return f"{value}{_th(value)}", f"{value}e" if target == "fr" else f"第{value}"


def _decimal(target: str, random: Random) -> Pair:
    """3.14; 3,14; 3.14."""
    value = f"{random.integers(100)}.{random.integers(1, 1000)}"
    return value, _french(value) if target == "fr" else value


def _million(target: str, random: Random) -> Pair:
    """3 million; 3 millions; 300万."""
    english, french, ten_thousands = _MILLIONS[random.integers(2)]
    tenths = int(
        random.integers(11, 100) if random.random() < 0.4 else random.integers(2, 200) * 10
    )
    value = f"{tenths / 10:g}"
    if target == "fr":
        return f"{value} {english}", f"{_french(value)} {french}{'s' * (tenths >= 20)}"
    many = tenths * ten_thousands // 10
    return f"{value} {english}", f"{many}万" if many < 10_000 else f"{many / 10_000:g}亿"


def _of(units: Sequence[tuple[str, str, str, str, int]]) -> Callable[[str, Random], Pair]:
    def measured(target: str, random: Random) -> Pair:
        """50 km or 50 kilometers; 50 km or 50 kilomètres; 50公里."""
        unit, english, french, chinese, most = units[int(random.integers(len(units)))]
        value = f"{random.integers(2, most):,}"
        if random.random() < 0.2:
            value += f".{random.integers(1, 10)}"
        spelled = random.random() < 0.4
        there = f"{_french(value)} {french if spelled else unit}"
        space = " " * (spelled or random.random() < 0.7)
        here = f"{value}{space}{english if spelled else unit}"
        return here, there if target == "fr" else chinese.format(value)

    return measured


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
    "weekday": _weekday,
    "ordinal": _ordinal,
    "decimal": _decimal,
    "million": _million,
    "length": _of(_LENGTHS),
    "weight": _of(_WEIGHTS),
    "speed": _of(_SPEEDS),
    "amount": _amount,
    "degrees": _degrees,
    "email": _email,
    "phone": _phone,
}
