"""Read the JSON tables of names in this folder."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def read_table(name: str) -> dict[str, Any]:
    """Return the content of one file, such as ``train.json``: a mapping from list name to list."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))
