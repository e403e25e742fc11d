"""Write the elements of a page as text that a person can read.

Each element has one line; elements side by side share a line. A text is written as its key and its
values, so that rewording a text does not change the outline. A picture is written as its title, its
labels, the numbers in its four corners and the sum of all its numbers.
"""

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from html import unescape

import numpy as np
import pyarrow as pa
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node

from tests.ui.app import blob, key_of, matrices_in
from ui.text.translator import Translator

MAX_TEXT = 48  # characters
MAX_LINK = 16
TINY = re.compile(r"[\d.]+e[-−]\d+")  # so small that another processor may give a different number
SEPARATOR = " │ "  # between elements in one row
MAX_NAMED = 8  # maximum number of new elements that are named one by one
WITHOUT_KEY = ("caption", "markdown", "header", "figure", "→", "column", "box", "chart")
# Containers that are the same on many pages or in all views of a lesson.
FRAME = ("menu", "tools", "bar", "slide-title", "question", "idea", "lesson-try", "lesson-code")

# Facts that Streamlit writes for every element, and names that differ between runs.
LEFT_OUT = {
    "allowEmpty",
    "autocomplete",
    "componentName",
    "dataType",
    "default",
    "deferredFileId",
    "elementType",
    "hideAnchor",
    "hasMax",
    "hasMin",
    "icon",
    "language",
    "id",
    "ignoreRerun",
    "labelVisibility",
    "pageScriptHash",
    "powers",
    "power_labels",
    "rawValue",
    "rawValues",
    "required",
    "setValue",
    "tag",
    "texts",
    "url",
    "value",
    "wrap",
}

# Usual values, which are left out.
USUAL = {
    "align": ("ALIGN_START", "STRETCH"),
    "asTable": ("‹grid.table›",),
    "color": ("GRAY",),
    "direction": ("NONE", "VERTICAL"),
    "directions": (["ltr", "ltr"],),
    "format": ("%s", "%d"),
    "gapConfig": ({"gapSize": "SMALL"}, {"gapSize": "LARGE"}),
    "groups": (1,),
    "heightConfig": ({"useContent": True},),
    "justify": ("JUSTIFY_START",),
    "languages": (["", ""],),
    "largest": (44, 52),
    "limit": (1.0,),
    "maxChars": (1000,),
    "scale": ("weights", 1.0),
    "step": (1.0,),
    "type": ("secondary", "SELECT_SLIDER"),
    "widest": (44, 52),
    "widthConfig": ({"useStretch": True},),
}

KEY = re.compile(r"‹(?:\w+\.)*(\w+)[^‹›]*›")  # the key of a text before its values
DESCRIBED_EVERYWHERE = ("page", "checkpoint", "sentence", "target", "target_origin", "model_wrote")


def show_keys(patch) -> None:
    """Make pages write the key and the values of each text in place of the text."""

    def key_and_values(self: Translator, key: str, **values: object) -> str:
        text = self.texts[key].format_map(values)  # fails if a value is missing
        if key == "language.own_name":
            return text
        return f"‹{' '.join([key, *(f'{name}={value}' for name, value in values.items())])}›"

    patch.setattr(Translator, "__call__", key_and_values)
    patch.setattr(Translator, "content", lambda _, name: f"‹{name}›")
    patch.setattr(Translator, "section", lambda _, name, part: f"‹{name} {part}›")


def outline(app: AppTest) -> list[str]:
    """Return one line for each element of the page, without its frame."""
    return [TINY.sub("0", line) for line in _lines(app._tree.main)]


def outline_of_frame(app: AppTest) -> list[str]:
    """Return the lines of the menu, the tools, the bar of pages and the dialog."""
    blocks = [node for node in app._tree if isinstance(node, Block)]
    return [line for node in blocks if _name(node) in FRAME for line in _block(node)]


def _lines(block: Block) -> Iterator[str]:
    for node in block.children.values():
        if not isinstance(node, Block):
            yield from _element(node)
        elif _name(node) not in FRAME:
            yield from _block(node)


def _block(block: Block) -> Iterator[str]:
    """Return the lines of a container.

    A row or box of elements is one line. A container without a key or an unusual setting is left
    out, and only the lines of its elements are returned.
    """
    inner = [*_lines(block)]
    facts = MessageToDict(block.proto)
    facts |= facts.pop("flexContainer", {})
    is_row = facts.pop("direction", "") == "HORIZONTAL"
    is_plain = block.type == "flex_container" and not _facts(facts)
    holds_blocks = any(isinstance(child, Block) for child in block.children.values())

    if is_row and not holds_blocks:
        yield SEPARATOR.join([f"row {_named(block, facts)}".strip(), *inner])
    elif is_plain:
        yield from inner
    elif block.type == "flex_container" and not holds_blocks:
        yield SEPARATOR.join([f"box {_named(block, facts)}", *inner])
    elif block.type == "column" and len(inner) == 1:
        yield SEPARATOR.join([f"column {_named(block, facts)}", inner[0].strip()])
    else:
        yield f"{block.type} {_named(block, facts)}"
        yield from (f"  {line}" for line in inner)


def _named(node: Node, facts: dict) -> str:
    return " ".join(filter(None, [_name(node), _facts(facts)]))


def _name(node: Node) -> str:
    """Return the key of an element, without parts that differ between runs or processors."""
    has_key = getattr(getattr(node, "proto", None), "id", "")
    return short_key(key_of(node)) if has_key else ""


def short_key(key: str) -> str:
    return re.sub(r"-?\d+\.\d{3,}|\d{6,}", "", key)


def _element(node: Node) -> Iterator[str]:
    """Return the line of an element that is no container. A picture has a line for each matrix."""
    proto = node.proto
    match node.type:
        case "html" if "figure-bar" in proto.body:
            title_and_name = re.findall('data-(?:title|name)="(.*?)"', proto.body)
            yield " ".join(["figure", *map(_cut, title_and_name), *_described(proto.body)])
        case "html":
            yield _html(proto.body)
        case "bidi_component" if proto.bytes:
            yield from _picture(node)
        case "bidi_component":
            yield f"{proto.component_name} {_short(json.loads(proto.json or 'null'))}"
        case "vega_lite_chart":
            yield from _chart(proto)
        case "plotly_chart":
            yield from _scene(_name(node), json.loads(proto.spec))
        case "download_button" if _name(node).startswith("take."):
            return
        case "page_link":
            link = proto.query_string[:MAX_LINK]
            yield f"→ {proto.page or 'start'} {proto.label} {link}".strip()
        case "caption" | "markdown" | "header":
            yield f"{node.type} {_cut(proto.body)}"
        case _:
            facts = [node.type.removesuffix("_input"), _name(node), *_control(MessageToDict(proto))]
            yield " ".join(filter(None, facts))


def _described(body: str) -> Iterator[str]:
    """Return what a figure says of itself, without the model, the sentence and the translation."""
    for name, value in re.findall(r"<b>(.*?)</b> <bdi.*?>(.*?)</bdi>", body):
        field, words = (KEY.sub(r"\1", unescape(text)) for text in (name, value))
        if field not in DESCRIBED_EVERYWHERE:
            yield f"{field}={_cut(words)}"


def _control(facts: dict) -> Iterator[str]:
    """Return label, value and unusual fields of a control. Chosen options are marked."""
    hidden = "labelVisibility" in facts and facts["labelVisibility"]
    label = facts.pop("label", "")
    yield f"({label})" if hidden else label
    options = [_short(option) for option in facts.pop("options", [])]
    chosen = facts.get("default", [])
    for n in chosen if isinstance(chosen, list) else [chosen]:
        if options and isinstance(n, int):
            options[n] = f"*{options[n]}"
    if options:
        yield f"{{{_ends(options, most=5)}}}"
    elif chosen:
        yield f"= {_short(chosen)}"
    yield _facts(facts)


def _html(body: str) -> str:
    """Return the first tag and its class, the words, and the number of tags."""
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)
    first = re.search(r'<(\w+)(?:[^>]*?class="(.*?)")?', body)
    name = ".".join(filter(None, first.groups())) if first else "nothing"
    words = unescape(re.sub(r"<.*?>", " ", body, flags=re.DOTALL))
    tags = len(re.findall("<[a-z]", body))
    return f"{name} {_cut(words)}" + (f" ({tags} tags)" if tags > 1 else "")


def _picture(node: Node) -> Iterator[str]:
    header, data = blob(node.proto)
    facts = {name: value for name, value in header.items() if name != "matrices"}
    name = f"picture {_name(node)}"
    if "matrices" in header:
        last = len(header["matrices"])
        for n, (matrix, numbers) in enumerate(matrices_in(node), start=1):
            title = f"{_cut(matrix['title'])} {_cut(matrix['caption'])}".strip()
            size = f"{matrix['rows']}×{matrix['columns']}"
            names = matrix["rowLabels"], matrix["columnLabels"]
            labels = " / ".join(_ends(some) for some in names if some)
            fields = ("title", "caption", "rows", "columns", "rowLabels", "columnLabels")
            rest = {key: value for key, value in matrix.items() if key not in fields}
            words = [name, title, size, labels, _numbers(numbers), _facts(rest)]
            words += [_facts(facts)] if n == last else []
            yield " ".join(filter(None, words))
    elif "queries" in header:
        cells = np.frombuffer(data, "<u2").reshape(header["shape"]) / 65535
        corners = cells.reshape(-1, cells.shape[-1])
        yield f"{name} {_numbers(corners)} {_facts(facts)}"
    else:
        cells = np.frombuffer(data[: len(data) // 4 * 4], "<f4").reshape(1, -1)
        yield f"{name} {_numbers(cells)} {_facts(facts)}"


def _chart(proto) -> Iterator[str]:
    spec = json.loads(proto.spec)
    layers = spec.get("layer", [spec])
    marks = [_mark(layer["mark"]) for layer in layers if "mark" in layer]
    values = {
        parameter["name"]: parameter["value"]
        for parameter in spec["params"]
        if "value" in parameter
    }
    yield f"chart {' '.join([*marks, *_axes(spec)])} {_facts(values | _size(spec))}"
    for data in proto.datasets:
        table = pa.ipc.open_stream(data.data.data).read_pandas()
        columns = [f"{name} {_column(table[name].tolist())}" for name in table]
        yield f"table {data.name} {len(table)} rows: {'; '.join(columns)}"


def _mark(mark: dict) -> str:
    """Return the type of a mark, with "+dots" if each value of a line is drawn as a dot, too."""
    return mark["type"] + "+dots" * bool(mark.get("point"))


def _axes(spec: dict) -> Iterator[str]:
    """Return the title of each axis that has one, and its scale unless it is linear."""
    encodings = [part.get("encoding", {}) for part in (spec, *spec.get("layer", []))]
    for name in ("x", "y"):
        axes = [encoding[name] for encoding in encodings if name in encoding]
        titles = [axis["title"] for axis in axes if axis.get("title")]
        kinds = [axis["scale"]["type"] for axis in axes if "type" in (axis.get("scale") or {})]
        words = [_cut(title) for title in titles[:1]] + kinds[:1]
        if words:
            yield f"{name}={' '.join(words)}"


def _size(spec: dict) -> dict:
    """Return height and width in pixels, unless a chart fills its column."""
    return {name: spec[name] for name in ("height", "width") if isinstance(spec.get(name), int)}


def _scene(name: str, spec: dict) -> Iterator[str]:
    """Return the height of a picture in three dimensions, and the title of each axis."""
    layout = spec["layout"]
    titles = [f"{axis}={layout['scene'][f'{axis}axis']['title']['text']}" for axis in "xyz"]
    yield f"scene {name} {' '.join(titles)} height={layout['height']}"


def _column(values: list) -> str:
    if all(isinstance(value, int | float) for value in values):
        return _numbers(np.array([values], dtype=float))
    names = list(dict.fromkeys(map(str, values)))
    return _cut(_ends(names))


def _numbers(numbers: np.ndarray) -> str:
    """Return the numbers in the four corners, or at both ends of a row, and the sum."""
    if not numbers.size:
        return "[]"
    numbers = numbers.astype(float)
    corners = numbers[0, [0, -1]] if len(numbers) == 1 else numbers[[0, 0, -1, -1], [0, -1, 0, -1]]
    total = np.where(np.isfinite(numbers), numbers, 0).sum()
    return f"[{' '.join(map(_number, corners))}] Σ {_number(total)}"


def _number(value: float) -> str:
    """Write at least three digits, but at most four decimals of a small number.

    Differences of log-probabilities are equal on all processors up to about 0.00001.
    """
    if np.isnan(value):
        return "·"
    if abs(value) < 1e-4:
        return "0.00"
    if abs(value) < 0.01:
        return f"{value:.4f}"
    return f"{value:.1f}" if 100 <= abs(value) < 1e5 else f"{value:#.3g}"


def _ends(names: Sequence[str], most: int = 3) -> str:
    if len(names) <= most:
        return " ".join(names)
    return f"{names[0]} … {names[-1]} ({len(names)})"


def _facts(facts: dict) -> str:
    """Return the fields of an element that are set to something unusual."""
    return " ".join(
        name if value is True else f"{name.removesuffix('Config')}={_short(value)}"
        for name, value in facts.items()
        if name not in LEFT_OUT
        and (value or (value == 0 and value is not False))
        and value not in USUAL.get(name, ())
    )


def _short(value: object) -> str:
    """Return the value of a field as a short text."""
    match value:
        case {"value": inner, **rest} | {"content": inner, **rest} if not rest:
            return _short(inner)
        case {"useStretch": True}:
            return "stretch"
        case {"gapSize": size}:
            return size
        case {"columns": list(columns), "rows": list(rows)}:
            return f"{len(rows)} rows of {' '.join(map(str, columns))}"
        case dict():
            return _cut(_facts(value))
        case list():
            return _cut(_ends([_short(entry) for entry in value]))
        case float():
            return _number(value)
    return _cut(str(value))


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def changes(before: Sequence[str], after: Sequence[str]) -> str:
    """Return the added and removed elements, and the new words in the others.

    If there are many new elements, only those with numbers are named: the outline of the view shows
    the others.
    """
    old = [element for line in before for element in line.split(" │ ")]
    new = [element for line in after for element in line.split(" │ ")]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changed, gone, come = [], [], []
    for kind, first, last, new_first, new_last in matcher.get_opcodes():
        some, others = old[first:last], new[new_first:new_last]
        if kind != "equal" and [*map(_head, some)] == [*map(_head, others)]:
            changed += [_new_words(*pair) for pair in zip(some, others, strict=True)]
        elif kind != "equal":
            gone += some
            come += others

    if len(gone) + len(come) > MAX_NAMED:
        changed.append(f"{len(gone)} elements go, {len(come)} come")
        gone = []
        come = [line for line in come if " Σ " in line or line.startswith("metric")]
    changed += [f"− {_head(line)}" for line in gone]
    changed += [f"+ {_brief(line)}" for line in come]
    return "; ".join(dict.fromkeys(changed))


def _head(element: str) -> str:
    """Return the kind of an element, and its key if it has one."""
    words = element.split()
    has_key = len(words) > 1 and words[0] not in WITHOUT_KEY and "." not in words[0]
    key = re.sub(r"[.\d-]+$", "", words[1]) if has_key else ""  # "qkv.row" of "qkv.row.14"
    return f"{words[0]} {key}".strip()


def _new_words(before: str, after: str) -> str:
    old = set(before.split())
    words = [word for word in after.split() if word not in old] or ["shorter"]
    return f"{_head(after)}: {' '.join(words)}"


def _brief(element: str) -> str:
    """Name an element by its kind, key and numbers, or else by its first words."""
    numbers = re.findall(r"\[[^]]*\] Σ \S+", element)
    return f"{_head(element)} {' '.join(numbers)}" if numbers else _cut(element)
