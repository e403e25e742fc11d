"""What was looked at once stays as it was, but for changes that are meant.

`APPROVE=1 make tests` writes the files again; what changed in them is read by whoever changed it.
"""

import difflib
import os
import re
from collections.abc import Sequence
from pathlib import Path

_NUMBER = re.compile(r"(?<![#\w])[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?:px)?")
_PLACE = re.compile(r"(?<=[\s,{}\[\]()])")


def check(path: Path, lines: Sequence[str]) -> None:
    """The lines are those of the file, but for pixels and for what a processor rounds."""
    lines = [line.rstrip() for line in lines]
    if os.environ.get("APPROVE"):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    approved = path.read_text(encoding="utf-8").splitlines()
    a, b = ([_NUMBER.sub("#", line) for line in some] for some in (approved, lines))
    parts = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    told = [(approved[i:j], lines[k:m]) for kind, i, j, k, m in parts if kind != "equal"]
    if a == b:
        pairs = zip(approved, lines, strict=True)
        told = [([one], [other]) for one, other in pairs if not _near(one, other)]
    assert not told, "\n".join(f"approved: {one}\nshown: {other}" for one, other in told)


def changed(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """What has come, each part after the number of the line where it stands; and how many went."""
    found = []
    for kind, i, j, k, m in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
        if kind == "replace" and j - i == m - k:
            parts = [f"{n} {_middle(before[n], after[n - i + k])}" for n in range(i, j)]
            found.append(" ¦ ".join(parts))
        elif kind != "equal":
            found += [f"{i} for {j - i}:", *after[k:m]]
    return found


def _middle(before: str, after: str) -> str:
    """What stands between the words with which both begin and those with which both end.

    A number that is not whole ends them: its last digit may be another processor's.
    """
    a, b = (_PLACE.split(line) for line in (before, after))
    first = _same(a, b)
    last = _same(a[first:][::-1], b[first:][::-1])
    return "".join(b[first : len(b) - last])


def _same(a: Sequence[str], b: Sequence[str]) -> int:
    pairs = enumerate(zip(a, b, strict=False))
    ends = (n for n, (one, other) in pairs if one != other or re.search(r"\d\.\d", one))
    return next(ends, min(len(a), len(b)))


def _near(one: str, other: str) -> bool:
    """Numbers within 2 % and a hundredth, pixels within three more."""
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(
        abs(_number(a) - _number(b)) <= 0.011 + 0.02 * abs(_number(a)) + 3 * ("px" in a)
        for a, b in pairs
    )


def _number(text: str) -> float:
    return float(text.removesuffix("px").replace("−", "-"))
