"""What the README files say of the Chinese model is what its files and the model itself say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from model.data.chinese import is_chinese
from model.heads.alignment_error_rate import read_alignments
from model.heads.analysis import read_analysis
from model.heads.analysis_card import section
from model.heads.error_rates_of_heads import judged, links_of_heads
from model.translation_model import TranslationModel, load_transformer

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "checkpoints" / "en-zh"
ALIGNMENTS = ROOT / "benchmarks" / "alignments"


@pytest.fixture(scope="module")
def t() -> TranslationModel:
    return load_transformer(FOLDER)


@pytest.fixture(scope="module")
def card() -> str:
    return (FOLDER / "README.md").read_text(encoding="utf-8")


def test_the_card_shows_what_was_measured(t: TranslationModel, card: str) -> None:
    measured = t.training["scores"]
    rows = re.findall(r"^\| (test, [\w ]+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|", card, re.M)
    assert {row[0] for row in rows} == set(measured)
    for name, beam, bleu, chrf in rows:
        assert (int(beam), float(bleu), float(chrf)) == tuple(
            measured[name][key] for key in ("beam", "bleu", "chrf")
        )
    assert section(read_analysis(FOLDER)) in card
    assert f"{t.n_parameters:,} parameters" in card


def test_chinese_is_measured_by_characters(t: TranslationModel, card: str) -> None:
    """Words of sacrebleu's other tokenizers are whole sentences here: 0.4 in place of 31.8."""
    for found in t.training["scores"].values():
        assert "tok:zh" in found["bleu_signature"]
        assert found["bleu_signature"] in card
        assert found["bleu"] > 22


def test_the_data_is_attributed(card: str) -> None:
    for name in ("tatoeba.org", "manythings.org/anki", "CC BY 2.0 FR", "3AM", "MIT"):
        assert name in card


def test_the_weights_are_float16() -> None:
    with safe_open(FOLDER / "model.safetensors", "pt") as file:
        assert {file.get_slice(name).get_dtype() for name in file.keys()} == {"F16"}  # noqa: SIM118


def test_the_error_rates_are_those_of_this_model(t: TranslationModel) -> None:
    pairs = read_alignments(ALIGNMENTS / "en-zh.tsv")
    stored = read_analysis(FOLDER)["alignment"]["rates"]
    for (measure, row), (heads, layers) in judged(
        links_of_heads(t, pairs), pairs, t.config.n_layers
    ).items():
        np.testing.assert_allclose(stored[f"{measure} {row}"]["heads"], heads, atol=0.005)
        np.testing.assert_allclose(stored[f"{measure} {row}"]["layers"], layers, atol=0.005)


def test_beside_it_stand_the_links_of_people_as_the_benchmark_printed_them() -> None:
    printed = json.loads((ALIGNMENTS / "tsinghua.zh-en.json").read_text("utf-8"))
    human = read_analysis(FOLDER)["alignment"]["human"]
    assert (human["corpus"], human["pairs"]) == (printed["corpus"], printed["pairs"])
    for reading, found in printed["error_rates"].items():
        for what in ("best head", "best layer"):
            rate = found[what]["on the other half"]
            assert human["error_rates"][reading][what]["on the other half"] == rate


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("hello", {"你好。", "你好！"}),
        ("I am a student.", {"我是学生。", "我是个学生。", "我是一个学生。", "我是一名学生。"}),
        ("My name is Priya.", {"我叫 Priya。", "我的名字是 Priya。"}),
        ("zhang wei", {"Zhang Wei"}),
        ("She has three books.", {"她有三本书。"}),
        ("Do you like tea?", {"你喜欢茶吗？", "你喜欢喝茶吗？"}),
        ("Man bites dog.", {"男人咬了狗。", "男子咬了狗。"}),
        ("Dog bites man.", {"狗咬了男人。"}),
    ],
)
def test_classroom_sentences_come_out_right(
    t: TranslationModel, english: str, chinese: set[str]
) -> None:
    assert t.trace(english).target_text in chinese


def test_each_character_has_a_row_of_its_own(t: TranslationModel) -> None:
    trace = t.trace("I bought a book yesterday.")
    written = [token for token in trace.next_tokens if is_chinese(token)]
    assert len(written) > 4
    assert all(len(token) == 1 for token in written)
    assert "".join(written) in trace.target_text
