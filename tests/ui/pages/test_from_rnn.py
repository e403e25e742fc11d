"""The page "From RNN": every number is computed by a model."""

import json
import shutil
from html import escape
from pathlib import Path

import numpy as np
import pytest

from model import load
from model.checkpoint.checkpoint import save_checkpoint
from model.checkpoint.provenance import followed_by
from model.lessons.from_rnn import as_shares, influence_backwards, similarity_to_last
from model.pictures.tokens import display
from tests.conftest import tiny_model
from tests.tolerance import assert_same
from tests.ui.app import record_training
from tests.ui.drawn import EN, Page, opens
from tests.ui.saved_files import Files
from ui.from_rnn import states
from ui.from_rnn.length import TO_JOIN, _in_words
from ui.state.memory import memory
from ui.text.translator import translator

SENTENCE = "The cat sleeps on the chair."
opened = opens("from_rnn", sentence=SENTENCE)
ARCHS = {arch: EN(f"from_rnn.arch.{arch}") for arch in ("seq2seq", "luong", "bahdanau")}
TRANSFORMER = EN("from_rnn.arch.transformer")


@pytest.fixture(scope="module")
def whole(shared: Path):
    """Return the Transformer's trace of the sentence."""
    return load(shared / "en-fr").trace(SENTENCE)


def recurrent(folder: Path, arch: str):
    return load(folder / f"en-fr-{arch}")


def test_translations_probabilities_and_maps_are_shown_side_by_side(shared, whole, files: Files):
    page = opened()
    traces = {arch: recurrent(shared, arch).trace(SENTENCE) for arch in ("seq2seq", "bahdanau")}
    traces = {f"en-fr-{arch}": trace for arch, trace in traces.items()} | {"en-fr": whole}
    assert page.headers == [ARCHS["seq2seq"], ARCHS["bahdanau"], TRANSFORMER]
    for name, trace in traces.items():
        log_prob = f"{trace.log_probs[0]:.4f}".replace("-", "−")
        assert f"log p = {log_prob}" in page.html
        assert escape(trace.target_text) in page.html
        total = f"{trace.log_probs.sum():.2f}".replace("-", "−")
        mean = f"{trace.log_probs.mean():.2f}".replace("-", "−")
        assert EN("from_rnn.score", total=total, mean=mean) in page.text
        size = f"{load(shared / name).n_parameters / 1e6:.1f}"
        assert EN("from_rnn.facts", name=name, parameters=size) in page.html
    source, attended = display(whole.src_tokens), traces["en-fr-bahdanau"]
    maps = {"en-fr-bahdanau": attended.alignment, "en-fr": whole.cross[-1].mean(axis=0)}
    for chart, (name, values) in zip(page.maps, maps.items(), strict=True):
        chart.is_(values, display(traces[name].next_tokens), source)
    saved = files.json("side_by_side")
    assert saved["checkpoint"] == [*traces]
    assert (saved["target_origin"], saved["beam"]) == ("generated", 1)
    assert saved["target"] == [trace.target_text for trace in traces.values()]
    assert saved["rows of en-fr-bahdanau"] == ["written"]
    assert saved["rows of en-fr"] == ["written", len(whole.cross), "mean"]


def test_all_models_can_read_the_same_target_and_luong_can_be_added(shared, whole):
    page = opened().use({"from_rnn.target": "shared"})
    assert EN("origin.transformer") in page.html
    forced = recurrent(shared, "bahdanau").trace(SENTENCE, target=whole.target_text)
    assert_same(page.maps[0].numbers, forced.alignment)
    log_prob = f"{forced.log_probs[1]:.4f}".replace("-", "−")
    assert f"log p = {log_prob}" in page.html
    page.use({"from_rnn.models": ["luong"], "from_rnn.target": "own"})
    [chart] = page.maps
    assert_same(chart.numbers, recurrent(shared, "luong").trace(SENTENCE).alignment)


def test_the_map_of_the_best_head_has_the_same_kind_of_rows_as_the_others(
    shared, whole, monkeypatch, files: Files
):
    monkeypatch.setattr("ui.from_rnn.side_by_side.best_awo_head", lambda _: (1, 0))
    page = opened()
    source = display(whole.src_tokens)
    attended = recurrent(shared, "bahdanau").trace(SENTENCE)
    page.maps[0].is_(attended.alignment, display(attended.next_tokens), source)
    page.maps[1].is_(whole.cross[1, 0], display(whole.next_tokens), source)
    assert EN("from_rnn.rows_head", layer=2, head=1) in page.html  # also in a file: no caption
    saved = files.json("side_by_side")
    assert saved["rows of en-fr"] == ["written", 2, 1]
    assert [saved[name] for name in ("attention", "rows", "layer", "head")] == [
        *("cross", "written"),
        *(2, 1),
    ]
    page.use({"from_rnn.head": "mean"})
    mean = whole.cross[-1].mean(axis=0)
    page.maps[1].is_(mean, display(whole.next_tokens), source)
    assert EN("from_rnn.rows_mean", layer=2, heads=3) in page.html


def test_the_mean_of_the_heads_is_that_of_the_last_of_three_layers(checkpoints, tokenizer):
    save_checkpoint(checkpoints / "en-fr", tiny_model(tokenizer, n_layers=3), tokenizer, {})
    [chart] = opened().maps
    trace = load(checkpoints / "en-fr").trace(SENTENCE)
    assert_same(chart.numbers, trace.cross[2].mean(axis=0))


def test_a_model_of_other_languages_is_compared_with_none_of_these(family: Path):
    """French and Chinese translations cannot be compared. The page names the compared models."""
    notice = escape(EN("from_rnn.other_languages", name="en-zh"))
    shutil.copytree(family / "en-fr", family / "en-zh")
    record_training(family / "en-zh", languages=["en", "zh"])
    assert notice not in opened().html
    page = opened(checkpoint="en-zh").html
    assert notice in page
    assert escape(load(family / "en-fr").trace(SENTENCE).target_text) in page
    assert EN("language.zh") not in page


def test_the_context_vectors_and_the_loss_of_early_tokens_are_shown(shared, monkeypatch):
    page = opened("memory")
    for arch in ("seq2seq", "bahdanau"):
        trace = recurrent(shared, arch).trace(SENTENCE)
        context = trace.records["decoder.context"]
        rows, shown = display(trace.next_tokens), {ARCHS[arch]: context[:, :24]}
        page.matrices_are(f"from_rnn.context.{arch}", shown, rows=rows)
        # seq2seq has one vector for all steps
        assert (context == context[:1]).all() == (arch == "seq2seq")
    t = recurrent(shared, "seq2seq")
    trace = t.trace(SENTENCE)
    similar = {EN("from_rnn.similarity"): similarity_to_last(trace.states("forwards")).clip(0)}
    both = {EN("from_rnn.influence"): as_shares([*influence_backwards(t, trace)])} | similar
    labels, titles = display(trace.src_tokens), ("from_rnn.token", "from_rnn.share")
    page.charts()[0].columns_are(both, labels, titles)
    # for a long sentence, the visitor must press a button
    monkeypatch.setattr(states, "TOKENS_WITHOUT_ASKING", 5)
    memory.cache_clear()
    page = opened("memory")
    page.charts()[0].columns_are(similar, labels, titles)
    page.press("from_rnn.measure").finished()
    page.charts()[0].columns_are(both, labels, titles)


@pytest.mark.parametrize(
    ("arch", "part", "gate"),
    [("seq2seq", "forwards", "update"), ("bahdanau", "backwards", "reset"),
     ("luong", "decoder", "forget"), ("luong", "forwards", "cell"),
     ("seq2seq", "forwards", "state")],
)  # fmt: skip
def test_gates_and_states_are_those_of_the_trace(shared, arch, part, gate):
    page = opened("gates").use({"from_rnn.model": arch})
    # the gate that keeps the state is shown first
    shown_first = "forget" if arch == "luong" else "update"
    assert page.control(f"from_rnn.gate.{arch}").value == shown_first
    page.use({f"from_rnn.part.{arch}": part}).use({f"from_rnn.gate.{arch}": gate})
    trace = recurrent(shared, arch).trace(SENTENCE)
    gates = trace.gates(part)
    values = trace.states(part) if gate == "state" else gates[gate]
    order = np.argsort(-values.std(axis=0), kind="stable")
    tokens = display(trace.tgt_tokens if part == "decoder" else trace.src_tokens)
    shown = {EN(f"from_rnn.gate.{gate}"): values[:, order]}
    columns = [str(n + 1) for n in order]
    page.matrices_are("from_rnn.units", shown, rows=tokens, columns=columns)
    [(described, _)] = page.matrices("from_rnn.units")
    if gate in gates and gate != "cell":
        mean = values.mean(axis=1)
        for end in (mean.argmax(), mean.argmin()):
            assert f"“{tokens[end]}” ({mean[end]:.2f})" in described["caption"]
    else:
        assert "Mean" not in described["caption"]
    shares = [name for name in gates if name not in ("candidate", "cell")]
    means = {EN(f"from_rnn.gate.{name}"): gates[name].mean(axis=1) for name in shares}
    page.charts()[0].columns_are(means, tokens, ("from_rnn.token", "from_rnn.share"))


def _bucket(n: int, bleu: dict[str, float]) -> dict[str, object]:
    """Return a bucket of sentences; n makes its numbers differ from those of the others."""
    return {
        "words": [1, 9],
        "sentences": 3,
        "mean_words": 5.0 + n,
        "bleu": {name: value + n for name, value in bleu.items()},
    }


def test_curves_are_what_the_command_measured(family: Path, files: Files, run_lines):
    """A model that is not in the folder is called after its architecture and its epochs.

    If two of them would have the same name, the second is called as in the file.
    """
    bleu = {"en-fr": 40.0, "en-fr-seq2seq": 35.0, "en-fr-11": 30.0, "en-fr-12": 20.0, "mine": 10.0}
    scores = {"bleu": 1.5, "chrf": 2.5}
    facts = {"n_parameters": 7_250_000, "greedy": scores, "beam search": scores}
    known = facts | {
        "arch": "transformer",
        "epochs": 11.17,
        "seconds": 240,
        "hardware": "1 CPU core",
    }
    models = dict.fromkeys(bleu, facts) | {"en-fr-11": known, "en-fr-12": known}
    lengths = [{**_bucket(n, bleu), "available": n + 1.25, "references": 1} for n in range(3)]
    joined = [{**_bucket(n + 7, bleu), "joined": n + 1} for n in range(2)]
    comparison = {
        "models": models,
        "by_length": lengths,
        "joined": joined,
        "sentences": 1234,
        "date": "2026-01-01",
        "command": "compare",
    }
    file = family / "comparison.json"
    file.write_text(json.dumps(comparison))
    page = opened("length")
    assert page.headers[:2] == [EN("from_rnn.by_length"), EN("from_rnn.joined")]
    names = [TRANSFORMER, ARCHS["seq2seq"], f"{TRANSFORMER}, 11 epochs", "en-fr-12", "mine"]
    for chart, buckets in zip(page.charts(), (lengths, joined), strict=True):
        curves = {
            label: [bucket["bleu"][name] for bucket in buckets]
            for label, name in zip(names, bleu, strict=True)
        }
        x = [bucket["mean_words"] for bucket in buckets]
        chart.curves_are(curves, x, ("from_rnn.words", "BLEU"))
        files.name = "by_length" if buckets is lengths else "joined"
        [(_, saved)] = files.tables().values()
        numbers = run_lines(page, files.name)["numbers"]
        assert np.concatenate([*numbers.values()]).tolist() == [row[-1] for row in saved]
    measured = EN("from_rnn.measured", n="1,234", date="2026-01-01", command="compare")
    assert measured.replace("\\", "") in page.text.replace("\\", "")
    table = page.app.dataframe[0].value
    assert table.iloc[2].tolist() == [names[2], "7.2 M", 11.17, 4, "1 CPU core", 1.5, 2.5]
    assert EN("from_rnn.by_length_note", short="1.2", long="3.2") in page.text
    file.write_text("{")
    assert "comparison.json is damaged" in page.run().html
    for n in (1, 2):  # every model has scores for joined sentences
        text = " ".join(TO_JOIN[:n])
        assert f"> {text}" in page.use({"from_rnn.n_joined": n}).text
        for name in ("en-fr-seq2seq", "en-fr-luong", "en-fr-bahdanau", "en-fr"):
            assert escape(load(family / name).trace(text).target_text) in page.html


@pytest.mark.usefixtures("checkpoints")
def test_a_missing_comparison_is_explained_with_the_command():
    page = opened()
    assert len(page.maps) == 1
    for arch in ("seq2seq", "bahdanau"):
        assert f"model.train --arch {arch}" in page.html
    assert "model.train --arch seq2seq" in page.use({"choice.show": "gates"}).html
    assert "model.train --arch bahdanau" in page.use({"choice.show": "memory"}).html
    assert "python -m model.compare" in page.use({"choice.show": "length"}).html


def test_an_empty_sentence_gets_one_clear_message():
    page = opened(**{"from_rnn.target": "shared"}).use({"choice.sentence": " "})
    for view in ("", "memory", "gates"):
        assert page.use({"choice.show": view}).html.count('role="alert"') == 1
        assert not page.charts()


def test_a_damaged_model_does_not_affect_the_others(family: Path):
    before = opened().html
    # another intact model of the same kind is shown
    for file in ("model.safetensors", "tokenizer.json"):
        broken = family / f"aa-{file[:5]}"
        shutil.copytree(family / "en-fr-seq2seq", broken)
        (broken / file).write_bytes(b"torn")
    assert opened().html == before
    for folder in family.glob("*seq2seq"):
        (folder / "model.safetensors").write_bytes(b"torn")
    (family / "en-fr" / "analysis.json").write_text("{")
    for broken in family.glob("aa-*"):
        shutil.rmtree(broken)
    page = opened()
    assert page.html.count("model.safetensors are cut off") == 1
    assert "analysis.json is damaged" in page.html
    assert len(page.maps) == 2


def test_other_pages_say_which_page_shows_a_recurrent_model(shared: Path):
    link = {"sentence": SENTENCE, "checkpoint": "en-fr-bahdanau"}
    page = Page("explorer", **link)
    assert escape(recurrent(shared, "bahdanau").trace(SENTENCE).target_text) in page.html
    assert EN("translation.recurrent") in page.links
    zh = translator("zh")
    for name in ("experiments", "heads", "many", "qkv", "norms", "masks", "architecture"):
        page = Page(name, **link, lang="zh")
        assert zh("translation.recurrent") in page.links
        assert "recurrent model" not in page.html
        assert page.app.button(key="problem.transformer").label == "改用 en-fr"
    assert zh("translation.recurrent") not in page.press("problem.transformer").links


@pytest.mark.parametrize(
    "changed", [{}, {"from_rnn.target": "shared"}, {"from_rnn.head": "mean"}], ids=str
)
def test_the_lines_of_several_models_have_the_numbers_of_the_files(
    changed, files: Files, run_lines
):
    page = opened(**changed)
    files.name = "side_by_side"
    numbers = run_lines(page, "side_by_side")["numbers"]
    tables = set()
    for name, (log_probs, weights) in numbers.items():
        assert_same(log_probs, files.column(f"{name} tokens", "log_prob"))
        tables.add(f"{name} tokens")
        if weights is not None:
            assert_same(weights, files.numbers(f"{name} map"))
            tables.add(f"{name} map")
    assert tables == {*files.tables()}


@pytest.mark.parametrize("sentence", [SENTENCE, "She sleeps."])
def test_the_lines_of_a_state_have_the_numbers_of_the_files(sentence, files: Files, run_lines):
    page = opened(show="memory", sentence=sentence).finished()
    files.name = "context"
    numbers = run_lines(page, "context")["numbers"]
    for table, context in zip(files.tables(), numbers.values(), strict=True):
        assert_same(context, files.numbers(table))
    files.name = "forgetting"
    numbers = run_lines(page, "forgetting")["numbers"]
    [table] = files.tables().values()
    assert_same(np.concatenate([*numbers.values()]), [row[-1] for row in table[1]])


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"from_rnn.part.seq2seq": "decoder"},
        {"from_rnn.gate.seq2seq": "state"},
        {"from_rnn.model": "bahdanau"},
    ],
    ids=str,
)
def test_the_lines_of_gates_have_the_numbers_of_the_files(changed, files: Files, run_lines):
    page = opened(show="gates", **changed)
    for name in ("units", "gates"):
        files.name = name
        numbers = run_lines(page, name)["numbers"]
        [(title, table)] = files.tables().items()
        if name == "units":
            assert_same(numbers, files.numbers(title))
        else:
            assert_same(np.concatenate([*numbers.values()]), [row[-1] for row in table[1]])


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            "NVIDIA H100, each step captured as a CUDA graph, then 2 CPU cores, then 1 CPU core",
        ),
        ("zh", "NVIDIA H100，每一步录制成一个 CUDA 图，之后是 2 个 CPU 核，之后是 1 个 CPU 核"),
    ],
)
def test_the_hardware_of_a_training_is_in_the_language_of_the_page(language, expected):
    hardware = "an NVIDIA H100, each step captured as a CUDA graph, then 2 CPU cores"
    words = _in_words(followed_by(hardware, "1 CPU core"), translator(language))
    assert words == expected
    assert _in_words("", translator(language)) == ""
    assert _in_words("Quadro, unknown", translator(language)) == "Quadro, unknown"
