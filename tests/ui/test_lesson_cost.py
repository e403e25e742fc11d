"""Lesson 6 as Streamlit runs it."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.lessons.cost.complexity import LAYER_TYPES, attention_bytes, complexities
from model.lessons.cost.layer_timing import TIMED, Timing
from tests.ui.app import finished, html_of, open_page, run, set_widget, tables_of, text_of
from ui.lessons.cost import timing
from ui.lessons.cost.table import LENGTHS

ROOT = Path(__file__).parents[2]
SENTENCE = "I see a cat."

pytestmark = pytest.mark.usefixtures("checkpoints")


def _lesson(view: str = "table") -> AppTest:
    return open_page("pages/cost.py", sentence=SENTENCE, show=view)


def _curves(app: AppTest) -> list[dict[str, np.ndarray]]:
    return [
        {name: rows["y"].to_numpy() for name, rows in table.groupby("curve", sort=False)}
        for table in tables_of(app, "curve")
    ]


@pytest.mark.parametrize(
    "sizes", [{"n": 16, "d": 64, "k": 2, "r": 4}, {"n": 4096, "d": 1024, "k": 9, "r": 256}]
)
def test_table_and_curves_follow_all_four_sizes(sizes):
    app = _lesson()
    for name, value in sizes.items():
        app = set_widget(app, "slider" if name == "k" else "select_slider", f"cost.{name}", value)
    expected = complexities(**sizes)
    rows = [line for line in text_of(app).splitlines() if line.startswith("| ") and "**" in line]
    for row, name in zip(rows, LAYER_TYPES, strict=True):
        numbers = [int(cell.strip(" *").replace(",", "")) for cell in row.split("|")[3:8:2]]
        assert numbers == [expected[name].work, expected[name].steps, expected[name].path]
    for curves, measure in zip(_curves(app), ("work", "steps", "path"), strict=True):
        for shown, name in zip(curves.values(), LAYER_TYPES, strict=True):
            assert shown.tolist() == [
                getattr(complexities(**sizes | {"n": n})[name], measure) for n in LENGTHS
            ]
    marks = [t for t in tables_of(app) if "curve" not in t]
    assert [{**mark.iloc[0]} for mark in marks if "y" in mark] == [
        {"x": sizes["d"], "y": sizes["d"] ** 3}
    ]
    assert [mark["x"][0] for mark in marks if "y" not in mark] == [sizes["n"]] * 3


def test_what_to_try_works():
    app = set_widget(_lesson(), "select_slider", "cost.n", 512)
    assert app.select_slider(key="cost.d").value == 512
    assert text_of(app).count(f"**{512**3:,}**") == 2  # self-attention and recurrent
    app = set_widget(app, "select_slider", "cost.n", 1024)
    assert f"**{4 * 512**3:,}**" in text_of(app)
    assert f"**{2 * 512**3:,}**" in text_of(app)


def test_nothing_is_measured_before_it_is_asked_for():
    app = _lesson("timing")
    assert not app.get("vega_lite_chart")
    assert "Nothing measured yet" in app.info[0].value


def test_what_was_measured_is_drawn_and_stays(monkeypatch):
    monkeypatch.setattr(timing, "LENGTHS", (16, 32))
    app = _lesson("timing")
    app = set_widget(app, "select_slider", "cost.timed_d", 32)
    app.button(key="cost.measure").click()
    app = finished(run(app))
    found = app.session_state["work.panels"]["cost.measure"].results
    assert {d for d, _ in found} == {32}
    timings = [timing for _, timing in found]
    assert [(t.layer, t.n) for t in timings] == [(name, n) for n in (16, 32) for name in TIMED]
    for shown, name in zip(_curves(app)[0].values(), TIMED, strict=True):
        expected = [1000 * t.seconds for t in timings if t.layer == name]
        np.testing.assert_allclose(shown, expected)
    seconds = {t.layer: t.seconds for t in timings if t.n == 32}
    assert f"**{seconds['recurrent'] / seconds['at_once']:.1f} times**" in text_of(app)
    assert "float32" in text_of(app)
    app = set_widget(app, "segmented_control", "choice.show", "")
    app = set_widget(app, "segmented_control", "choice.show", "timing")
    assert len(_curves(app)[0]) == len(TIMED)


def test_what_was_measured_before_a_stop_is_drawn(monkeypatch):
    names, within, over = [*TIMED, "self"], threading.Event(), threading.Event()
    lengths = [16] * len(TIMED) + [32]

    def some(*_, **__):
        yield from (Timing(*pair, 0.001) for pair in zip(names, lengths, strict=True))
        within.set()  # in the middle of a measurement
        over.wait(60)
        yield Timing("recurrent", 32, 0.001)

    monkeypatch.setattr(timing, "measure_layers", some)
    monkeypatch.setattr(timing, "LENGTHS", (16, 32))
    app = _lesson("timing")
    app.button(key="cost.measure").click()
    app = run(app)
    assert within.wait(60)
    app.button(key="cost.measure.stop").click()
    app = run(app)
    over.set()
    app = finished(app)
    assert "Stopped after 7 of 10" in str(app.get("progress")[0].proto)
    curves = _curves(app)[0]
    assert [int(np.isfinite(shown).sum()) for shown in curves.values()] == [2, 2, 1, 1, 1]
    assert "**n = 16, d = 64:**" in text_of(app)


def test_memory_is_counted(checkpoints):
    model = load(checkpoints / "en-fr")
    app = set_widget(_lesson("memory"), "select_slider", "cost.memory_n", 4096)
    heads = model.config.n_heads
    assert attention_bytes(n_heads=heads, n=4096) == 201_326_592  # 3 · 4096² · 4
    assert "= 201 MB**" in text_of(app)
    assert "**1.21 GB** for all 6" in text_of(app)
    [curve] = _curves(app)[0].values()
    np.testing.assert_allclose(curve, [attention_bytes(n_heads=heads, n=n) / 1e6 for n in LENGTHS])
    weights = model.trace(SENTENCE).encoder_self
    assert f"hold {weights.nbytes / 1000:.3g} kB" in text_of(app)


def test_a_text_grows_until_the_model_refuses_it(checkpoints):
    model = load(checkpoints / "en-fr")
    app = _lesson("memory")
    n = len(model.trace(SENTENCE).src)
    assert f"**{n}** tokens, and it takes up to **61**" in text_of(app)
    assert 'role="alert"' not in html_of(app)
    app = set_widget(app, "slider", "cost.repeat", 40)
    tokens = len(model.tokenizer.encode(" ".join([SENTENCE] * 40)))
    assert f"This text has {tokens} tokens, but at most 61 are possible here" in html_of(app)
    [bars] = [table for table in tables_of(app) if "middle" in table]
    assert bars["value"].tolist() == [tokens, 61]


def test_a_sentence_too_long_gets_its_sentence():
    app = set_widget(_lesson("memory"), "text_input", "choice.sentence", "word " * 1000)
    assert 'role="alert"' in html_of(app)
    assert not app.get("vega_lite_chart")
