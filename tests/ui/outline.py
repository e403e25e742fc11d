"""All that a page sends the browser, a line for each element; of many numbers two sums stand."""

import json
import re
from base64 import b64decode
from itertools import groupby
from zlib import crc32

import numpy as np
import pyarrow as pa
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest

from tests.ui.app import blob, link_of, tables_of
from tests.ui.saved_files import Files
from ui.text.translator import Translator

_TINY = 1e-4  # what is less may be another processor's rounding
_OF_ONE_RUN = ("pageScriptHash", "deferredFileId", "url")
_MANY = 24  # of more numbers or texts only sums are kept


def say_keys(patch) -> None:
    """Texts are their keys and values: another wording is no other page."""

    def said(self: Translator, key: str, **values: object) -> str:
        text = self.texts[key].format_map(values)
        if key == "language.own_name":
            return text
        return f"‹{' '.join([key, *(f'{name}={value}' for name, value in values.items())])}›"

    patch.setattr(Translator, "__call__", said)
    patch.setattr(Translator, "content", lambda _, name: f"‹{name}›")
    patch.setattr(Translator, "section", lambda _, name, part: f"‹{name} {part}›")


def outline(app: AppTest, files: Files) -> list[str]:
    """The link, each element, the data of all charts, and what each figure's file holds."""
    lines = [f"link {_json(link_of(app))}"]
    for node in app._tree:
        proto = getattr(node, "proto", None)
        match node.type:
            case "html":
                body = re.sub(r"<style.*?</style>", "", proto.body, flags=re.DOTALL)
                body = re.sub(r"data:image/svg\+xml;base64,([\w+/=]+)", _picture, body)
                lines.append(f"html {' '.join(body.split())}")
            case "bidi_component":
                said = [json.loads(proto.json or "null"), *(_blob(proto) if proto.bytes else [])]
                lines.append(f"{proto.component_name} {_json(said)}")
            case "vega_lite_chart":
                lines.append(f"chart {_json(json.loads(proto.spec))}")
            case _ if proto is not None:
                said = MessageToDict(proto)
                key = re.sub(r"\d{6,}", "", str(said.pop("id", "")).split("-", 2)[-1])
                lines.append(f"{node.type} {key} {_json(said)}")
    lines += [f"table {_json(frame.to_dict('list'))}" for frame in tables_of(app)]
    lines += [f"file {name} {_json(files.json(name))}" for name in sorted(files.names())]
    lines = [re.sub(r"-?[\d.]+e-(0[5-9]|\d\d)\b", "0", line) for line in lines]
    lines = [re.sub(r"(?<=ago=)‹.*?›", "", line) for line in lines]
    return [re.sub(r"/\S+/(?=[\w-]+/)", "", line) for line in lines]  # folders of this machine


def _picture(found: re.Match[str]) -> str:
    svg = b64decode(found[1]).decode()
    return f"{svg.count('<')} {' '.join(re.sub('<.*?>', ' ', svg).split())}"


def _blob(proto) -> tuple[dict, list]:
    header, data = blob(proto)
    kind = np.dtype("<u2" if "queries" in header else "<f4")
    return header, np.frombuffer(data[: len(data) // kind.itemsize * kind.itemsize], kind).tolist()


def _json(value: object) -> str:
    return json.dumps(_short(value), ensure_ascii=False, separators=(",", ":"), default=str)


def _short(value: object) -> object:
    match value:
        case {"bdata": data, "dtype": kind}:
            return _short(np.frombuffer(b64decode(data), kind).tolist())
        case {"arrowData": {"data": data}}:
            return _short(pa.ipc.open_stream(b64decode(data)).read_pandas().to_dict("list"))
        case {"columns": list(columns), "rows": list(rows)}:
            cells = [cell for row in rows for cell in row]
            texts = [cell for cell in cells if isinstance(cell, str)]
            return [
                *map(_short, (columns, texts, [x for x in cells if isinstance(x, int | float)]))
            ]
        case dict():
            return {name: _short(value[name]) for name in value if name not in _OF_ONE_RUN}
        case str() if value.startswith("data:"):
            return f"data {crc32(value.encode())}"
        case str() if value.startswith(("[", '{"')):
            return _short(json.loads(value))
        case float():
            return 0.0 if abs(value) < _TINY else float(f"{value:.4g}")
        case list() if value and all(isinstance(one, float) and _is_power(one) for one in value):
            return "powers of ten"  # of an axis that may begin with the smallest rounding
        case list() if len(value) > _MANY and all(isinstance(one, int | float) for one in value):
            return _sums(np.array(value, dtype=float))
        case list() if len(value) > _MANY and all(isinstance(one, str) for one in value):
            return " ".join(f"{len([*same])} {text}" for text, same in groupby(value))
        case list():
            return [*map(_short, value)]
    return value


def _is_power(number: float) -> bool:
    return number > 0 and np.isclose(np.log10(number) % 1, [0, 1]).any()


def _sums(numbers: np.ndarray) -> str:
    known = np.where(np.isfinite(numbers), numbers, 0)
    places = np.linspace(1, 2, len(known))
    return f"{len(known)} numbers {known.sum():.4g} {(places * known).sum():.4g}"
