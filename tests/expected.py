"""Compare what a test has seen with a short text file that a person can read quickly.

``APPROVE=1 pytest FILE`` writes the files again. Read the difference before you commit it. If a
comparison fails, its message says this, too.
"""

import difflib
import os
import re
import textwrap
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

MAX_LINES = 40
MAX_COLUMNS = 100
REMEDY = "If you meant this, run the test again with APPROVE=1, and read the file that it writes."

_NUMBER = re.compile(r"(?<![\w.])[-−+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])")


def check(path: Path, lines: Sequence[str]) -> None:
    """Fail if the lines differ from those of the file, or if there is no such file.

    The last digit of a decimal number may differ by one, because processors round differently.

    Args:
        path: a text file.
        lines: what the test has seen. A long line is continued on the next line.
    """
    lines = [part for line in lines for part in _wrapped(line)]
    if os.environ.get("APPROVE"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert len(lines) <= MAX_LINES, f"{path.name} has {len(lines)} lines: nobody reads them"

    if not path.exists():
        raise AssertionError(f"there is no file {path.name} yet. {REMEDY}")
    expected = path.read_text(encoding="utf-8").splitlines()
    if not _same(" ".join(expected), " ".join(lines)):
        difference = "\n".join(
            difflib.unified_diff(expected, lines, "expected", "seen", lineterm="")
        )
        raise AssertionError(f"{path.name}\n{difference}\n{REMEDY}")


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(line, MAX_COLUMNS, subsequent_indent=f"{indent}    ")


def _same(expected: str, seen: str) -> bool:
    """Compare without line breaks: a number with one more digit may move them."""
    if _NUMBER.sub("#", " ".join(expected.split())) != _NUMBER.sub("#", " ".join(seen.split())):
        return False
    pairs = zip(_NUMBER.findall(expected), _NUMBER.findall(seen), strict=True)
    return all(_near(first, second) for first, second in pairs)


def _near(first: str, second: str) -> bool:
    """Compare two numbers, of which the last digit may differ by one."""
    first_number = Decimal(first.replace("−", "-"))
    second_number = Decimal(second.replace("−", "-"))
    # the exponent of the last digit: -2 for 0.12, 1 for 1.2e+02, 0 for 12
    last_digit = max(first_number.as_tuple().exponent, second_number.as_tuple().exponent)
    is_whole = last_digit == 0 and "e" not in first
    return (
        first_number == second_number
        if is_whole
        else abs(first_number - second_number) <= Decimal(10) ** last_digit
    )
