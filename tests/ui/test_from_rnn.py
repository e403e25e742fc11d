"""The page "From RNN to attention": every number on it is the models' own."""

from __future__ import annotations

import json
import shutil
from html import escape
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import RecurrentTranslationModel, load
from model.compare import main as compare
from model.heads.alignment_error_rate import AlignedPair
from model.heads.analysis import analyse, save_analysis
from model.lessons.from_rnn.forgetting import influence_on_last, similarity_to_last
from model.pictures.tokens import display
from model.translation_model import load_transformer
from tests.conftest import PAIRS
from tests.ui.app import (
    finished,
    html_of,
    matrices_of,
    open_page,
    run,
    set_widget,
    tables_of,
    text_of,
)
from tests.ui.saved_files import Files
from ui.from_rnn import context_vector as memory
from ui.from_rnn.length import TO_JOIN
from ui.text.translator import translator

PAGE, SENTENCE = "pages/from_rnn.py", "The cat sleeps on the chair."


def opened(view: str = "side") -> AppTest:
    return open_page(PAGE, sentence=SENTENCE, show=view)


def recurrent(family: Path, arch: str) -> RecurrentTranslationModel:
    t = load(family / f"en-fr-{arch}")
    assert isinstance(t, RecurrentTranslationModel)
    return t


def maps_of(app: AppTest) -> list[np.ndarray]:
    """The heatmaps, left to right."""
    return [
        table.pivot(index="top", columns="left", values="weight").to_numpy()
        for table in tables_of(app, "weight", "query", "key")
    ]


def test_translations_and_probabilities_of_all(family: Path) -> None:
    page = html_of(opened())
    for name in ("en-fr-seq2seq", "en-fr-bahdanau", "en-fr"):
        trace = load(family / name).trace(SENTENCE)
        assert f"log p = {trace.log_probs[0]:.4f}" in page
        assert escape(trace.target_text) in page


def test_a_model_of_other_languages_stands_beside_none_of_these(family: Path) -> None:
    """A French and a Chinese translation are no comparison; the page says whose models it shows."""
    told = escape("has no recurrent model of its languages")
    assert told not in html_of(opened())
    shutil.copytree(family / "en-fr", family / "en-zh")
    config = family / "en-zh" / "config.json"
    values = json.loads(config.read_text(encoding="utf-8"))
    values["training"] |= {"languages": ["en", "zh"]}
    config.write_text(json.dumps(values), encoding="utf-8")
    page = html_of(open_page(PAGE, sentence=SENTENCE, checkpoint="en-zh"))
    assert told in page
    trace = load(family / "en-fr").trace(SENTENCE)
    assert escape(trace.target_text) in page
    assert translator("en")("language.zh") not in page


def test_maps_are_the_alignment_and_the_mean_of_the_heads(family: Path) -> None:
    bahdanau, transformer = maps_of(opened())
    expected = recurrent(family, "bahdanau").trace(SENTENCE).alignment
    np.testing.assert_allclose(bahdanau, expected, atol=1e-6)
    trace = load(family / "en-fr").trace(SENTENCE)
    np.testing.assert_allclose(transformer, trace.cross[-1].mean(axis=0), atol=1e-6)


def test_the_head_that_aligns_best_is_the_analysis_s(family: Path) -> None:
    rates = [[0.5, 0.4, 0.6], [0.7, 0.1, 0.3]]
    links = frozenset({(0, 0), (1, 1), (2, 2)})
    pairs = [AlignedPair("I see.", "Je vois.", links, links)]
    analysis = analyse(
        load_transformer(family / "en-fr"), {"I see.": ["Je vois."]}, alignments=pairs
    )
    analysis["alignment"]["rates"]["weights AWI"]["heads"] = rates
    save_analysis(family / "en-fr", analysis)
    app = opened()
    trace = load(family / "en-fr").trace(SENTENCE)
    np.testing.assert_allclose(maps_of(app)[1], trace.cross[1, 1], atol=1e-6)
    assert "layer 2, head 2" in text_of(app)
    app = set_widget(app, "button_group", "from_rnn.head", "mean")
    np.testing.assert_allclose(maps_of(app)[1], trace.cross[-1].mean(axis=0), atol=1e-6)


def test_all_can_read_the_same_target(family: Path) -> None:
    app = set_widget(opened(), "button_group", "from_rnn.target", "shared")
    target = load(family / "en-fr").trace(SENTENCE).target_text
    assert "by the Transformer (teacher forcing)" in html_of(app)
    expected = recurrent(family, "bahdanau").trace(SENTENCE, target=target)
    np.testing.assert_allclose(maps_of(app)[0], expected.alignment, atol=1e-6)
    assert f"log p = {expected.log_probs[1]:.4f}" in html_of(app)


def test_the_files_hold_what_is_shown(family: Path, files: Files) -> None:
    files.name = "side_by_side"
    opened()
    names = ["en-fr-seq2seq", "en-fr-bahdanau", "en-fr"]
    traces = {name: load(family / name).trace(SENTENCE) for name in names}
    what = files.json()
    assert what["checkpoint"] == names
    assert (what["target_origin"], what["beam"]) == ("generated", 1)
    assert what["target"] == [trace.target_text for trace in traces.values()]
    for name, trace in traces.items():
        found = files.column(f"{name} tokens", "log_prob")
        np.testing.assert_allclose(found, trace.log_probs, atol=1e-5)
    expected = recurrent(family, "bahdanau").trace(SENTENCE).alignment
    np.testing.assert_allclose(files.numbers("en-fr-bahdanau map"), expected, atol=1e-6)
    mean = traces["en-fr"].cross[-1].mean(axis=0)
    np.testing.assert_allclose(files.numbers("en-fr map"), mean, atol=1e-6)
    assert "en-fr-seq2seq map" not in files.tables()
    assert what["rows of en-fr-bahdanau"]
    assert what["rows of en-fr"]


def test_luong_can_be_added(family: Path) -> None:
    app = set_widget(opened(), "button_group", "from_rnn.models", ["luong"])
    (alignment,) = maps_of(app)
    expected = recurrent(family, "luong").trace(SENTENCE).alignment
    np.testing.assert_allclose(alignment, expected, atol=1e-6)


def test_one_vector_is_the_same_at_every_step(family: Path) -> None:
    app = opened("memory")
    (_, fixed), (_, attended) = matrices_of(app)
    for arch, drawn in (("seq2seq", fixed), ("bahdanau", attended)):
        context = recurrent(family, arch).trace(SENTENCE).records["decoder.context"]
        np.testing.assert_allclose(drawn, context[:, :24], atol=1e-6)
    assert (fixed == fixed[:1]).all()
    assert not (attended == attended[:1]).all()


def test_forgetting_is_measured(family: Path) -> None:
    app = opened("memory")
    t = recurrent(family, "seq2seq")
    trace = t.trace(SENTENCE)
    (table,) = tables_of(app, "value")
    expected = {
        "influence": influence_on_last(t, trace),
        "cosine": similarity_to_last(trace.states("forwards")).clip(0),
    }
    assert len(table) == sum(map(len, expected.values()))
    for name, values in expected.items():
        columns = table[table["name"].str.startswith(name)].sort_values("left")
        np.testing.assert_allclose(columns["value"], values, atol=1e-5)
        assert columns["label"].tolist() == list(display(trace.src_tokens))


def test_the_influence_in_a_long_sentence_is_measured_when_asked(
    family: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_UNASKED", 5)
    app = opened("memory")
    (table,) = tables_of(app, "value")
    assert table["name"].str.startswith("cosine").all()
    app.button(key="from_rnn.measure").click()
    (table,) = tables_of(finished(run(app)), "value")
    t = recurrent(family, "seq2seq")
    drawn = table[table["name"].str.startswith("influence")].sort_values("left")["value"]
    np.testing.assert_allclose(drawn, influence_on_last(t, t.trace(SENTENCE)), atol=1e-5)


@pytest.mark.parametrize(
    ("arch", "part", "gate"),
    [("seq2seq", "forwards", "update"), ("bahdanau", "backwards", "reset"),
     ("luong", "decoder", "forget"), ("luong", "forwards", "cell")],
)  # fmt: skip
def test_gates_are_the_trace_s(family: Path, arch: str, part: str, gate: str) -> None:
    app = opened("gates")
    if arch != "seq2seq":
        app = set_widget(app, "button_group", "from_rnn.model", arch)
    app = set_widget(app, "button_group", f"from_rnn.part.{arch}", part)
    app = set_widget(app, "button_group", f"from_rnn.gate.{arch}", gate)
    ((_, drawn),) = matrices_of(app)
    values = recurrent(family, arch).trace(SENTENCE).gates(part)[gate]  # type: ignore[arg-type]
    order = np.argsort(-values.std(axis=0), kind="stable")
    np.testing.assert_allclose(drawn, values[:, order], atol=1e-6)


def test_the_state_too(family: Path) -> None:
    app = set_widget(opened("gates"), "button_group", "from_rnn.gate.seq2seq", "state")
    ((_, drawn),) = matrices_of(app)
    states = recurrent(family, "seq2seq").trace(SENTENCE).states("forwards")
    np.testing.assert_allclose(np.sort(drawn), np.sort(states), atol=1e-6)


@pytest.mark.usefixtures("checkpoints")
def test_what_is_missing_is_said_with_the_command() -> None:
    page = html_of(opened())
    for arch in ("seq2seq", "bahdanau"):
        assert f"model.train --arch {arch}" in page
    assert len(maps_of(opened())) == 1
    assert "model.train --arch seq2seq" in html_of(opened("gates"))
    assert "model.train --arch bahdanau" in html_of(opened("memory"))
    assert "python -m model.compare" in html_of(opened("length"))


def test_curves_are_what_the_command_measured(family: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.tsv"
    few.write_text("".join(PAIRS.read_text(encoding="utf-8").splitlines(keepends=True)[:12]))
    names = ("en-fr-seq2seq", "en-fr")
    folders = [str(family / name) for name in names]
    assert compare(["--pairs", str(few), "--checkpoints", *folders]) == 0
    found = json.loads((family / "comparison.json").read_text())
    app = opened("length")
    tables = tables_of(app, "x", "y", "curve")
    for part, table in zip(("by_length", "joined"), tables, strict=True):
        for name in names:
            arch = {"en-fr": "transformer", "en-fr-seq2seq": "seq2seq"}[name]
            curve = table[table["curve"] == translator("en")(f"from_rnn.arch_{arch}")]
            assert len(curve)
            assert curve["y"].tolist() == [bucket["bleu"][name] for bucket in found[part]]
            assert curve["x"].tolist() == [bucket["mean_words"] for bucket in found[part]]
    assert found["date"] in text_of(app)
    assert found["command"] in text_of(app)
    counts = (found["by_length"][place]["available"] for place in (0, -1))
    short, long = (f"{n:.1f}" for n in counts)
    note = translator("en")("from_rnn.by_length_note", short=short, long=long)
    assert note in text_of(app)
    (family / "comparison.json").write_text("{")
    assert "comparison.json is damaged" in html_of(run(app))


def test_a_model_that_is_not_kept_is_called_by_its_kind_and_its_epochs(family: Path) -> None:
    """Its folder's name says nothing to who cannot open it; two that are alike keep theirs."""
    bleu = {"en-fr": 40.0, "en-fr-11": 30.0, "en-fr-12": 20.0, "mine": 10.0}
    facts = {"n_parameters": 7, "greedy": {"bleu": 1.0, "chrf": 1.0}, "beam search": {}}
    facts["beam search"] = facts["greedy"]
    known = facts | {"arch": "transformer", "epochs": 11.17}
    models = {"en-fr": facts, "en-fr-11": known, "en-fr-12": known, "mine": facts}
    text = {"words": [1, 9], "sentences": 3, "mean_words": 5.0, "bleu": bleu}
    of_length, joined = text | {"references": 1, "available": 1.5}, text | {"joined": 2}
    found = {"models": models, "by_length": [of_length], "joined": [joined], "sentences": 3}
    found |= {"date": "2026-01-01", "command": "compare"}
    (family / "comparison.json").write_text(json.dumps(found))
    tr = translator("en")
    kind = tr("from_rnn.arch_transformer")
    for table in tables_of(opened("length"), "x", "y", "curve"):
        named = dict(zip(table["curve"], table["y"], strict=True))
        assert named == {kind: 40.0, f"{kind}, 11 epochs": 30.0, "en-fr-12": 20.0, "mine": 10.0}


def test_joined_sentences_are_translated_by_all(family: Path) -> None:
    app = opened("length")
    before = html_of(app)
    app = set_widget(app, "slider", "from_rnn.n_joined", 1)
    page = html_of(app)
    assert page != before
    text = TO_JOIN[0]
    for name in ("en-fr-seq2seq", "en-fr-luong", "en-fr-bahdanau", "en-fr"):
        written = load(family / name).trace(text).target_text
        assert escape(written) in page


@pytest.mark.usefixtures("family")
def test_an_empty_sentence_gets_one_clear_word() -> None:
    for view in ("side", "memory", "gates"):
        app = opened(view)
        app = set_widget(app, "text_input", "choice.sentence", " ")
        assert html_of(app).count('role="alert"') == 1
        assert not maps_of(app)
        if view == "side":
            app = set_widget(app, "button_group", "from_rnn.target", "shared")
            assert html_of(app).count('role="alert"') == 1


def test_a_broken_model_leaves_the_others(family: Path) -> None:
    (family / "en-fr-seq2seq" / "model.safetensors").write_bytes(b"torn")
    (family / "en-fr" / "analysis.json").write_text("{")
    app = opened()
    page = html_of(app)
    assert page.count("model.safetensors are cut off") == 1
    assert "analysis.json is damaged" in page
    assert len(maps_of(app)) == 2


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_a_broken_model_hides_no_sound_one_of_its_kind(family: Path, file: str) -> None:
    before = html_of(opened())
    shutil.copytree(family / "en-fr-seq2seq", family / "aa-broken")  # before the other by name
    (family / "aa-broken" / file).write_bytes(b"torn")
    assert html_of(opened()) == before


def test_other_pages_say_where_a_recurrent_model_is_shown(family: Path) -> None:
    app = open_page("pages/explorer.py", sentence=SENTENCE, checkpoint="en-fr-bahdanau")
    written = load(family / "en-fr-bahdanau").trace(SENTENCE).target_text
    assert escape(written) in html_of(app)
    links = [link.proto.label for link in app.get("page_link")]
    assert any("recurrent network" in label for label in links)
    zh = translator("zh")
    for page in ("experiments", "heads", "many", "qkv", "norms", "masks", "architecture"):
        link = {"sentence": SENTENCE, "checkpoint": "en-fr-bahdanau", "lang": "zh"}
        app = open_page(f"pages/{page}.py", **link)
        links = [link.proto.label for link in app.get("page_link")]
        assert zh("translation.recurrent") in links
        assert "recurrent model" not in html_of(app)
        assert app.button(key="problem.transformer").label == "改用 en-fr"
    app.button(key="problem.transformer").click()
    run(app)
    assert zh("translation.recurrent") not in [link.proto.label for link in app.get("page_link")]
