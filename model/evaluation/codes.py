"""Find codes such as BA2490, whose letters belong to their digits."""

import re

_JOINED = re.compile(r"[A-Za-z0-9]+(?:[-.:][A-Za-z0-9]+)*")  # letters and digits without a space
_CODE = re.compile(
    r"[A-Za-z]\d"  # BA2490
    r"|\d[A-Z](?![A-Za-z])"  # 221B, but not 128GB: French writes 128 Go
    r"|(?<![A-Za-z])[A-Z]{1,4}-\d"  # AB-123, but not COVID-19, which has names in each language
    r"|\d-[A-Z]{1,4}(?![A-Za-z])"  # 4471-B
)
_MIN_CODE = 4  # letters and digits; a shorter code, such as CO2 or G20, may be translated
_MONEY = re.compile(r"[$€£¥]|(?:CHF|CNY|EUR|GBP|JPY|RMB|USD)\d")
_MEASURE = re.compile(r"\d[\d.,]*(?:[CFGKLMTVW]|[a-z]{1,2}[23])")  # 220V, 100m2


def codes_in(word: str) -> list[str]:
    """Return the parts of a word whose letters belong to its digits, as in BA2490.

    The letter of an amount of money is a unit: $100B.
    """
    codes = [] if _MONEY.match(word) else _JOINED.findall(word)
    return [
        re.sub(r"(?<=[A-Z]\d)s$|(?<=\d\d)s$", "", code)  # several: RTX4090s
        for code in codes
        if _CODE.search(code)
        and not _MEASURE.fullmatch(code)
        and sum(map(str.isalnum, code)) >= _MIN_CODE
    ]


def is_written(word: str, text: str) -> bool:
    """Return whether a text contains this word, not as part of a longer one.

    A space between its letters and its digits (221 B) and a decimal comma (PM2,5) are allowed.
    Chinese writes no space before or after it: 是RTX4090的.
    """
    letter = "[A-Za-z0-9À-ɏ]"
    parts = re.split(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Z])", word)
    spaced = r"\s?".join(map(re.escape, parts))  # 221 B, AF 1234
    if word.count(".") == 1:
        spaced = spaced.replace(r"\.", "[.,]")  # PM2,5
    form = rf"(?<!{letter})(?<!\d[-.,]){spaced}(?![-.,]?\d)(?!{letter})"
    return bool(re.search(form, text))
