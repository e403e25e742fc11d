"""Every architecture, also with Chinese, is trained, used and scored by the same commands."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from model import CheckpointError, evaluate, load, train, translate
from model.corpora.corpus import read_corpora, read_corpus
from model.recurrent.config import RECURRENT_ARCHS
from model.trace.recurrent import recurrent_names
from model.train import main
from model.translation_model import load_transformer
from tests.conftest import change_json, options

pytestmark = pytest.mark.usefixtures("short_texts")


@pytest.fixture(scope="module", params=RECURRENT_ARCHS)
def checkpoint(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoints") / f"tiny-{request.param}"
    assert main(options(folder, f"--arch {request.param} --d-hidden 22 --steps 2")) == 0
    return folder


def test_the_recorded_command_contains_the_given_options(checkpoint):
    arch = checkpoint.name.removeprefix("tiny-")
    command = load(checkpoint).training["command"]
    for option in (f"--arch {arch} ", "--d-model 16 ", "--d-hidden 22 "):
        assert option in command
    assert "--n-heads" not in command  # an option of the Transformer only


def test_a_trained_model_can_be_loaded_and_traced(checkpoint):
    with pytest.raises(CheckpointError, match="Choose a Transformer"):
        load_transformer(checkpoint)
    t = load(checkpoint)
    trace = t.trace("The cat sleeps.", target="Le chat dort.")
    assert set(trace.records) == set(recurrent_names(t.config))
    n_src, n_tgt = len(trace.src), len(trace.next_tokens)
    both = ("forwards", "backwards", "decoder")
    assert trace.cells == (both if t.config.arch == "bahdanau" else ("forwards", "decoder"))
    assert (trace.alignment is None) == (t.config.arch == "seq2seq")
    if trace.alignment is not None:
        assert trace.alignment.shape == (n_tgt, n_src)
        np.testing.assert_allclose(trace.alignment.sum(axis=1), 1, atol=1e-6)
    for cell in trace.cells:
        n = n_tgt if cell == "decoder" else n_src
        gates = trace.gates(cell)
        assert set(gates) == {"reset", "update", "candidate"}
        assert {a.shape for a in (trace.states(cell), *gates.values())} == {(n, 22)}
    assert not trace.log_probs.flags.writeable


def test_the_command_translates_with_every_architecture(checkpoint, capsys):
    words = ["--checkpoint", str(checkpoint), "--json"]
    for beam in ("1", "3"):
        assert translate.main([*words, "--beam", beam, "The cat sleeps."]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed["source_tokens"][0] == "<bos>"
        assert len(printed["log_probs"]) == len(printed["target_tokens"])
        assert "decoder.s" in printed["shapes"]


def test_an_architecture_refuses_what_only_another_one_has(tiny_checkpoint, tmp_path, capsys):
    assert main(options(tmp_path / "a", "--steps 2 --d-hidden 22")) == 1
    assert "--d-hidden" in capsys.readouterr().err
    folder = Path(shutil.copytree(tiny_checkpoint, tmp_path / "b"))
    change_json(folder / "config.json", lambda v: v["architecture"].update(arch="mamba"))
    with pytest.raises(CheckpointError, match="mamba"):
        load(folder)


SIZES = "--vocab-size 320 --d-model 16 --n-heads 2 --n-layers 1 --d-ff 32 --max-length 61"
HOW = "--steps 2 --token-budget 300 --threads 1 --precision float32"
MARY = "Mary has {} books.\t瑪麗有{}本書。\tTatoeba"
TOM = "Tom is not {} years old.\t汤姆不是{}岁。"


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("corpora")
    for name, line in (("mary", MARY), ("tom", TOM)):
        lines = "\n".join(line.format(n, n) for n in range(2, 150))
        (folder / f"{name}.tsv").write_text(lines, encoding="utf-8")
    both = [str(folder / "mary.tsv"), str(folder / "tom.tsv")]
    return ["--corpus", both[0], "--corpus", both[1], "--simplified"]


@pytest.fixture(scope="module")
def folder(corpora: list[str], tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("checkpoints") / "en-zh"
    assert train.main([*corpora, "--out", str(folder), *SIZES.split(), *HOW.split()]) == 0
    return folder


def test_several_corpora_become_one_with_each_pair_once(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).write_text(f"Yes.\t是。\nI see {name}.\t我看見{name}。\n", "utf-8")
    first, second = str(tmp_path / "one"), str(tmp_path / "two")
    both = read_corpora([[first], [second]])
    seen = [(f"I see {name}.", f"我看見{name}。") for name in ("one", "two")]
    assert both.pairs == [("Yes.", "是。"), *seen]
    assert both.dropped == {"repeated": 1}
    assert read_corpora([[first]]) == read_corpus(first)
    assert (
        len({both.sha256, read_corpus(first).sha256, read_corpora([[second], [first]]).sha256}) == 3
    )
    assert read_corpora([[first]], simplified=True).pairs[1] == ("I see one.", "我看见one。")


def test_a_model_knows_its_languages_and_writes_simplified_chinese(folder):
    t = load(folder)
    assert t.languages == ("en", "zh")
    assert t.training["names_and_templates"] == "en-zh"
    ids = t.tokenizer.encode_ids(["玛丽有书。"])[0]
    assert [t.tokenizer.subword(id) for id in ids[1:-1]] == list("玛丽有书。")


def test_the_card_contains_the_command_for_a_new_measurement(folder, corpora, capsys):
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "--corpus mary.tsv --corpus tom.tsv --simplified --out checkpoints/en-zh" in card
    assert "\\\n        --corpus mary.tsv --corpus tom.tsv --simplified --beam 1" in card
    assert "tok:zh" in card
    assert evaluate.main(["--checkpoint", str(folder), "--split", "test", *corpora]) == 0
    bleu = load(folder).training["scores"]["test, greedy"]["bleu"]
    assert f"BLEU {bleu:.2f} " in capsys.readouterr().out
