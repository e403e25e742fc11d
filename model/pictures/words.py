"""The words of the offline page: English, unless others are handed in by the same names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

ENGLISH: Mapping[str, str] = MappingProxyType(
    json.loads((Path(__file__).parent / "english.json").read_text(encoding="utf-8"))
)
