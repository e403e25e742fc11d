"""Check the links in tests: a field that no page reads is a mistake in the test."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

from ui.state.address import NAMES
from ui.state.language import LANGUAGE
from ui.state.presenting import PRESENT

ROOT = Path(__file__).parents[1]


def unread_fields(app: AppTest, link: Mapping[str, str]) -> set[str]:
    """Return the fields of the link that opened the page and that the page has not read."""
    known = {*NAMES, LANGUAGE, PRESENT}
    if "visitor" in app.session_state:
        known |= app.session_state["visitor"].keys_read
    return set(link) - known


def check_query(query: str) -> None:
    """Raise a ValueError if a query has a field that no page reads.

    A field with a dot is the key of a control, which the source of the pages must contain.
    """
    names = {name for name, _ in parse_qsl(query, keep_blank_values=True)}
    unknown = names - {*NAMES, LANGUAGE, PRESENT, *_keys_in(("ui", "pages"))}
    if unknown:
        raise ValueError(f"no page reads {', '.join(sorted(unknown))} from a link")


def _keys_in(folders: Iterable[str]) -> set[str]:
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    source = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return set(re.findall(r'"([a-z_]+\.[a-z_]+)"', source))
