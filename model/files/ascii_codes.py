"""Recognise a text in ASCII that encodes other letters: UTF-7, and quoted-printable of e-mail."""

import re

_QUOTED_PRINTABLE = re.compile(r"(?:=[0-9A-F]{2})+")
_UTF_7 = re.compile(r"\+[A-Za-z0-9+/]{3,}-?")
_MIN_CODES_PER_LINE = 0.1  # codes of letters, such as =E9; fewer may be there by chance


def name_of_codes(text: str) -> str:
    """Return "utf_7" or "quoted_printable" if a text in ASCII encodes other letters; else ""."""
    min_codes = max(2, _MIN_CODES_PER_LINE * len(text.splitlines()))
    text = re.sub(r"\S+://\S+", "", text)  # an address may hold ?q=E9
    for name, pattern, decode in (
        ("quoted_printable", _QUOTED_PRINTABLE, _from_quoted_printable),
        ("utf_7", _UTF_7, _from_utf_7),
    ):
        letters = [decode(code) for code in pattern.findall(text)]
        if sum(not each.isascii() for each in letters) >= min_codes:
            return name
    return ""


def _from_quoted_printable(code: str) -> str:
    """Return the letters that a code such as =C3=A9 stands for; "" if there are none."""
    signs = bytes.fromhex(code.replace("=", ""))
    for encoding in ("utf-8", "windows-1252"):
        try:
            return _only_letters(signs.decode(encoding))
        except UnicodeDecodeError:
            continue
    return ""


def _from_utf_7(code: str) -> str:
    """Return the letters that a code such as +AOk- stands for; "" if there are none."""
    try:
        return _only_letters(code.encode().decode("utf-7"))
    except UnicodeDecodeError:
        return ""


def _only_letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))
