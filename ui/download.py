"""The shown numbers as files that say what they are."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt


def as_csv(
    weights: npt.NDArray[np.float32],
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    about: Mapping[str, object],
) -> bytes:
    """A sheet: first what it is, line by line, then the map with its tokens on both sides.

    A text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerows([name, _inert(str(value))] for name, value in about.items())
    writer.writerow([])
    writer.writerow(["", *map(_inert, key_tokens)])
    for token, row in zip(query_tokens, weights, strict=True):
        writer.writerow([_inert(token), *map(str, row)])
    return sheet.getvalue().encode("utf-8-sig")


def as_json(
    weights: npt.NDArray[np.float32],
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    about: Mapping[str, object],
) -> bytes:
    """The same with exact texts: ``weights[i][j]`` is how much query i looks at key j."""
    content = {
        **about,
        "query_tokens": list(query_tokens),
        "key_tokens": list(key_tokens),
        "weights": [[float(str(weight)) for weight in row] for row in weights],
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def _inert(text: str) -> str:
    return "'" + text if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
