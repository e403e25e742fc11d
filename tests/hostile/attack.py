"""Act as a hostile visitor. The seed decides all messages, so the same seed repeats an attack.

``python -m tests.hostile.attack ADDRESS SEED`` attacks a running app.
"""

import re
import sys
from collections.abc import Callable
from random import Random
from urllib.parse import quote

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.odd_values import TEXTS, odd_link
from tests.server import ROOT
from tests.visitor import Visitor
from ui.frame.page import PAGES

INPUTS = 10  # number of messages for one seed
_OURS = re.compile(rf"{re.escape(str(ROOT))}/(?!\.venv/)")
_FILES = (ROOT / "web").rglob("*.js")
_SCRIPTS = "".join(path.read_text(encoding="utf-8") for path in _FILES)
_EVENTS = sorted(set(re.findall(r'\.send\("(\w+)"', _SCRIPTS)))
PAGE_NAMES = tuple("" if name == "welcome" else name for name in PAGES)

_SNIPPETS = (*TEXTS, "\ufeff", "\u2028", "\uffff", "e" + "\u0301" * 40, "[x](javascript:x)", "%00")
_NUMBERS = (0.0, -1.0, 0.5, 3.0, 1e-320, 1e308, 2.0**63, float("nan"), float("inf"))
_WHOLE = (0, 1, -1, 2, 3, 7, 99, 2**31, 2**63 - 1, -(2**63))
_JSON = ("", "{}", "[]", "null", "NaN", "1e400", '"x"', "[" * 500, "{", "[" * 300 + "]" * 300)
_FIELDS = {  # field of the message -> elements for which Streamlit's page sends this field
    "string_value": ("text_input", "text_area", "dataframe", "vega_lite_chart", "plotly_chart"),
    "double_array_value": ("slider",),
    "string_array_value": ("select_slider", "button_group", "multiselect"),
    "trigger_value": ("button", "download_button"),
}


def attack(address: str, seed: int) -> list[str]:
    """Send ``INPUTS`` hostile links and messages to one page, and return the faults."""
    rng, faults, sent = Random(seed), [], "the page itself"
    page = rng.choice(PAGE_NAMES)
    visitor = Visitor(address)
    answer = visitor.open(page)
    for number in range(INPUTS + 1):
        shown = [text for text in answer.exceptions if "File" in text]
        shown += ["no end"] * answer.unfinished
        faults += [f"seed {seed}, page {page!r}: {sent}\n    {text}" for text in shown]
        if answer.closed or answer.unfinished:
            visitor.close()
            visitor = Visitor(address)
            visitor.open(page)
        if number == INPUTS:
            break
        if rng.random() < 0.25:
            sent = query(rng)
            answer = visitor.open(page, sent)
        else:
            raw = message(rng, visitor)
            sent = f"{BackMsg.FromString(raw)!s:.1500}"
            answer = visitor.send(raw)
    visitor.close()
    return faults


def tracebacks(log: str) -> list[str]:
    """Return the tracebacks of our code in a server's log.

    Not counted: errors in Streamlit about a widget value of an impossible type. No browser sends
    one, and Streamlit fails before our code gets the value; only the sender sees it. Such an error
    is raised below our line that draws the widget. A wrong call of Streamlit by our code raises an
    error of a different type.
    """
    texts = re.findall(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*.*", log)
    return [trace for trace in texts if _is_ours(trace)]


def _is_ours(trace: str) -> bool:
    files = re.findall(r'File "([^"]+)"', trace)
    ours = [n for n, file in enumerate(files) if _OURS.match(file)]
    below = files[ours[-1] + 1 :] if ours else []
    drawn = any("/streamlit/elements/" in file for file in below)
    refused = drawn and not trace.splitlines()[-1].startswith("streamlit.errors")
    return bool(ours) and not refused


def text(rng: Random) -> str:
    """Return a text that a visitor can type or paste."""
    joined = rng.choice(("", " ")).join(rng.choices(_SNIPPETS, k=rng.randint(1, 6)))
    return (joined * rng.choice((1, 1, 2, 40, 3_000)))[:100_000]


def query(rng: Random) -> str:
    """Return the query of a link."""
    link = odd_link(rng) | {text(rng)[:20]: text(rng)[:500]}
    encode: Callable[[str], str] = rng.choice((quote, str))
    return "&".join(f"{encode(name)}={encode(value)}" for name, value in link.items())


def state(rng: Random, widgets: dict[str, str]) -> WidgetState:
    """Return a forged value for a widget, which may not be on the page."""
    name, kind = rng.choice([*widgets.items(), (text(rng)[:50], "")])
    if kind == "bidi_component":
        whole = str(rng.choices(_WHOLE, k=rng.randint(0, 4)))
        value, event = rng.choice((*_JSON, whole, whole)), rng.choice((*_EVENTS, "other"))
        events = rng.choice((value, f'[{{"event": "{event}", "value": {value}}}]'))
        return WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{name}__events", json_trigger_value=events)
    forged = WidgetState(id=name)
    own = [field for field, kinds in _FIELDS.items() if kind in kinds]
    field = rng.choice([*own, *own, *_FILL])
    value = _FILL[field](rng)
    if isinstance(value, list):
        getattr(forged, field).data.extend(value)
    else:
        setattr(forged, field, value)
    return forged


_FILL: dict[str, Callable[[Random], object]] = {
    "string_array_value": lambda rng: [text(rng)[:50] for _ in range(rng.randint(0, 3))],
    "double_array_value": lambda rng: rng.choices(_NUMBERS, k=rng.randint(0, 3)),
    "int_array_value": lambda rng: rng.choices(_WHOLE, k=rng.randint(0, 3)),
    "string_value": text,
    "json_value": lambda rng: rng.choice(_JSON),
    "double_value": lambda rng: rng.choice(_NUMBERS),
    "int_value": lambda rng: rng.choice(_WHOLE),
    "bool_value": lambda _: True,
    "trigger_value": lambda _: True,
    "bytes_value": lambda rng: rng.randbytes(rng.choice((1, 300, 100_000))),
}


def message(rng: Random, visitor: Visitor) -> bytes:
    """Return a forged message that runs a page, with any widgets, page and link."""
    forged = BackMsg()
    run = forged.rerun_script
    run.page_script_hash = visitor.page_hash
    for _ in range(rng.choice((1, 1, 2, 5))):
        run.widget_states.widgets.append(state(rng, visitor.widgets))
    if rng.random() < 0.2:
        run.page_script_hash = rng.choice(("", "0" * 32, text(rng)[:40]))
        run.page_name = rng.choice((*PAGE_NAMES, text(rng)[:40]))
    elif visitor.fragments and rng.random() < 0.5:
        run.fragment_id = rng.choice(visitor.fragments)
    if rng.random() < 0.3:
        run.query_string = query(rng)
    if rng.random() < 0.1:
        run.cached_message_hashes.append(text(rng)[:40])
    run.is_auto_rerun = rng.random() < 0.1
    return forged.SerializeToString()


if __name__ == "__main__":
    print(*attack(sys.argv[1], int(sys.argv[2])), sep="\n")
