"""Pictures of a trace without the app: one map as SVG, all maps as a page."""

import base64
import json
import math
import re
import shutil
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from model import Trace, load
from model.checkpoint.fingerprint import fingerprint
from model.pictures.colours import COLOURS
from model.pictures.map_svg import map_svg
from model.pictures.offline_page import ENGLISH, VERSION
from model.pictures.text import text_width
from model.pictures.tokens import display
from model.trace.tracing import trace_pair
from model.transformer.heads import KINDS
from tests.conftest import save_recurrent

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- <script> ]]> &amp; &lt; \" ' `",
    "a\u2028b\u2029c\u0000d\u000be",
    "שלום \u202eabc\u2066 x\u2069\u2069 \u200f",
    "${alert(1)} $data {head} %s \\u003c",
]


@pytest.fixture(scope="module")
def shipped(shipped_checkpoint):
    return load(shipped_checkpoint).trace("The black cat sleeps on the old chair.")


@pytest.fixture(scope="module")
def family(tokenizer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("family")
    save_recurrent(folder, tokenizer)
    return folder


class Elements(HTMLParser):
    """Collect every element of a page with its attributes, and the text of each kind of element."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self.found[-1][0] if self.found else "", []).append(data)


def data_of(page: str) -> dict:
    [text] = re.findall(r'<script type="application/json" id="analysis">(.*?)</script>', page, re.S)
    return json.loads(text)


def weights_of(attention: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(attention["weights"]), "<f4").reshape(attention["shape"])


def test_a_page_contains_every_weight_with_its_labels(shipped):
    content = data_of(str(shipped.to_html()))
    assert [attention["kind"] for attention in content["attentions"]] == list(KINDS)
    for attention in content["attentions"]:
        kind = attention["kind"]
        np.testing.assert_array_equal(weights_of(attention), getattr(shipped, kind))
        assert tuple(attention["keys"]) == display(shipped.attention(kind).key_tokens)
        rows = ["read"] if kind == "encoder_self" else ["read", "written"]
        expected = {r: [*display(shipped.attention(kind, rows=r).query_tokens)] for r in rows}
        assert attention["queries"] == expected
    assert content["languages"] == {"source": "en", "target": "fr"}


def test_a_page_states_its_origin(shipped, shipped_checkpoint):
    page = str(shipped.to_html())
    text = unescape("\n".join(" ".join(texts) for texts in Elements(page).texts.values()))
    assert (shipped_checkpoint / "README.md").read_text(encoding="utf-8") in unescape(page)
    model = load(shipped_checkpoint)
    for expected in (
        shipped.source_text,
        shipped.target_text,
        f"{shipped.log_probs.sum():.3f}",
        f"{model.n_parameters:,} parameters",
        fingerprint(model.model)[:12],
        "English to French",
        f"Attention Explorer {VERSION}",
    ):
        assert expected in text


def test_a_share_between_two_colours_gives_a_mixture():
    stops = [[*bytes.fromhex(colour[1:])] for colour in COLOURS["light"].sequential]
    for share in (0.03, 0.3, 0.71, 0.99):
        mixed = [np.interp(share * (len(stops) - 1), range(len(stops)), c) for c in zip(*stops)]  # noqa: B905
        assert [*bytes.fromhex(COLOURS["light"].of(share)[1:])] == [round(part) for part in mixed]


def structure_of(elements: Elements) -> list[tuple[str, str | None]]:
    """Return all elements but those of single tokens, and the policy for scripts."""
    return [
        (tag, attributes.get("http-equiv") and attributes["content"])
        for tag, attributes in elements.found
        if tag not in ("li", "bdi", "small")
    ]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_text_stays_text(t, hostile):
    plain = Elements(str(t.trace("I see.", target="Je vois.").to_html()))
    trace = t.trace(hostile, target=hostile)
    page = str(trace.to_html())
    assert structure_of(Elements(page)) == structure_of(plain)
    queries = data_of(page)["attentions"][0]["queries"]["read"]
    assert tuple(queries) == display(trace.src_tokens)
    assert not any(character < " " and character != "\n" for character in page.replace(hostile, ""))
    drawing = ElementTree.fromstring(trace.plot().svg)
    tags = {element.tag.removeprefix(SVG) for element in drawing.iter()}
    assert tags == {"svg", "title", "desc", "rect", "text"}
    turning = set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069")
    assert not any(turning & set(text.text or "") for text in drawing.iter(f"{SVG}text"))


def test_a_page_cannot_ask_anybody(shipped, tmp_path):
    """Nor can pages in one notebook reach each other or the notebook."""
    page = shipped.to_html()
    elements = Elements(str(page)).found
    [policy] = [a["content"] for _, a in elements if "http-equiv" in a]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    asked = [a for _, a in elements if {"src", "href", "action", "srcset"} & set(a)]
    assert asked == [{"rel": "icon", "href": "data:,"}]
    [(tag, attributes)] = Elements(page._repr_html_()).found
    assert (tag, attributes["srcdoc"]) == ("iframe", page.html)
    assert attributes["sandbox"] == "allow-scripts allow-modals"
    assert page.save(tmp_path / "a.html").read_text("utf-8") == str(page)
    picture = shipped.plot()
    assert picture.save(str(tmp_path / "a.svg")).read_text("utf-8") == picture.svg


def cells_of(svg: str) -> list[tuple[str, str]]:
    rectangles = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    return [(rect[0].text or "", rect.attrib["fill"]) for rect in rectangles if len(rect)]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_shows_the_map_that_it_names(shipped, theme):
    svg = shipped.plot(layer=3, head=5, theme=theme).svg
    drawing = ElementTree.fromstring(svg)
    x_of = {text.text: float(text.attrib["x"]) for text in drawing.iter(f"{SVG}text")}
    texts = [*x_of]
    assert texts[0] == "Cross-attention · layer 4 · head 6"
    legend = [rect.attrib for rect in drawing.iter(f"{SVG}rect") if rect.get("height") == "8"]
    assert [legend[n]["fill"] for n in (0, -1)] == [COLOURS[theme].of(0), COLOURS[theme].of(1)]
    assert float(legend[0]["x"]) == x_of["0"] < x_of["0.5"] < x_of["1"]
    assert {*display(shipped.next_tokens), *display(shipped.src_tokens)} <= set(texts)
    expected = [
        (f"\u2068{query}\u2069 → \u2068{key}\u2069  {weight:.4f}", COLOURS[theme].of(float(weight)))
        for query, row in zip(display(shipped.next_tokens), shipped.cross[3, 5], strict=True)
        for key, weight in zip(display(shipped.src_tokens), row, strict=True)
    ]
    assert cells_of(svg) == expected
    assert "en-fr" in svg
    assert shipped.target_text.split()[0] in svg


def test_a_picture_without_a_head_shows_the_mean_of_the_last_layer(shipped):
    shown = [float(text.split()[-1]) for text, _ in cells_of(shipped.plot().svg)]
    np.testing.assert_allclose(shown, shipped.cross[-1].mean(axis=0).ravel(), atol=0.50001e-4)
    read = shipped.plot(rows="read").svg
    assert "\u2068&lt;bos&gt;\u2069 → " in read


def test_all_names_of_rows_and_columns_are_inside_the_picture():
    """A rotated label may extend further to the right than the last one."""
    tokens = {"query_tokens": ["a"], "key_tokens": ["a", "注意力注意力注意力注意力", "."]}
    words = {"title": "t", "note": "一个 句子的" + "注意力" * 24}
    picture = map_svg(np.full((1, 3), 1 / 3), **tokens, **words)
    drawing = ElementTree.fromstring(picture.svg)
    for text in drawing.iter(f"{SVG}text"):
        long = text_width(text.text or "", int(text.attrib["font-size"]))
        lean = math.cos(math.radians(45)) if "rotate" in text.get("transform", "") else 1
        begins = -1 if text.get("text-anchor") == "end" else 0
        right = float(text.attrib["x"]) + long * lean * (1 + begins)
        assert right <= float(drawing.attrib["width"]), text.text


@pytest.mark.parametrize(("n", "cell", "font"), [(2, 40, 15), (20, 24, 14), (60, 14, 10)])
def test_cells_and_their_names_have_room(n, cell, font):
    """All cells together take 480 pixels, each 14 to 40; no label is shortened."""
    names = ["a" * 16, "b" * 17, *"c" * (n - 2)]
    words = {"query_tokens": names, "key_tokens": names, "title": "t", "note": "n"}
    drawing = ElementTree.fromstring(map_svg(np.full((n, n), 1 / n), **words).svg)
    cells = [rect.attrib for rect in drawing.iter(f"{SVG}rect") if len(rect)]
    x = [float(rect["x"]) for rect in cells]
    y = [float(rect["y"]) for rect in cells]
    assert len(cells) == n * n
    assert x[1] - x[0] == y[n] - y[0] == cell
    texts = {text.text: text for text in drawing.iter(f"{SVG}text")}
    assert {"a" * 16, "b" * 17} <= texts.keys()
    assert texts["a" * 16].attrib["font-size"] == str(font)
    assert "rotate(-45 " in map_svg(np.full((n, n), 1 / n), **words).svg


@pytest.mark.parametrize("wrong", [-0.001, 1.001, np.nan, np.inf])
def test_a_map_with_one_number_that_is_no_weight_is_refused(wrong):
    words = {"query_tokens": ["a", "b"], "key_tokens": ["c", "d"], "title": "t", "note": "n"}
    map_svg(np.array([[0.0, 1.0], [0.5, 1.00009]]), **words)  # rounding is no fault
    with pytest.raises(ValueError, match=r"weights must lie in \[0, 1\]"):
        map_svg(np.array([[0.0, 1.0], [wrong, 0.5]]), **words)
    with pytest.raises(ValueError, match=r"\(2, 3\) do not fit 2 query tokens and 2 key tokens"):
        map_svg(np.full((2, 3), 0.1), **words)


def test_rows_keep_the_name_that_was_asked_for(shipped):
    """Although an encoder's rows have only one name. Cells that the mask hides are not drawn."""
    for rows in ("written", "read"):
        page = str(shipped.to_html("encoder_self", rows=rows))
        assert data_of(page)["start"]["rows"] == rows
    written = "rows: " + ENGLISH["rows.written"]
    read = "rows: " + ENGLISH["rows.read"]
    for rows in ("written", "read"):
        assert read in shipped.plot("encoder_self", rows=rows).svg
    assert written in shipped.plot("cross", rows="written").svg
    assert read in shipped.plot("cross", rows="read").svg
    n = len(shipped.tgt_tokens)
    assert len(cells_of(shipped.plot("decoder_self").svg)) == n * (n + 1) / 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "decoder"}, "'decoder'.*'encoder_self'"),
        ({"layer": 4}, "4.* 0, 1, 2, 3$"),
        ({"layer": -1}, "-1"),
        ({"head": 8}, "8.* 0, 1, 2, 3, 4, 5, 6, 7$"),
        ({"rows": "both"}, "'both'"),
    ],
)
def test_a_map_that_does_not_exist_is_refused_with_the_choices(shipped, arguments, message):
    for show in (shipped.plot, shipped.to_html):
        with pytest.raises(ValueError, match=message):
            show(**arguments)
    with pytest.raises(ValueError, match="'red'"):
        shipped.plot(theme="red")


def test_a_recurrent_model_shows_its_one_attention(family):
    trace = load(family / "en-fr-luong").trace("I see a cat.", target="Je vois un chat.")
    [attention] = data_of(str(trace.to_html()))["attentions"]
    np.testing.assert_array_equal(weights_of(attention)[0, 0], trace.alignment)
    shown = [float(text.split()[-1]) for text, _ in cells_of(trace.plot().svg)]
    np.testing.assert_allclose(shown, trace.alignment.ravel(), atol=0.50001e-4)
    assert "Attention of the decoder" in trace.plot().svg
    without = load(family / "en-fr-seq2seq").trace("I see a cat.", target="Je vois un chat.")
    for show in (without.plot, without.to_html):
        with pytest.raises(ValueError, match="en-fr-seq2seq has no attention"):
            show()


def test_the_fingerprint_distinguishes_models(family, tiny_checkpoint):
    folders = [*family.iterdir(), tiny_checkpoint]
    marks = {load(folder).origin.mark for folder in folders}
    assert len(marks) == len(folders) == 4
    assert marks == {load(folder).origin.mark for folder in folders}


def test_any_card_can_be_read(tiny_checkpoint, tmp_path):
    folder = Path(shutil.copytree(tiny_checkpoint, tmp_path / "tiny"))
    for content in (None, b"", b"x" * 100_001, b"caf\xe9 </pre>"):
        if content is not None:
            (folder / "README.md").write_bytes(content)
        page = str(load(folder).trace("I see.", target="Je vois.").to_html())
        shown = content == b"caf\xe9 </pre>"
        assert ("Model card</summary>" in page) is shown
        assert ("caf\ufffd &lt;/pre&gt;" in page) is shown


def test_a_trace_of_a_model_without_a_folder_can_be_drawn(t):
    trace = trace_pair(Trace, t.model, t.tokenizer, "I see.", target="Je vois.")
    assert trace.origin is None
    page = str(trace.to_html())
    assert "without a name" in page
    assert "Model card" not in Elements(page).texts["summary"]
    assert 'lang="' not in page.split("<body>")[1].split("<script")[0]


def test_a_picture_is_saved_in_the_format_of_its_file_name(shipped, tmp_path):
    pytest.importorskip("typst")  # which converts pictures; see requirements.txt
    picture = shipped.plot("cross", layer=0, head=2)
    svg = picture.save(tmp_path / "map.svg")
    assert svg.read_text(encoding="utf-8") == picture.svg
    assert picture.save(tmp_path / "map.pdf").read_bytes().startswith(b"%PDF-")
    image = Image.open(picture.save(tmp_path / "MAP.PNG"))
    root = ElementTree.fromstring(picture.svg)
    size = [int(root.get(side)) for side in ("width", "height")]
    assert image.size == pytest.approx([2 * side for side in size], abs=2)
    assert len(image.convert("RGB").getcolors(1 << 24)) > 20  # the picture is not empty


@pytest.mark.parametrize("name", ["map.jpg", "map", "map.svg.bak", "png"])
def test_a_picture_refuses_other_file_names(shipped, tmp_path, name):
    with pytest.raises(ValueError, match=f"'{name}': end the name in .png, .svg or .pdf"):
        shipped.plot().save(tmp_path / name)
    assert [*tmp_path.iterdir()] == []
