"""Prices, times, dates and other numbers that each language writes in a way of its own.

The words are in ``names/quantities.json``, in English, French and Chinese: of a currency after its
sign, of a unit after that, and before its highest value.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from model.augmentation.names import Random, one_of, table
from model.corpora.pairs import Pair

Said = tuple[str, str, str]  # in English, French and Chinese
_TARGETS = ("fr", "zh")
_WORDS = table("quantities.json")
_HALVES = ("a.m.", "am", "AM", "p.m.", "pm", "PM")
_DATES = (0, 0, 0, 1, 1, 1, 2, 3)  # "May 3" and "3 May" are more common than "May 3rd"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def quantity(kind: str, target: str, months: Sequence[Pair], random: Random) -> Pair:
    """One of ``KINDS``, or a "date", as English and as the target, "fr" or "zh", write it."""
    english, *there = _date(months, random) if kind == "date" else KINDS[kind](random)
    return english, there[_TARGETS.index(target)]


def _word(kind: str, random: Random) -> Any:
    return one_of(_WORDS[kind], random)


def _price(random: Random) -> Said:
    """$1,250.50; 1 250,50 $; 1,250.50美元. And €3,50, ¥500, 99 cents, 3 million dollars."""
    value = f"{int(10 ** random.uniform(0, 4)):,}"
    which = random.random()
    if which < 0.1:
        return _small_price(random)
    if which < 0.2:
        return _euros_of_europe(random)
    if which < 0.25:
        many, in_french, in_chinese = _million(random)
        _, english, french, chinese = _word("currencies", random)
        of = "d'" if french == "euros" else "de "
        return f"{many} {english}", f"{in_french} {of}{french}", in_chinese + chinese
    if random.random() < 0.6:
        value += f".{random.integers(100):02}"
    sign, english, french, chinese = _word("currencies", random)
    spelled = random.random() < 0.3 and not value.startswith("1.") and value != "1"
    here = f"{value} {english}" if spelled else sign + value
    return here, f"{_french(value)} {french if spelled else sign}", value + chinese


def _small_price(random: Random) -> Said:
    """99 cents; 99 cents; 99美分. And ¥500; 500 ¥; ¥500: a yen, or a yuan."""
    value = str(random.integers(2, 1000))
    if random.random() < 0.2:
        return f"¥{value}", f"{value} ¥", f"¥{value}"
    english, french, chinese = _word("small_currencies", random)
    return f"{value} {english}", f"{value} {french}", value + chinese


def _euros_of_europe(random: Random) -> Said:
    """€3,50 or 3,50 €; 3,50 €; 3.50欧元."""
    whole, cents = random.integers(1, 1000), f"{random.integers(100):02}"
    here = one_of((f"€{whole},{cents}", f"{whole},{cents} €"), random)
    return here, f"{whole},{cents} €", f"{whole}.{cents}欧元"


def _time(random: Random) -> Said:
    if random.random() < 0.6:
        return _on_a_clock(random)
    return _in_words(random) if random.random() < 0.5 else _full_hour(random)


def _full_hour(random: Random) -> Said:
    """5 pm; 17 h; 下午5点. And 5 o'clock; 5 heures; 5点."""
    hour = int(random.integers(2, 13))
    if random.random() < 0.4:
        return f"{hour} o'clock", f"{hour} heures", f"{hour}点"
    half, space = one_of(_HALVES, random), " " * int(random.integers(2))
    of_24 = _of_24(hour, half)
    return f"{hour}{space}{half}", f"{of_24} h", f"{_chinese_half(hour, half)}{hour}点"


def _of_24(hour: int, half: str) -> int:
    return hour % 12 + 12 * half.lower().startswith("p") if half else hour


def _chinese_half(hour: int, half: str) -> str:
    """What Chinese says before the hour: in the morning, at noon, in the evening ..."""
    if not half:
        return ""
    late = half.lower().startswith("p")
    if hour == 12:
        return "中午" if late else "午夜"
    return ("晚上" if hour >= 6 else "下午") if late else "上午"


def _in_words(random: Random) -> Said:
    """half past five; cinq heures et demie; 五点半. And noon; midi; 中午."""
    if random.random() < 0.15:
        return _word("twelves", random)
    said, hour = _word("spoken", random), _word("hours", random)
    return said[0].format(hour[0]), said[1].format(hour[1]), said[2].format(hour[2])


def _on_a_clock(random: Random) -> Said:
    """5:30 p.m.; 17 h 30; 下午5点30分."""
    hour, minute = int(random.integers(1, 13)), int(random.integers(60))
    minute = minute if random.random() < 0.5 else minute // 15 * 15
    half = one_of([*_HALVES, "", ""], random)
    if not half and random.random() < 0.5:
        hour = int(random.integers(24))  # as a clock of 24 hours has it
    shown = f"{hour:02}" if not half and random.random() < 0.3 else str(hour)
    space = " " * int(random.integers(2))
    english = f"{shown}:{minute:02}{space}{half}".rstrip()
    french = f"{_of_24(hour, half)} h" + (f" {minute:02}" if minute else "")
    chinese = f"{_chinese_half(hour, half)}{hour}点" + (f"{minute}分" if minute else "")
    return english, french, chinese


def _date(months: Sequence[Pair], random: Random) -> Said:
    """May 3, 2019; 3 mai 2019; 2019年5月3日. With or without the year and the day of the week."""
    n, day, year = (int(random.integers(*range_)) for range_ in ((0, 12), (1, 29), (1800, 2100)))
    which = random.random()
    if which < 0.1:  # which is the month, only its writer knows
        figures = f"{day:02}/{n + 1:02}/{year}" if which < 0.07 else f"{year}-{n + 1:02}-{day:02}"
        return figures, figures, figures
    month, other = months[n]
    th = f"{day}{_th(day)}"
    forms = (f"{month} {day}", f"{day} {month}", f"{month} {th}", f"the {th} of {month}")
    english = forms[one_of(_DATES, random)]
    french, chinese = f"{'1er' if day == 1 else day} {other}", f"{other}{day}日"
    if random.random() < 0.7:
        english += f", {year}" if english.startswith(month) else f" {year}"
        french, chinese = f"{french} {year}", f"{year}年{chinese}"
    if english.startswith(month) and random.random() < 0.2:
        weekday, jour, xingqi = _word("weekdays", random)
        return f"{weekday}, {english}", f"{jour} {french}", chinese + xingqi
    return english, french, chinese


def _th(day: int) -> str:
    return "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _ordinal(random: Random) -> Said:
    """3rd; 3e; 第3."""
    value = int(random.integers(2, 100))
    return f"{value}{_th(value)}", f"{value}e", f"第{value}"


def _decimal(random: Random) -> Said:
    """3.14; 3,14; 3.14."""
    value = f"{random.integers(100)}.{random.integers(1, 1000)}"
    return value, _french(value), value


def _million(random: Random) -> Said:
    """3 million; 3 millions; 300万."""
    english, french, ten_thousands = _word("millions", random)
    a_decimal = random.random() < 0.4
    tenths = int(random.integers(11, 100) if a_decimal else random.integers(2, 200) * 10)
    value, many = f"{tenths / 10:g}", tenths * ten_thousands // 10
    return (
        f"{value} {english}",
        f"{_french(value)} {french}{'s' * (tenths >= 20)}",
        f"{many}万" if many < 10_000 else f"{many / 10_000:g}亿",
    )


def _measured(units: str, random: Random) -> Said:
    """50 km or 50 kilometers; 50 km or 50 kilomètres; 50公里."""
    unit, english, french, chinese, most = _word(units, random)
    value = f"{random.integers(2, most):,}"
    if random.random() < 0.2:
        value += f".{random.integers(1, 10)}"
    spelled = random.random() < 0.4
    space = " " * (spelled or random.random() < 0.7)
    here = f"{value}{space}{english if spelled else unit}"
    return here, f"{_french(value)} {french if spelled else unit}", chinese.format(value)


def _percent(random: Random) -> Said:
    """12.5%; 12,5 %; 12.5%."""
    value = str(random.integers(2, 101))
    if random.random() < 0.3:
        value += f".{random.integers(1, 10)}"
    return f"{value}%", f"{_french(value)} %", f"{value}%"


def _amount(random: Random) -> Said:
    """1,250,000; 1 250 000; 1,250,000."""
    digits = int(random.integers(4, 10))
    round_to = 10 ** int(random.integers(digits - 1))
    value = f"{random.integers(10 ** (digits - 1), 10**digits) // round_to * round_to:,}"
    return value, _french(value), value


def _degrees(random: Random) -> Said:
    """25°C; 25 °C; 25°C."""
    value, scale = random.integers(-30, 45), one_of("CF", random)
    return f"{value}°{scale}", f"{value} °{scale}", f"{value}°{scale}"


def _email(random: Random) -> Said:
    """The same in every language."""
    name = "".join(random.choice(list(_LETTERS), random.integers(3, 9)))
    number = str(random.integers(100)) * (random.random() < 0.4)
    address = f"{name}{number}@{_word('domains', random)}"
    return address, address, address


def _phone(random: Random) -> Said:
    """The same in every language: 555-0123, 06 12 34 56 78, +44 20 7946 0123."""
    form = one_of(("5##-####", "0# ## ## ## ##", "+## ## #### ####", "1##########"), random)
    number = "".join(str(random.integers(10)) if c == "#" else c for c in form)
    return number, number, number


def _french(value: str) -> str:
    """A comma before the decimals, and spaces between thousands."""
    return value.replace(",", " ").replace(".", ",")


# And "date", which needs the names of the months.
KINDS: Mapping[str, Callable[[Random], Said]] = {
    "price": _price,
    "time": _time,
    "percent": _percent,
    "weekday": partial(_word, "weekdays"),
    "ordinal": _ordinal,
    "decimal": _decimal,
    "million": _million,
    "length": partial(_measured, "lengths"),
    "weight": partial(_measured, "weights"),
    "speed": partial(_measured, "speeds"),
    "amount": _amount,
    "degrees": _degrees,
    "email": _email,
    "phone": _phone,
}
