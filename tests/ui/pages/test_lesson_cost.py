"""Lesson: the cost in theory, in measured time, and in memory; a draft and its check."""

import os
import platform
import re
import threading
from html import unescape

import numpy as np
import pytest
import torch

from model.lessons.cost import LAYER_TYPES, TIMED, attention_bytes, complexities
from model.lessons.drafts import translate_with_draft
from model.pictures.tokens import display
from tests.ui.drawn import EN, SENTENCE, Page, opens
from tests.ui.saved_files import Files
from ui.lessons import cost
from ui.lessons.cost import LENGTHS

_lesson = opens("cost")


SIZES = pytest.mark.parametrize(
    "sizes",
    [{"n": 4096, "d": 1024, "k": 9, "r": 256}, {"n": 1024, "d": 512, "k": 3, "r": 16}],
)


def _table_with(sizes: dict[str, int]) -> Page:
    return _lesson("table").use({f"cost.{name}": value for name, value in sizes.items()})


def test_layers_are_timed_on_16_to_2048_tokens():
    assert cost.TIMED_LENGTHS == (16, 32, 64, 128, 256, 512, 1024, 2048)


@SIZES
def test_the_table_uses_all_four_sizes(sizes):
    page = _table_with(sizes)
    for name, layer in complexities(**sizes).items():
        numbers = {
            "work": f"{layer.work:,}",
            "steps": f"{layer.steps:,}",
            "path": f"{layer.path:,}",
        }
        assert EN(f"cost.row_{name}", **numbers) in page.text


@SIZES
def test_the_curves_use_all_four_sizes(sizes):
    table_of_length = [complexities(**{**sizes, "n": n}) for n in LENGTHS]
    for chart, measure in zip(_table_with(sizes).charts(), ("work", "steps", "path"), strict=True):
        curves = {
            EN(f"cost.{name}"): [getattr(table[name], measure) for table in table_of_length]
            for name in LAYER_TYPES
        }
        titles = "cost.n_axis_marked", f"cost.{measure}"
        chart.curves_are(curves, LENGTHS, titles, log="xy", mark=[sizes["n"]])


@SIZES
def test_a_ring_marks_where_recurrence_and_self_attention_cost_the_same(sizes):
    work, steps, path = _table_with(sizes).charts()
    d = sizes["d"]
    assert work.tables["ring"].to_numpy().tolist() == [[d, d**3]]
    assert "ring" not in steps.tables
    assert "ring" not in path.tables


def test_a_link_contains_the_sizes():
    page = _lesson("table", **{"cost.n": "16", "cost.d": "64", "cost.k": "2", "cost.r": "4"})
    assert page.text.count(f"**{16 * 64**2:,}**") == 1


def test_at_n_equal_to_d_two_layers_do_the_same_work():
    """The experiment that the page suggests."""
    page = _table_with({"n": 512, "d": 512})
    assert page.text.count(f"**{512**3:,}**") == 2


def test_measured_times_are_drawn_and_kept(monkeypatch, files: Files):
    timings = [((name, n), (16 + index) / n) for n in (16, 32) for index, name in enumerate(TIMED)]
    calls = []

    def measure_layers(lengths, *, d, repeats):
        calls.append({"lengths": lengths, "d": d, "repeats": repeats})
        return timings

    monkeypatch.setattr(cost, "TIMED_LENGTHS", (16, 32))
    monkeypatch.setattr(cost.cost, "measure_layers", measure_layers)
    page = _lesson("timing")
    assert not page.charts()
    assert EN("cost.not_measured") in page.app.info[0].value
    page.use({"cost.timed_d": 32})
    page.press("cost.measure").finished()
    assert calls == [{"lengths": (16, 32), "d": 32, "repeats": 7}]
    seconds = dict(timings)
    curves = {
        EN(f"cost.timed_{name}"): [1000 * seconds[name, n] for n in (16, 32)] for name in TIMED
    }
    [chart] = page.charts()
    chart.curves_are(curves, (16, 32), ("cost.n_axis", "cost.milliseconds"), log="xy")
    assert chart.spec["layer"][0]["mark"]["point"]  # a dot for each measurement
    recurrent = seconds["recurrent", 32]
    ratios = {
        "once": f"{recurrent / seconds['at_once', 32]:.1f}",
        "convolution": f"{recurrent / seconds['convolution', 32]:.1f}",
        "attention": f"{seconds['self', 32] / recurrent:.2g}",
    }
    assert EN("cost.ratio", n=32, d=32, **ratios) in page.text
    facts = {"machine": platform.machine(), "torch": torch.__version__}
    layers = {"heads": 2, "kernel": 3, "r": 17}
    machine = EN("cost.machine", cores=os.cpu_count(), repeats=7, threads=1, **facts, **layers)
    assert machine in page.text
    files.name = "timing"
    assert files.about() == {"page": "cost", "d": 32, "threads": 1, **facts}
    page.use({"choice.show": ""}).use({"choice.show": "timing"})
    assert len(page.charts()) == 1
    assert not _lesson("timing").charts()  # another visitor measures on his own


def test_times_that_were_measured_before_a_stop_are_drawn(monkeypatch):
    has_begun = threading.Event()
    may_end = threading.Event()

    def measure_layers(*_, **__):
        for name in TIMED:
            yield (name, 16), 0.001
        yield ("self", 32), 0.001
        has_begun.set()  # during a measurement
        may_end.wait(60)
        yield ("recurrent", 32), 0.001

    monkeypatch.setattr(cost.cost, "measure_layers", measure_layers)
    monkeypatch.setattr(cost, "TIMED_LENGTHS", (16, 32))
    page = _lesson("timing").press("cost.measure")
    assert has_begun.wait(60)
    page.run().press("cost.measure.stop")
    may_end.set()
    page.finished()
    assert "Stopped after 7 of 10" in str(page.app.get("progress")[0].proto)
    curves = page.charts()[0].series("curves", "curve", "y").values()
    assert [int(np.isfinite(shown).sum()) for shown in curves] == [2, 2, 1, 1, 1]
    assert "**n = 16, d = 64:**" in page.text


def test_the_memory_of_attention_is_counted(trace):
    page = _lesson("memory").use({"cost.memory_n": 4096})
    memory = EN("cost.memory", heads=3, n="4,096", bytes="201 MB", all="1.21 GB", maps=6)
    assert memory in page.text  # 3 · 4096² · 4 bytes
    growth, _ = page.charts()
    megabytes = [attention_bytes(n_heads=3, n=n) / 1e6 for n in LENGTHS]
    titles = "cost.n_axis_marked", "cost.megabytes"
    growth.curves_are({EN("cost.one_map"): megabytes}, LENGTHS, titles, log="xy", mark=[4096])
    size = f"{trace.encoder_self.nbytes / 1000:.3g} kB"
    of_sentence = EN("cost.sentence_memory", n=len(trace.src), layers=2, heads=3, bytes=size)
    assert of_sentence in page.text


def test_a_text_can_be_made_longer_until_the_model_refuses_it(t, trace):
    page = _lesson("memory")
    assert EN("cost.taken", n=len(trace.src), limit=61) in page.text
    assert 'role="alert"' not in page.html
    page.use({"cost.repeat": 40})
    n_tokens = len(t.tokenizer.encode(" ".join([SENTENCE] * 40)))
    assert f"This text has {n_tokens} tokens, but at most 61 are possible here" in page.html
    _, limit = page.charts()
    assert limit.bars() == {EN("cost.text"): n_tokens, EN("cost.limit"): 61}


def _cells(page: Page, kind: str) -> list[list[str]]:
    """Return the texts of the rows of a draft that are of this kind."""
    rows = re.findall(rf'<tr class="{kind}">(.*?)</tr>', page.html)
    cells = [re.findall(r"<td>(.*?)</td>", row) for row in rows]
    return [[unescape(re.sub("<.*?>", "", cell)) for cell in row] for row in cells]


@pytest.mark.parametrize("n_bits", [16, 3])
def test_a_draft_its_check_and_the_result_are_shown(t, trace, n_bits):
    page = _lesson("draft").use({"cost.bits": n_bits})
    src_ids = [token.id for token in trace.src]
    drafted = translate_with_draft(t.model, t.tokenizer, src_ids, n_bits=n_bits)
    is_whole = drafted.n_kept == len(drafted.draft)
    assert is_whole == (n_bits == 16)  # one draft is kept whole, and one only in part
    draft, result = (
        display([t.tokenizer.subword(id) for id in ids]) for ids in (drafted.draft, drafted.ids)
    )

    kept = _cells(page, "kept")
    assert [cell for cell, _, _ in kept] == [*draft[: drafted.n_kept]]
    assert all(same == f"= {cell}" and written == cell for cell, same, written in kept)
    parts = _cells(page, "parts")
    assert len(parts) == (not is_whole)
    for cell, other, written in parts:
        assert cell == draft[drafted.n_kept]
        assert other == f"≠ {written}" == f"≠ {result[drafted.n_kept]}"
    after = _cells(page, "after")
    assert all("=" not in answer for _, answer, _ in after)
    written = [row[2] for row in (*kept, *parts, *after)]
    assert written[: len(result)] == [*display(trace.next_tokens)]
    assert "".join(written[len(result) :]) == ""


def test_the_tokens_of_a_draft_that_are_kept_are_counted(t, trace):
    page = _lesson("draft").use({"cost.bits": 3})
    src_ids = [token.id for token in trace.src]
    drafted = translate_with_draft(t.model, t.tokenizer, src_ids, n_bits=3)
    numbers = {"kept": drafted.n_kept, "tokens": len(drafted.draft)}
    numbers |= {"passes": drafted.n_passes, "without": len(drafted.ids)}
    assert EN("cost.draft_kept", bits=3, **numbers) in page.text


def test_a_link_contains_the_bits_of_a_draft():
    page = _lesson("draft", **{"cost.bits": "4"})
    assert page.control("cost.bits").value == 4
    assert page.link["cost.bits"] == "4"
    assert "cost.bits" not in page.use({"cost.bits": 5}).link  # the page opens with 5


@pytest.mark.usefixtures("family")
def test_a_recurrent_model_writes_no_draft():
    page = _lesson("draft", checkpoint="en-fr-bahdanau")
    assert EN("translation.recurrent") in page.links
    assert "checked-draft" not in page.html
