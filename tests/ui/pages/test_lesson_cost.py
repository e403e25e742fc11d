"""Lesson: on paper, on the clock, in memory."""

import threading

import numpy as np

from model.lessons.cost import LAYER_TYPES, TIMED, attention_bytes, complexities
from tests.ui.drawn import EN, SENTENCE, opens
from ui.lessons import cost
from ui.lessons.cost import LENGTHS

_lesson = opens("cost")


def test_table_and_curves_follow_all_four_sizes():
    page = _lesson("table", **{"cost.n": "16", "cost.d": "64", "cost.k": "2", "cost.r": "4"})
    assert page.text.count(f"**{16 * 64**2:,}**") == 1
    for sizes in ({"n": 4096, "d": 1024, "k": 9, "r": 256}, {"n": 1024, "d": 512, "k": 3, "r": 16}):
        page.use({f"cost.{name}": value for name, value in sizes.items()})
        for name, one in complexities(**sizes).items():
            numbers = {of: f"{getattr(one, of):,}" for of in ("work", "steps", "path")}
            assert EN(f"cost.row_{name}", **numbers) in page.text
        everywhere = [complexities(**sizes | {"n": n}) for n in LENGTHS]
        for chart, measure in zip(page.charts(), ("work", "steps", "path"), strict=True):
            curves = {
                EN(f"cost.{name}"): [getattr(one[name], measure) for one in everywhere]
                for name in LAYER_TYPES
            }
            titles = "cost.n_axis", f"cost.{measure}"
            chart.curves_are(curves, LENGTHS, titles, log="xy", mark=[sizes["n"]])
            ring = chart.tables.get("ring")
            found = [] if ring is None else ring.to_numpy().tolist()
            d = sizes["d"]
            assert found == ([[d, d**3]] if measure == "work" else [])
    page.use({"cost.n": 512})  # what the page proposes to try: both layers cost the same
    assert page.text.count(f"**{512**3:,}**") == 2


def test_what_was_measured_is_drawn_and_stays(monkeypatch):
    timings = [((name, n), (16 + place) / n) for n in (16, 32) for place, name in enumerate(TIMED)]
    asked = []
    monkeypatch.setattr(cost, "TIMED_LENGTHS", (16, 32))
    monkeypatch.setattr(
        cost.cost, "measure_layers", lambda *of, **how: asked.append((of, how)) or timings
    )
    page = _lesson("timing")
    assert not page.charts()
    assert EN("cost.not_measured") in page.app.info[0].value
    page.use({"cost.timed_d": 32})
    page.press("cost.measure").finished()
    assert asked == [(((16, 32),), {"d": 32, "repeats": 7})]
    seconds = dict(timings)
    curves = {EN(f"cost.timed_{of}"): [1000 * seconds[of, n] for n in (16, 32)] for of in TIMED}
    page.charts()[0].curves_are(curves, (16, 32), ("cost.n_axis", "cost.milliseconds"), log="xy")
    recurrent = seconds["recurrent", 32]
    ratios = {"once": "at_once", "convolution": "convolution"}
    ratios = {key: f"{recurrent / seconds[of, 32]:.1f}" for key, of in ratios.items()}
    ratios["attention"] = f"{seconds['self', 32] / recurrent:.2g}"
    assert EN("cost.ratio", n=32, d=32, **ratios) in page.text
    page.use({"choice.show": ""}).use({"choice.show": "timing"})
    assert len(page.charts()) == 1


def test_what_was_measured_before_a_stop_is_drawn(monkeypatch):
    names, within, over = [*TIMED, "self"], threading.Event(), threading.Event()
    lengths = [16] * len(TIMED) + [32]

    def some(*_, **__):
        yield from ((pair, 0.001) for pair in zip(names, lengths, strict=True))
        within.set()  # in the middle of a measurement
        over.wait(60)
        yield ("recurrent", 32), 0.001

    monkeypatch.setattr(cost.cost, "measure_layers", some)
    monkeypatch.setattr(cost, "TIMED_LENGTHS", (16, 32))
    page = _lesson("timing").press("cost.measure")
    assert within.wait(60)
    page.run().press("cost.measure.stop")
    over.set()
    page.finished()
    assert "Stopped after 7 of 10" in str(page.app.get("progress")[0].proto)
    curves = page.charts()[0].series("curves", "curve", "y").values()
    assert [int(np.isfinite(shown).sum()) for shown in curves] == [2, 2, 1, 1, 1]
    assert "**n = 16, d = 64:**" in page.text


def test_memory_is_counted_and_a_text_grows_until_the_model_refuses_it(t, trace):
    page = _lesson("memory", **{"cost.memory_n": "16"})
    assert EN("cost.taken", n=len(trace.src), limit=61) in page.text
    assert 'role="alert"' not in page.html
    page.use({"cost.memory_n": 4096, "cost.repeat": 40})
    said = EN("cost.memory", heads=3, n="4,096", bytes="201 MB", all="1.21 GB", maps=6)
    assert said in page.text  # 3 · 4096² · 4 bytes
    growth, limit = page.charts()
    megabytes = [attention_bytes(n_heads=3, n=n) / 1e6 for n in LENGTHS]
    titles = "cost.n_axis", "cost.megabytes"
    curve = {EN("cost.one_map"): megabytes}
    growth.curves_are(curve, LENGTHS, titles, log="xy", mark=[4096])
    size = f"{trace.encoder_self.nbytes / 1000:.3g} kB"
    said = EN("cost.sentence_memory", n=len(trace.src), layers=2, heads=3, bytes=size)
    assert said in page.text
    tokens = len(t.tokenizer.encode(" ".join([SENTENCE] * 40)))
    assert f"This text has {tokens} tokens, but at most 61 are possible here" in page.html
    assert limit.bars() == {EN("cost.text"): tokens, EN("cost.limit"): 61}
