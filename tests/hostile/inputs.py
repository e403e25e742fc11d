"""What nobody should send: texts, links and forged messages, each from a seed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from urllib.parse import quote

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.odd_values import TEXTS, odd_link
from ui.frame.page import PAGES

_COMPONENTS = Path(__file__).parents[2] / "ui" / "components"
PAGE_NAMES = tuple("" if name == "welcome" else name for name in PAGES)

_SNIPPETS = (
    *TEXTS, "\t\n", "\ufeff", "\u2028", "\uffff", "e" + "\u0301" * 40, "🏳\ufe0f\u200d🌈", "&amp;",
    "<script>alert(1)</script>", "$\\frac{1}{0}$", "[x](javascript:x)", ":material/home:", "```",
    "%00", "'", '"', "../../etc/passwd", "C:\\", "9" * 400, "null", "<s>", "<pad>", "▁", "Ġ",
)  # fmt: skip
_NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-320, 1e308, 2.0**63, float("nan"), float("inf"))
_WHOLE = (0, 1, -1, 2, 3, 7, 99, 10**6, 2**31, 2**63 - 1, -(2**63))
_LENGTHS = (1, 1, 2, 3, 8, 40, 300, 3_000, 100_000)

# What the page of Streamlit sends for each type of element.
_ELEMENTS = {
    "string_value": "text_input text_area dataframe vega_lite_chart plotly_chart",
    "double_array_value": "slider",
    "string_array_value": "select_slider button_group multiselect",
    "bool_value": "checkbox",
    "trigger_value": "button download_button",
    "json_value": "bidi_component",
}
FIELDS = {kind: field for field, kinds in _ELEMENTS.items() for kind in kinds.split()}


def text(rng: Random) -> str:
    """A text that a visitor can type, or paste."""
    pieces = [rng.choice(_SNIPPETS) for _ in range(rng.randint(1, 6))]
    if rng.random() < 0.3:
        pieces = [chr(rng.choice((rng.randrange(0xD800), rng.randrange(0xE000, 0x110000))))]
    joined = rng.choice(("", " ")).join(pieces)
    return (joined * rng.choice(_LENGTHS))[:100_000]


def query(rng: Random) -> str:
    """What stands behind the question mark of a link."""
    if rng.random() < 0.2:
        return text(rng)[:3_000]
    link = odd_link(rng) | {text(rng)[:20]: text(rng)[:500]}
    encode: Callable[[str], str] = rng.choice((quote, str))
    return "&".join(f"{encode(name)}={encode(value)}" for name, value in link.items())


def state(rng: Random, widgets: dict[str, str]) -> WidgetState:
    """A forged value for a widget of the page, or for none."""
    name, kind = rng.choice([*widgets.items(), (text(rng)[:50], "")])
    if kind == "bidi_component" and rng.random() < 0.8:
        events = f"$$STREAMLIT_INTERNAL_KEY_{name}__events"
        return WidgetState(id=events, json_trigger_value=_event(rng))
    forged = WidgetState(id=name)
    field = FIELDS.get(kind, "json_value") if rng.random() < 0.7 else rng.choice([*_FILL])
    value = _FILL[field](rng)
    if isinstance(value, list):
        getattr(forged, field).data.extend(value)
    else:
        setattr(forged, field, value)
    return forged


def message(
    rng: Random, widgets: dict[str, str], page_hash: str, fragments: Sequence[str]
) -> bytes:
    """A forged message that lets a page run: any widgets, any page, any link."""
    forged = BackMsg()
    run = forged.rerun_script
    run.page_script_hash = page_hash
    for _ in range(rng.choice((1, 1, 2, 5))):
        run.widget_states.widgets.append(state(rng, widgets))
    if rng.random() < 0.2:
        run.page_script_hash = rng.choice(("", "0" * 32, text(rng)[:40]))
        run.page_name = rng.choice((*PAGE_NAMES, text(rng)[:40]))
    elif fragments and rng.random() < 0.5:
        run.fragment_id = rng.choice(fragments)
    if rng.random() < 0.3:
        run.query_string = query(rng)
    if rng.random() < 0.1:
        run.cached_message_hashes.append(text(rng)[:40])
    run.is_auto_rerun = rng.random() < 0.1
    run.is_history_navigation = rng.random() < 0.1
    return forged.SerializeToString()


_FILL: dict[str, Callable[[Random], object]] = {
    "string_array_value": lambda rng: [text(rng)[:50] for _ in range(rng.randint(0, 3))],
    "double_array_value": lambda rng: rng.choices(_NUMBERS, k=rng.randint(0, 3)),
    "int_array_value": lambda rng: rng.choices(_WHOLE, k=rng.randint(0, 3)),
    "string_value": text,
    "json_value": lambda rng: _json(rng),
    "double_value": lambda rng: rng.choice(_NUMBERS),
    "int_value": lambda rng: rng.choice(_WHOLE),
    "bool_value": lambda _: True,
    "trigger_value": lambda _: True,
    "bytes_value": lambda rng: rng.randbytes(rng.choice(_LENGTHS)),
}


def _json(rng: Random) -> str:
    picks = [f'{{"{name}": {_value(rng)}}}' for name in _triggers()]
    return rng.choice(("", "{}", "[]", "null", "NaN", "1", '"x"', "[" * 500, "{", *picks))


def _event(rng: Random) -> str:
    event = rng.choice((*_triggers(), "other"))
    events = f'[{{"event": "{event}", "value": {_value(rng)}}}]'
    return events if rng.random() < 0.9 else _json(rng)


def _value(rng: Random) -> str:
    deep = "[" * 300 + "]" * 300
    whole = ", ".join(str(rng.choice(_WHOLE)) for _ in range(rng.randint(0, 4)))
    return rng.choice(("null", "true", '"x"', "{}", "1.5", "1e400", "NaN", deep, f"[{whole}]"))


def _triggers() -> list[str]:
    """What our components send, read off them."""
    scripts = "".join(path.read_text(encoding="utf-8") for path in _COMPONENTS.rglob("*.js"))
    return sorted(set(re.findall(r'set(?:State|Trigger)Value\("(\w+)"', scripts)))
