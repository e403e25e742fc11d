"""Make prices, times, dates and other quantities whose notation differs between languages.

The words are in ``names/quantities.json``, in English, French and Chinese. A row for a currency
begins with its sign. A row for a unit begins with its symbol and ends with its highest value.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from model.augmentation.names.tables import read_table
from model.augmentation.random_choice import Random, draw
from model.corpora.pairs import Pair

Texts = tuple[str, str, str]  # in English, French and Chinese

_TARGETS = ("fr", "zh")
_WORDS = read_table("quantities.json")
_HALVES_OF_DAY = ("a.m.", "am", "AM", "p.m.", "pm", "PM")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ENGLISH_DATES = (  # a form that occurs twice is drawn twice as often
    "{month} {day}",
    "{month} {day}",
    "{month} {day}",
    "{day} {month}",
    "{day} {month}",
    "{day} {month}",
    "{month} {ordinal}",
    "the {ordinal} of {month}",
)


def quantity(kind: str, target: str, months: Sequence[Pair], random: Random) -> Pair:
    """Return a random quantity in English and in the target language.

    Args:
        kind: one of ``KINDS``, or "date".
        target: "fr" or "zh".
        months: the twelve in English and in the target language; only dates need them.
        random: decides which quantity.
    """
    texts = _date(months, random) if kind == "date" else KINDS[kind](random)
    in_source = texts[0]
    in_target = texts[1 + _TARGETS.index(target)]
    return in_source, in_target


def _row(name: str, random: Random) -> Any:
    """Return a random row of one of the lists in ``quantities.json``."""
    return draw(_WORDS[name], random)


def _price(random: Random) -> Texts:
    """Return a price: $1,250.50; 1 250,50 $; 1,250.50美元."""
    value = f"{int(10 ** random.uniform(0, 4)):,}"
    form = random.random()
    if form < 0.1:
        return _small_price(random)
    if form < 0.2:
        return _price_with_comma(random)
    if form < 0.25:
        return _price_in_millions(random)

    if random.random() < 0.6:
        value += f".{random.integers(100):02}"
    sign, english, french, chinese = _row("currencies", random)
    is_one = value == "1" or value.startswith("1.")  # 1 would need a singular noun
    in_words = random.random() < 0.3 and not is_one
    if in_words:
        return f"{value} {english}", f"{_french(value)} {french}", value + chinese
    return sign + value, f"{_french(value)} {sign}", value + chinese


def _small_price(random: Random) -> Texts:
    """Return a small price: 99 cents; 99 cents; 99美分. Or in yen or yuan: ¥500; 500 ¥; ¥500."""
    value = str(random.integers(2, 1000))
    if random.random() < 0.2:
        return f"¥{value}", f"{value} ¥", f"¥{value}"
    english, french, chinese = _row("small_currencies", random)
    return f"{value} {english}", f"{value} {french}", value + chinese


def _price_with_comma(random: Random) -> Texts:
    """Return a price with a decimal comma, as in European English: €3,50; 3,50 €; 3.50欧元."""
    euros = random.integers(1, 1000)
    cents = f"{random.integers(100):02}"
    english = draw((f"€{euros},{cents}", f"{euros},{cents} €"), random)
    return english, f"{euros},{cents} €", f"{euros}.{cents}欧元"


def _price_in_millions(random: Random) -> Texts:
    """Return a price in millions: 3 million dollars; 3 millions de dollars; 300万美元."""
    english_number, french_number, chinese_number = _million(random)
    _, english, french, chinese = _row("currencies", random)
    de = "d'" if french == "euros" else "de "
    return (
        f"{english_number} {english}",
        f"{french_number} {de}{french}",
        chinese_number + chinese,
    )


def _time(random: Random) -> Texts:
    if random.random() < 0.6:
        return _on_a_clock(random)
    if random.random() < 0.5:
        return _in_words(random)
    return _full_hour(random)


def _full_hour(random: Random) -> Texts:
    """Return a full hour: 5 pm; 17 h; 下午5点. Or: 5 o'clock; 5 heures; 5点."""
    hour = int(random.integers(2, 13))
    if random.random() < 0.4:
        return f"{hour} o'clock", f"{hour} heures", f"{hour}点"
    half = draw(_HALVES_OF_DAY, random)
    space = _space_or_none(random)
    english = f"{hour}{space}{half}"
    french = f"{_hour_of_24(hour, half)} h"
    chinese = f"{_chinese_half(hour, half)}{hour}点"
    return english, french, chinese


def _in_words(random: Random) -> Texts:
    """Return a time in words: half past five; cinq heures et demie; 五点半. Or: noon; midi."""
    if random.random() < 0.15:
        english, french, chinese = _row("twelves", random)
        return english, french, chinese
    english, french, chinese = _row("spoken", random)
    english_hour, french_hour, chinese_hour = _row("hours", random)
    return english.format(english_hour), french.format(french_hour), chinese.format(chinese_hour)


def _on_a_clock(random: Random) -> Texts:
    """Return a clock time: 5:30 p.m.; 17 h 30; 下午5点30分."""
    hour = int(random.integers(1, 13))
    minute = int(random.integers(60))
    if random.random() >= 0.5:
        minute = minute // 15 * 15
    half = draw([*_HALVES_OF_DAY, "", ""], random)
    if not half and random.random() < 0.5:
        hour = int(random.integers(24))  # on a 24-hour clock
    has_leading_zero = not half and random.random() < 0.3
    english_hour = f"{hour:02}" if has_leading_zero else str(hour)
    space = _space_or_none(random)

    english = f"{english_hour}:{minute:02}{space}{half}".rstrip()
    french = f"{_hour_of_24(hour, half)} h"
    chinese = f"{_chinese_half(hour, half)}{hour}点"
    if minute:
        french += f" {minute:02}"
        chinese += f"{minute}分"
    return english, french, chinese


def _space_or_none(random: Random) -> str:
    return " " if random.integers(2) else ""


def _hour_of_24(hour: int, half: str) -> int:
    """Convert an hour to the 24-hour clock; an hour without "am" or "pm" is unchanged."""
    if not half:
        return hour
    return hour % 12 + 12 if _is_pm(half) else hour % 12


def _chinese_half(hour: int, half: str) -> str:
    """Return the Chinese word for the time of day that precedes the hour, such as 上午 or 下午."""
    if not half:
        return ""
    if hour == 12:
        return "中午" if _is_pm(half) else "午夜"
    if not _is_pm(half):
        return "上午"
    return "晚上" if hour >= 6 else "下午"


def _is_pm(half: str) -> bool:
    return half.lower().startswith("p")


def _date(months: Sequence[Pair], random: Random) -> Texts:
    """Return a date, with or without year and weekday: May 3, 2019; 3 mai 2019; 2019年5月3日.

    The months are in English and in one target language. Only the text in that language is right;
    the caller drops the other.
    """
    n_month = int(random.integers(0, 12))  # from 0
    day = int(random.integers(1, 29))
    year = int(random.integers(1800, 2100))
    form = random.random()
    if form < 0.07:  # 03/05/2019: written alike in all languages, whether it means May or March
        figures = f"{day:02}/{n_month + 1:02}/{year}"
        return figures, figures, figures
    if form < 0.1:
        figures = f"{year}-{n_month + 1:02}-{day:02}"
        return figures, figures, figures

    english_month, target_month = months[n_month]
    english_form = draw(_ENGLISH_DATES, random)
    english = english_form.format(month=english_month, day=day, ordinal=f"{day}{_th(day)}")
    month_first = english_form.startswith("{month}")
    french = f"{'1er' if day == 1 else day} {target_month}"
    chinese = f"{target_month}{day}日"

    has_year = random.random() < 0.7
    if has_year:
        english += f", {year}" if month_first else f" {year}"
        french += f" {year}"
        chinese = f"{year}年{chinese}"

    if month_first and random.random() < 0.2:
        english_weekday, french_weekday, chinese_weekday = _row("weekdays", random)
        english = f"{english_weekday}, {english}"
        french = f"{french_weekday} {french}"
        chinese += chinese_weekday
    return english, french, chinese


def _th(number: int) -> str:
    """Return the English suffix of an ordinal number below 100, such as "th"."""
    if 10 < number < 14:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _weekday(random: Random) -> Texts:
    """Return a weekday: Monday; lundi; 星期一."""
    english, french, chinese = _row("weekdays", random)
    return english, french, chinese


def _ordinal(random: Random) -> Texts:
    """Return an ordinal number: 3rd; 3e; 第3."""
    value = int(random.integers(2, 100))
    return f"{value}{_th(value)}", f"{value}e", f"第{value}"


def _decimal(random: Random) -> Texts:
    """Return a decimal number: 3.14; 3,14; 3.14."""
    value = f"{random.integers(100)}.{random.integers(1, 1000)}"
    return value, _french(value), value


def _million(random: Random) -> Texts:
    """Return a number of millions: 3 million; 3 millions; 300万. (万 = 10⁴, 亿 = 10⁸.)"""
    english, french, n_ten_thousands = _row("millions", random)
    if random.random() < 0.4:
        tenths = int(random.integers(11, 100))
    else:
        tenths = int(random.integers(2, 200) * 10)
    value = f"{tenths / 10:g}"
    plural = "s" if tenths >= 20 else ""

    ten_thousands = tenths * n_ten_thousands // 10
    if ten_thousands < 10_000:
        chinese = f"{ten_thousands}万"
    else:
        chinese = f"{ten_thousands / 10_000:g}亿"
    return f"{value} {english}", f"{_french(value)} {french}{plural}", chinese


def _measured(units: str, random: Random) -> Texts:
    """Return a measurement: 50 km or 50 kilometers; 50 km or 50 kilomètres; 50公里.

    Args:
        units: "lengths", "weights" or "speeds".
        random: decides which.
    """
    symbol, english, french, chinese, highest = _row(units, random)
    value = f"{random.integers(2, highest):,}"
    if random.random() < 0.2:
        value += f".{random.integers(1, 10)}"
    in_words = random.random() < 0.4
    if in_words:
        return f"{value} {english}", f"{_french(value)} {french}", chinese.format(value)
    space = " " if random.random() < 0.7 else ""
    return f"{value}{space}{symbol}", f"{_french(value)} {symbol}", chinese.format(value)


def _percent(random: Random) -> Texts:
    """Return a percentage: 12.5%; 12,5 %; 12.5%."""
    value = str(random.integers(2, 101))
    if random.random() < 0.3:
        value += f".{random.integers(1, 10)}"
    return f"{value}%", f"{_french(value)} %", f"{value}%"


def _amount(random: Random) -> Texts:
    """Return a large number: 1,250,000; 1 250 000; 1,250,000."""
    n_digits = int(random.integers(4, 10))
    unit = 10 ** int(random.integers(n_digits - 1))  # the amount is rounded to a multiple of this
    amount = random.integers(10 ** (n_digits - 1), 10**n_digits) // unit * unit
    value = f"{amount:,}"
    return value, _french(value), value


def _degrees(random: Random) -> Texts:
    """Return a temperature: 25°C; 25 °C; 25°C."""
    value = random.integers(-30, 45)
    scale = draw("CF", random)
    return f"{value}°{scale}", f"{value} °{scale}", f"{value}°{scale}"


def _email(random: Random) -> Texts:
    """Return an e-mail address, which is identical in every language."""
    name = "".join(random.choice(list(_LETTERS), random.integers(3, 9)))
    number = str(random.integers(100))
    if random.random() < 0.4:
        name += number
    address = f"{name}@{_row('domains', random)}"
    return address, address, address


def _phone(random: Random) -> Texts:
    """Return a phone number, identical in every language: 555-0123 or +44 20 7946 0123."""
    form = draw(("5##-####", "0# ## ## ## ##", "+## ## #### ####", "1##########"), random)
    number = "".join(str(random.integers(10)) if c == "#" else c for c in form)
    return number, number, number


def _french(value: str) -> str:
    """Write a number in French: a comma before the decimals, spaces between thousands."""
    return value.replace(",", " ").replace(".", ",")


# All kinds except "date", which needs the names of the months.
KINDS: Mapping[str, Callable[[Random], Texts]] = {
    "price": _price,
    "time": _time,
    "percent": _percent,
    "weekday": _weekday,
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
