"""From English to Chinese: two corpora, simplified characters, BLEU by characters."""

import pytest

from model import evaluate, load, train
from model.data.corpus import read_corpora, read_corpus

SIZES = "--vocab-size 320 --d-model 16 --n-heads 2 --n-layers 1 --d-ff 32 --max-length 61"
HOW = "--steps 2 --token-budget 300 --threads 1 --precision float32"
MARY = "Mary has {} books.\t瑪麗有{}本書。\tTatoeba"
TOM = "Tom is not {} years old.\t汤姆不是{}岁。"


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The options that name two corpora, the first in traditional characters."""
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


def test_several_corpora_are_one_with_each_pair_once(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).write_text(f"Yes.\t是。\nI see {name}.\t我看見{name}。\n", "utf-8")
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    both = read_corpora([[one], [two]])
    assert both.pairs == [
        ("Yes.", "是。"),
        ("I see one.", "我看見one。"),
        ("I see two.", "我看見two。"),
    ]
    assert both.dropped == {"repeated": 1}
    assert read_corpora([[one]]) == read_corpus(one)
    assert len({both.sha256, read_corpus(one).sha256, read_corpora([[two], [one]]).sha256}) == 3
    assert read_corpora([[one]], simplified=True).pairs[1] == ("I see one.", "我看见one。")


def test_the_model_knows_its_languages_and_writes_simplified(folder):
    t = load(folder)
    assert t.languages == ("en", "zh")
    assert t.training["names_and_templates"] == "en-zh"
    ids = t.tokenizer.encode_ids(["玛丽有书。"])[0]
    assert [t.tokenizer.subword(id) for id in ids[1:-1]] == list("玛丽有书。")


def test_the_card_says_how_to_measure_again(folder, corpora, capsys):
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "--corpus mary.tsv --corpus tom.tsv --simplified --out checkpoints/en-zh" in card
    assert "\\\n        --corpus mary.tsv --corpus tom.tsv --simplified --beam 1" in card
    assert "tok:zh" in card
    assert evaluate.main(["--checkpoint", str(folder), "--split", "test", *corpora]) == 0
    bleu = load(folder).training["scores"]["test, greedy"]["bleu"]
    assert f"BLEU {bleu:.2f} " in capsys.readouterr().out
