"""Every view of the app with its figures, and all that a page shows: numbers, pictures, words."""

import json
import re
from collections.abc import Iterator
from functools import cache
from html import unescape

from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from tests.ui.app import ROOT, blob, tables_of
from tests.ui.drawn import SENTENCE
from ui.text.translator import translator

ONE_HEAD = {"view": "head", "explorer.options": "True"}
LINK = {"sentence": SENTENCE, "layer": "2", "head": "3"}


def _of(page: str, **figures: str) -> list[tuple[str, dict[str, str], set[str]]]:
    """Experiments of a page: what each is called in a link, and its figures."""
    return [(page, {"show": show}, set(names.split())) for show, names in figures.items()]


VIEWS = [  # page, link, names of the figures
    ("welcome", {}, {"ribbons"}),
    ("gallery", {}, set()),
    ("gallery", {"show": "one"}, set()),
    *(("explorer", {"panel": name}, {name, "grid"}) for name in ("map", "lines", "compare")),
    *(("explorer", {"panel": name}, {name, "grid"}) for name in ("beam", "logit_lens", "space")),
    ("explorer", {"view": "head", "cell.row": "1", "cell.column": "2"}, {"map", "grid", "cell"}),
    ("explorer", {"panel": "steps"}, {"step", "grid"}),
    ("explorer", {"cells": "contributions", "view": "rollout"}, {"map", "grid"}),
    ("explorer", {"map.hidden_row": "2"}, {"map", "grid"}),
    ("explorer", {"rows": "read", "find.kind": "sink"} | ONE_HEAD, {"map", "grid"}),
    ("experiments", {"show": "ablations", "ablated": "c2.3"}, {"ablated", "ablations", "guess"}),
    ("experiments", {"experiments.revealed": "1"}, {"ablated", "each_head"}),
    *_of("experiments", contrast="contrast parts", left_out="left_out"),
    ("experiments", {"show": "pair", "second": "You see a black dog."}, {"pair", "carried"}),
    ("experiments", {"show": "scoreboard", "experiments.judged": "7"}, {"scoreboard"}),
    *_of("experiments", untrained="untrained"),
    ("heads", {}, set()),
    ("many", {}, set()),
    *_of("from_rnn", side="side_by_side", memory="context forgetting", gates="units gates"),
    *_of("from_rnn", length=""),
    ("learning", {}, set()),
    *_of("learning", curves="", laboratory=""),
    ("qkv", {}, {"matrices", "change"}),
    ("qkv", {"qkv.source": "sentence"}, {"matrices", "change"}),
    ("masks", {"show": "batch", "attention": "decoder_self"}, {"batch"}),
    ("masks", {"show": "editor", "masks.flipped": "0-3,1-2"}, {"mask", "losses"}),
    *_of("masks", sources="", padding="padding", forcing="", cheating=""),
    *_of("positions", matrix="positions", order="word_order", waves="waves wavelengths"),
    *_of("positions", helix="helix", counter="counter", distance="distance", contrast=""),
    *_of("positions", rotation="rotation", addition="addition"),
    *_of("scaling", dimension="dimension", temperature="temperature", bench="scores"),
    *_of("norms", stream="stream", padding="norms padding", order="order", path="path"),
    *_of("norms", feed_forward="feed_forward"),
    *_of("cost", table="table", timing="", memory="memory limit"),
    ("architecture", {}, {"machine"}),
]
CONTENT = ROOT / "ui" / "text" / "content"
_NAMES = {"English", "cross", "decoder", "padding"}  # of a language, of parts, of Vega
_SHOWN = ("vega_lite_chart", "bidi_component", "html", "plotly_chart", "arrow_data_frame")
_SHOWN += ("caption", "markdown")


def shown(app: AppTest) -> dict[str, list[bytes]]:
    """All that the page shows: kind to what each of its elements sends the browser."""
    return {
        kind: [element.proto.SerializeToString(deterministic=True) for element in app.get(kind)]
        for kind in _SHOWN
    }


def words_of(app: AppTest) -> list[str]:
    """Every text that is sent to the browser, each label by itself."""
    found: list[str] = []
    for node in app._tree:
        proto = getattr(node, "proto", None)
        match node.type:
            case "html":
                body = re.sub(r"<style.*?</style>", "", proto.body, flags=re.DOTALL)
                found += re.findall(r' (?:title|alt|aria-label|data-title)="(.*?)"', body)
                found += re.split(r"<.*?>", body, flags=re.DOTALL)
            case "bidi_component":
                found += _json_texts(json.loads(proto.json or "null"))
                found += _json_texts(blob(proto)[0]) if proto.bytes else []
            case "vega_lite_chart":
                found += _json_texts(json.loads(proto.spec))
            case _ if proto is not None:
                found += _proto_texts(proto)
    for table in tables_of(app):
        for name in table:
            found += [text for text in table[name] if isinstance(text, str)]
    return [text for text in (unescape(text).strip() for text in found) if text]


def _json_texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _json_texts(inner)
        case list():
            for inner in value:
                yield from _json_texts(inner)


def _proto_texts(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        if field.name in ("id", "query_string", "page", "page_script_hash", "url", "icon"):
            continue
        for one in value if field.is_repeated else [value]:
            if isinstance(one, str):
                yield one
            elif isinstance(one, Message):
                yield from _proto_texts(one)


def foreign(app: AppTest, language: str) -> list[str]:
    """Texts of the other language, and texts without their values."""
    words = words_of(app)
    if language == "en":
        return [text for text in words if re.search("[\u4e00-\u9fff]", text) and text != "中文"]
    labels, phrases = _english()
    whole = "\n".join(words)
    return [*labels.intersection(words), *(part for part in phrases if part in whole)]


@cache
def _english() -> tuple[set[str], list[str]]:
    """What is English alone: whole labels, and parts of sentences between their values."""
    english, chinese = (translator(language) for language in ("en", "zh"))
    names = [path.stem for path in CONTENT.glob("en/*.md")]
    of_both = "\n".join([*chinese.texts.values(), *map(chinese.content, names)])
    labels = {text for text in english.texts.values() if text not in of_both} - _NAMES
    parts = {part.strip() for text in labels for part in re.split(r"\{.*?\}", text)}
    parts |= {line for name in names for line in english.content(name).splitlines()}
    phrases = [part for part in parts if " " in part and len(part) > 9 and part not in of_both]
    return {text for text in labels if text[0].isalpha()}, phrases
