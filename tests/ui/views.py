"""List every view of the app with its figures, and collect all that a page shows."""

import json
import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from typing import NamedTuple

from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from tests.ui.app import ROOT, blob, tables_of
from tests.ui.drawn import SENTENCE
from ui.text.translator import translator

LINK = {"sentence": SENTENCE, "layer": "2", "head": "3"}  # fields of every link


class View(NamedTuple):
    """One view of a page."""

    name: str  # name of its files in tests/ui/expected
    page: str  # a key of PAGES
    link: dict[str, str]  # fields of its link in addition to LINK
    figures: set[str]  # names of the figures, as their files are called


VIEWS = [
    View("welcome", "welcome", {}, {"ribbons"}),
    View("gallery", "gallery", {}, set()),
    View("gallery_one", "gallery", {"show": "one"}, set()),
    View("five_minutes", "five_minutes", {}, {"ribbons"}),
    View("five_minutes_vectors", "five_minutes", {"step": "5"}, {"vectors"}),
    View("five_minutes_mask", "five_minutes", {"step": "6"}, {"mask"}),
    View("five_minutes_heads", "five_minutes", {"step": "7"}, {"heads"}),
    View("five_minutes_positions", "five_minutes", {"step": "8"}, {"word_order"}),
    View("explorer_map", "explorer", {"panel": "map"}, {"grid", "map"}),
    View("explorer_lines", "explorer", {"panel": "lines"}, {"grid", "lines"}),
    View("explorer_compare", "explorer", {"panel": "compare"}, {"compare", "grid"}),
    View("explorer_beam", "explorer", {"panel": "beam"}, {"beam", "grid"}),
    View("explorer_logit_lens", "explorer", {"panel": "logit_lens"}, {"grid", "logit_lens"}),
    View("explorer_space", "explorer", {"panel": "space"}, {"grid", "space"}),
    View(
        "explorer_cell",
        "explorer",
        {"view": "head", "cell.row": "1", "cell.column": "2"},
        {"cell", "grid", "map"},
    ),
    View("explorer_steps", "explorer", {"panel": "steps"}, {"grid", "step"}),
    View(
        "explorer_contributions",
        "explorer",
        {"cells": "contributions", "view": "rollout"},
        {"grid", "map"},
    ),
    View("explorer_hidden_row", "explorer", {"map.hidden_row": "2"}, {"grid", "map"}),
    View(
        "explorer_read_rows",
        "explorer",
        {"rows": "read", "view": "head", "explorer.options": "True"},
        {"grid", "map"},
    ),
    View(
        "experiments_ablations",
        "experiments",
        {"show": "ablations", "ablated": "c2.3"},
        {"ablated", "ablations", "guess"},
    ),
    View(
        "experiments_revealed",
        "experiments",
        {"experiments.revealed": "1"},
        {"ablated", "each_head"},
    ),
    View("experiments_links", "experiments", {"show": "links"}, {"link"}),
    View("experiments_contrast", "experiments", {"show": "contrast"}, {"contrast", "parts"}),
    View("experiments_left_out", "experiments", {"show": "left_out"}, {"left_out"}),
    View(
        "experiments_pair",
        "experiments",
        {"show": "pair", "second": "You see a black dog."},
        {"patched", "pair"},
    ),
    View(
        "experiments_scoreboard",
        "experiments",
        {"show": "scoreboard", "experiments.judged": "7"},
        {"scoreboard"},
    ),
    View("experiments_untrained", "experiments", {"show": "untrained"}, {"untrained"}),
    View("heads", "heads", {}, set()),
    View("many", "many", {}, {"heads_of_list"}),
    View("from_rnn_side", "from_rnn", {"show": "side"}, {"side_by_side"}),
    View("from_rnn_memory", "from_rnn", {"show": "memory"}, {"context", "forgetting"}),
    View("from_rnn_gates", "from_rnn", {"show": "gates"}, {"gates", "units"}),
    View("from_rnn_length", "from_rnn", {"show": "length"}, set()),
    View("learning", "learning", {}, set()),
    View("learning_curves", "learning", {"show": "curves"}, set()),
    View("learning_laboratory", "learning", {"show": "laboratory"}, {"laboratory_1"}),
    View("qkv_classroom", "qkv", {"qkv.source": "classroom"}, {"change", "matrices"}),
    View("qkv", "qkv", {}, {"change", "matrices"}),
    View("masks_batch", "masks", {"show": "batch", "attention": "decoder_self"}, {"batch"}),
    View(
        "masks_editor", "masks", {"show": "editor", "masks.flipped": "0-3,1-2"}, {"losses", "mask"}
    ),
    View("masks_sources", "masks", {"show": "sources"}, set()),
    View(
        "masks_padding",
        "masks",
        {"show": "padding", "masks.padding_layer": "2", "masks.padding_head": "3"},
        {"padding"},
    ),
    View("masks_forcing", "masks", {"show": "forcing"}, set()),
    View("masks_cheating", "masks", {"show": "cheating"}, set()),
    View("positions_matrix", "positions", {"show": "matrix"}, {"matrix"}),
    View("positions_order", "positions", {"show": "order"}, {"word_order"}),
    View("positions_waves", "positions", {"show": "waves"}, {"wavelengths", "waves"}),
    View("positions_helix", "positions", {"show": "helix"}, {"helix"}),
    View("positions_counter", "positions", {"show": "counter"}, {"counter"}),
    View("positions_distance", "positions", {"show": "distance"}, {"distance"}),
    View("positions_contrast", "positions", {"show": "contrast"}, {"other_ways"}),
    View("positions_rotation", "positions", {"show": "rotation"}, {"rotation"}),
    View("positions_addition", "positions", {"show": "addition"}, {"addition"}),
    View("scaling_dimension", "scaling", {"show": "dimension"}, {"dimension"}),
    View("scaling_temperature", "scaling", {"show": "temperature"}, {"temperature"}),
    View("scaling_bench", "scaling", {"show": "bench"}, {"scores"}),
    View("norms_stream", "norms", {"show": "stream"}, {"stream"}),
    View("norms_padding", "norms", {"show": "padding"}, {"layer_and_batch", "padding"}),
    View("norms_order", "norms", {"show": "order"}, {"order"}),
    View("norms_path", "norms", {"show": "path"}, {"path"}),
    View("norms_feed_forward", "norms", {"show": "feed_forward"}, {"feed_forward"}),
    View("cost_table", "cost", {"show": "table"}, {"table"}),
    View("cost_timing", "cost", {"show": "timing"}, set()),
    View("cost_memory", "cost", {"show": "memory"}, {"limit", "memory"}),
    View("cost_draft", "cost", {"show": "draft"}, {"draft"}),
    View("architecture", "architecture", {}, {"machine"}),
]
CONTENT = ROOT / "ui" / "text" / "content"
# Names of a language, of parts, of Vega, and of a colour scale
_NAMES = {"English", "cross", "decoder", "padding", "weights"}
_SHOWN = ("vega_lite_chart", "bidi_component", "html", "plotly_chart", "arrow_data_frame")
_SHOWN += ("caption", "markdown")


def shown(app: AppTest) -> dict[str, list[bytes]]:
    """Return all that the page shows: kind -> data that its elements send to the browser."""
    return {
        kind: [element.proto.SerializeToString(deterministic=True) for element in app.get(kind)]
        for kind in _SHOWN
    }


def words_of(app: AppTest) -> list[str]:
    """Return every text that is sent to the browser. Python lines are English in both languages."""
    words: list[str] = []
    for node in app._tree:
        proto = getattr(node, "proto", None)
        match node.type:
            case "html":
                no_words = r"<style.*?</style>|<pre .*?</pre>"
                body = re.sub(no_words, "", proto.body, flags=re.DOTALL)
                words += re.findall(r' (?:title|alt|aria-label|data-title)="(.*?)"', body)
                words += re.split(r"<.*?>", body, flags=re.DOTALL)
            case "code" if proto.language == "python":
                pass
            case "bidi_component":
                words += _json_texts(json.loads(proto.json or "null"))
                words += _json_texts(blob(proto)[0]) if proto.bytes else []
            case "vega_lite_chart":
                words += _json_texts(json.loads(proto.spec))
            case _ if proto is not None:
                words += _proto_texts(proto)
    for table in tables_of(app):
        for name in table:
            words += [text for text in table[name] if isinstance(text, str)]
    return [text for text in (unescape(text).strip() for text in words) if text]


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
        for item in value if field.is_repeated else [value]:
            if isinstance(item, str):
                yield item
            elif isinstance(item, Message):
                yield from _proto_texts(item)


def foreign(app: AppTest, language: str) -> list[str]:
    """Return texts that contain the other language, without their values."""
    words = words_of(app)
    if language == "en":
        return [text for text in words if re.search("[\u4e00-\u9fff]", text) and text != "中文"]
    labels, phrases = _english()
    whole = "\n".join(words)
    return [*labels.intersection(words), *(part for part in phrases if part in whole)]


@cache
def _english() -> tuple[set[str], list[str]]:
    """Return texts that are only in English: whole labels, and the parts between values."""
    english, chinese = (translator(language) for language in ("en", "zh"))
    names = [path.stem for path in CONTENT.glob("en/*.md")]
    of_both = "\n".join([*chinese.texts.values(), *map(chinese.content, names)])
    labels = {text for text in english.texts.values() if text not in of_both} - _NAMES
    parts = {part.strip() for text in labels for part in re.split(r"\{.*?\}", text)}
    parts |= {line for name in names for line in english.content(name).splitlines()}
    phrases = [part for part in parts if " " in part and len(part) > 9 and part not in of_both]
    return {text for text in labels if text[0].isalpha()}, phrases
