"""The READMEs of a checkpoint and of a comparison, with invented numbers."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from model.alignment.cross_validation import Alignment, Baseline, Human
from model.alignment.error_rate import METHODS, Rates
from model.evaluation.comparison import write_comparison_card
from model.heads import analysis_file as file
from model.heads.analysis_card import section
from model.heads.analysis_file import PruningPoint
from model.training.model_card import write_card

SCORES = {
    "bleu": 41.256,
    "chrf": 61.504,
    "sentences": 2000,
    "bleu_signature": "B",
    "chrf_signature": "C",
}
CORPUS = {"files": ["fra-eng.zip"], "sha256": "ab12", "summary": "230,000 pairs"}
TRAINING = {
    "corpus": CORPUS,
    "split": {"train": 123_456, "dev": 1000, "test": 2000, "leaking": 3456},
    "scores": {
        "test, greedy": SCORES | {"beam": 1},
        "test, beam search": SCORES | {"beam": 4, "bleu": 42.0},
    },
    "settings_history": [{"from_step": 0, "dropout": 0.1, "muon_lr": 0.02}],
    "command": "python -m model.train --steps 9000",
    "steps": 9000,
    "seconds": 5440,
    "epochs": 12.345,
    "n_parameters": 7_654_321,
    "hardware": "2 cores",
    "precision": "bfloat16: because",
}
ARCHITECTURE = {"n_layers": 4, "n_heads": 8, "d_model": 256, "d_ff": 1024, "norm": "pre"}
RECURRENT = {"arch": "luong", "cell": "lstm", "d_hidden": 512, "d_model": 256}


def card(tmp_path, architecture=ARCHITECTURE, **changes) -> str:
    write_card(tmp_path, "mine", TRAINING | changes, architecture)
    return (tmp_path / "README.md").read_text(encoding="utf-8")


def test_a_whole_card_is_as_expected(tmp_path):
    text = card(tmp_path)
    lines = text.splitlines()
    assert text.startswith("# mine\n")
    assert "with 4 + 4 layers, 8 heads,\nd_model 256, d_ff 1024, pre-norm." in text
    assert "\n9,000 steps in 90.7 minutes on 2 cores, in\nbfloat16: because. One epoch" in text
    assert "the run made 12.3 epochs." in text
    assert "123,456 train pairs, 1,000 dev and 2,000 test sentences;\n3,456 pairs were left" in text
    assert "7,654,321 parameters; float16 weights." in text
    table = lines.index("| split, decoding | beam | BLEU | chrF | sentences |")
    assert lines[table + 2 : table + 4] == [
        "| test, greedy | 1 | 41.26 | 61.50 | 2,000 |",
        "| test, beam search | 4 | 42.00 | 61.50 | 2,000 |",
    ]
    assert "BLEU: `B`; chrF: `C`." in lines
    assert "changed on the way" not in text
    assert "## Robustness" not in text
    text = card(tmp_path, scores={})
    assert "too small for a test split" in text
    assert "## Scores" not in text
    assert "Luong et al. 2015):\nLSTM cells, d_hidden 512, d_model" in card(tmp_path, RECURRENT)


def test_a_card_says_that_the_weights_are_a_mean(tmp_path):
    assert "a mean" not in card(tmp_path)
    text = card(tmp_path, averaged="0.5 of the weights: python -m model.average ...")
    assert "\nThe weights are a mean: 0.5 of the weights: python -m model.average ...\n" in text


def test_a_card_names_every_earlier_training_and_its_place(tmp_path):
    text = card(
        tmp_path,
        begun_with="second, 6 steps of: python B",
        averaged="half C, half B",
        earlier=[{"begun_with": "zeroth: python 0"}, {"begun_with": "first", "averaged": "A, 0"}],
        settings_history=[
            {"from_step": 0, "steps": 2, "seed": 1},
            {"from_step": 2, "steps": 6, "seed": 2},
            {"from_step": 6, "steps": 9, "seed": 3},
            {"from_step": 9, "steps": 12, "seed": 4},
        ],
    )
    assert (
        """
The training began with the weights of second, 6 steps of: python B

The weights are a mean: half C, half B

That training began with first

Its weights were a mean: A, 0

That training began with zeroth: python 0

The command shows"""
        in text
    )
    assert "\n- from step 2, where the second training began: seed 2 (was 1)\n" in text
    assert "\n- from step 6, where the third training began: seed 3 (was 2)\n" in text
    assert "\n- from step 9, where the 4th training began: seed 4 (was 3)\n" in text


def test_the_robustness_of_a_card_has_a_row_for_each_measured_share(tmp_path):
    """Prices, times and dates are left out for languages of which they are not known."""
    measured = {"names": 61.26, "numbers": 74, "quantities": 88.5}
    measured |= {"bleu": {"unchanged": 41.256, "small letters": 40.0}}
    measured |= {"unfinished": 0.5, "repeating": 0}
    expected = [
        "| test, greedy | |",
        "|---|---|",
        "| unseen names kept | 61.3 % |",
        "| numbers kept | 74.0 % |",
        "| prices, times and dates, as the target language writes them | 88.5 % |",
        "| BLEU, unchanged | 41.26 |",
        "| BLEU, small letters | 40.00 |",
        "| translations that stop at the length limit | 0.5 % |",
        "| translations that repeat subwords three times in a row | 0.0 % |",
    ]
    for robustness in (measured, measured | {"quantities": None}):
        _, section = card(tmp_path, robustness=robustness).split("## Robustness\n")
        assert [line for line in section.splitlines() if line.startswith("|")] == expected
        expected = [line for line in expected if "prices" not in line]


def test_the_commands_of_a_folder_with_a_space_can_be_pasted(tmp_path):
    robustness = {"names": 1, "numbers": 1, "bleu": {}, "unfinished": 0, "repeating": 0}
    write_card(tmp_path, "my model", TRAINING | {"robustness": robustness}, ARCHITECTURE)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert text.count("--checkpoint 'checkpoints/my model' ") == 2
    inputs = file.Inputs(sentences="--pairs FILE.tsv", alignments="my links.tsv")
    command = replace(ANALYSIS, checkpoint="my model", inputs=inputs).command
    assert command.endswith(
        "--checkpoint 'checkpoints/my model' --pairs FILE.tsv --alignments 'my links.tsv'"
    )


def test_the_commands_with_a_file_that_begins_with_a_hyphen_can_be_pasted(tmp_path):
    text = card(tmp_path, corpus=CORPUS | {"files": ["-my pairs.tsv"]})
    assert "--corpus './-my pairs.tsv' --beam 1" in text
    inputs = file.Inputs(sentences="--pairs FILE.tsv", alignments="-links.tsv")
    assert replace(ANALYSIS, inputs=inputs).command.endswith(" --alignments ./-links.tsv")


@pytest.mark.parametrize(
    ("files", "terms"),
    [
        (["fra-eng.zip"], {"CC BY 2.0 FR"}),
        (["mine.tsv", "more.tsv"], {"Look up the terms"}),
        (["cmn-eng.zip", "fra-eng.zip", "3am.en-zh.tsv.gz"], {"CC BY 2.0 FR", "licence MIT"}),
        (["cmn-eng.zip", "mine.tsv"], {"CC BY 2.0 FR", "Look up the terms"}),
    ],
)
def test_the_terms_of_every_corpus_are_named_once(files, terms, tmp_path):
    text = card(tmp_path, corpus=CORPUS | {"files": files})
    assert f"\n{', '.join(files)} (SHA-256 `ab12`): 230,000 pairs." in text
    assert f"--corpus {' '.join(files)} --beam 1" in text
    for term in ("CC BY 2.0 FR", "licence MIT", "Look up the terms"):
        assert text.count(term) == (term in terms)


def test_settings_that_changed_during_a_training_are_listed(tmp_path):
    settings_history = [
        {"from_step": 0, "dropout": 0.1, "muon_lr": 0.02},
        {"from_step": 700, "dropout": 0.1, "muon_lr": 0.008},
        {"from_step": 4300, "dropout": 0.2, "muon_lr": 0.004},
    ]
    text = card(tmp_path, settings_history=settings_history)
    assert "- from step 700: muon_lr 0.008 (was 0.02)\n" in text
    assert "- from step 4,300: dropout 0.2 (was 0.1), muon_lr 0.004 (was 0.008)\n" in text
    assert "settings changed during the training" in text


def test_settings_of_a_second_training_are_listed(tmp_path):
    settings_history = [
        {"from_step": 0, "steps": 900, "dropout": 0.1},
        {"from_step": 900, "steps": 1000, "dropout": 0.2},
    ]
    text = card(tmp_path, settings_history=settings_history)
    assert "- from step 900, where the second training began: dropout 0.2 (was 0.1)\n" in text


FACTS = {
    "n_parameters": 1_234_567,
    "greedy": {"bleu": 41.256, "chrf": 61.5},
    "beam search": {"bleu": 42.0, "chrf": 62.034},
}
TRAINED = FACTS | {"seconds": 5440, "epochs": 12.34, "hardware": "2 cores"}
COMPARISON = {
    "sentences": 2000,
    "date": "2026-01-02",
    "command": "python -m model.compare",
    "models": {"a": TRAINED, "b": FACTS},
    "by_length": [
        {"words": (1, 3), "sentences": 1201, "mean_words": 2.5, "bleu": {"a": 50.04, "b": 49.06}},
        {"words": (7, 7), "sentences": 799, "mean_words": 7.0, "bleu": {"a": 40.0, "b": 39.0}},
    ],
    "joined": [{"joined": 2, "sentences": 200, "mean_words": 11.25, "bleu": {"a": 30.5, "b": 3.0}}],
}


def after(rows: list[str], start: str) -> list[str]:
    """Return the rows of the table whose header starts with this text."""
    (head,) = [i for i, line in enumerate(rows) if line.startswith(start)]
    assert rows[head + 1] == "|---" * (rows[head].count("|") - 1) + "|"
    rows = rows[head + 2 :]
    return rows[: rows.index("")] if "" in rows else rows


def test_the_card_of_a_comparison_has_a_row_for_each_model_and_each_length(tmp_path):
    """5440 seconds are 90.7 minutes. Nothing is known about the training of the other model."""
    write_comparison_card(tmp_path, COMPARISON)
    rows = (tmp_path / "README.md").read_text(encoding="utf-8").splitlines()
    assert after(rows, "| model |") == [
        "| a | 1,234,567 | 12.3 epochs, 90.7 minutes on 2 cores | 41.26 | 61.50 | 42.00 | 62.03 |",
        "| b | 1,234,567 |  | 41.26 | 61.50 | 42.00 | 62.03 |",
    ]
    expected = ["| 1 to 3 | 1,201 | 50.0 | 49.1 |", "| 7 | 799 | 40.0 | 39.0 |"]
    assert after(rows, "| words |") == expected
    assert after(rows, "| sentences joined (mean words) |") == ["| 2 (11.2) | 200 | 30.5 | 3.0 |"]


def test_a_model_without_a_folder_has_a_command_that_trains_it_again(tmp_path):
    (tmp_path / "kept").mkdir()
    models = {name: TRAINED | {"command": f"train {name}"} for name in ("kept", "gone")}
    bucket = {"words": (1, 3), "sentences": 9, "mean_words": 2.5, "bleu": {"kept": 1, "gone": 2}}
    comparison = COMPARISON | {"models": models, "by_length": [bucket], "joined": []}
    write_comparison_card(tmp_path, comparison)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    text = "gone was trained only for this comparison, and is not kept here:\n\n    train gone"
    assert f"\n\n{text}\n\n## By" in card
    assert "train kept" not in card


def head(offset: int, share: float, sink: float) -> SimpleNamespace:
    places = {"offset": offset, "offset_share": share, "positional": share >= 0.9}
    return SimpleNamespace(**places, sink_mass=sink)


def curve(*bleu: float) -> list[PruningPoint]:
    return [PruningPoint(n, value) for n, value in enumerate(bleu)]


WORST = dict.fromkeys(METHODS, Rates([[0.9, 0.9], [0.9, 0.9]], [0.9, 0.9]))
BASELINE = Baseline("an aligner", 0.123)
ANALYSIS = file.Analysis(
    sentences=1500,
    checkpoint="en-fr",
    inputs=file.Inputs(sentences="--pairs FILE.tsv --sentences 1500"),
    importance=None,
    statistics={
        "encoder_self": [
            [head(-1, 0.951, 0.2), head(0, 0.3, 0.5)],
            [head(2, 0.9, 0.504), head(1, 0.2, 0.0)],
        ],
        "decoder_self": [[head(0, 0.5, 0.1), head(0, 0.5, 0.1)]] * 2,
        "cross": [[head(0, 0.5, 0.1), head(0, 0.5, 0.876)], [head(0, 0.99, 0.1)] * 2],
    },
    pruning=file.Pruning(
        gradient=curve(40, 39, 38, 37, 36, 35, 34, 33.04, 0.5),
        removal=curve(40, 1, 2, 3, 4, 5, 6, 7, 8),
        random=curve(40, 20, 10, 5, 4, 3, 2, 1, 0),
    ),
    alignment=Alignment(
        pairs=77,
        rates=WORST
        | {
            "weights AWI": Rates([[0.5, 0.4], [0.2512, 0.3]], [0.45, 0.305]),
            "weights AWO": Rates([[0.9, 0.1], [0.2, 0.3]], [0.05, 0.1]),
        },
        baseline=BASELINE,
    ),
)


LINES = section(ANALYSIS).splitlines()


def line(lines: list[str], start: str) -> str:
    (result,) = [line for line in lines if line.startswith(start)]
    return result


def test_positional_heads_and_sinks_are_numbered_from_one():
    """A head with a share of 0.5 is no sink. One with 0.504 is, and the card rounds it to 50 %."""
    expected = "encoder 1.1 (-1, 95 %), encoder 2.1 (+2, 90 %), cross 2.1 (+0, 99 %), cross 2.2 "
    assert f"share of the rows: {expected}(+0, 99 %)." in line(LINES, "Positional heads")
    sinks = line(LINES, "Heads with more than half")
    assert sinks.endswith("punctuation: encoder 2.1 (50 %), cross 1.2 (88 %).")


def test_the_card_shows_bleu_with_no_to_three_quarters_of_the_heads_removed():
    """A curve has nine points: no, one, two and three quarters are at points 0, 2, 4 and 6."""
    assert after(LINES, "| heads removed | 0 % | 25 % | 50 % | 75 % |") == [
        "| least gradient first | 40.0 | 38.0 | 36.0 | 34.0 |",
        "| least loss first | 40.0 | 2.0 | 4.0 | 6.0 |",
        "| random | 40.0 | 10.0 | 4.0 | 2.0 |",
    ]


def test_the_best_head_and_layer_have_the_smallest_rate():
    assert after(LINES, "| cross-attention by | best head | best layer |") == [
        "| weights AWO | 10.0 % (1.2) | 5.0 % (layer 1) |",
        "| weights AWI | 25.1 % (2.1) | 30.5 % (layer 2) |",
        *(
            f"| {cells} {row} | 90.0 % (1.1) | 90.0 % (layer 1) |"
            for cells in ("norms", "contributions")
            for row in ("AWO", "AWI")
        ),
        "| an aligner, trained on the corpus | 12.3 % | |",
    ]
    assert "on 77 pairs" in line(LINES, "Alignment error rate")
    assert line(LINES, "Alignment error rate").endswith("are chosen on the same pairs.")


def test_the_rates_of_a_card_are_of_the_half_that_did_not_choose_the_head():
    """The first half chooses head 1.2, with 0.1; on the other half it has 0.4.

    The second half chooses head 2.1, with 0.2; on the other half it has 0.6. The card shows the
    mean of 0.4 and 0.6.
    """
    first = Rates([[0.5, 0.1], [0.6, 0.7]], [0.5, 0.3])
    second = Rates([[0.5, 0.4], [0.2, 0.3]], [0.7, 0.4])
    ways = [{"place": "1.1", "on the other half": 0.2}, {"place": "2.2", "on the other half": 0.3}]
    by_people = {"best head": {"on the other half": 0.25, "both ways": ways}}
    of_layers = [direction | {"place": "1"} for direction in ways]
    by_people |= {"best layer": {"on the other half": 0.25, "both ways": of_layers}}
    halves = tuple(WORST | {"weights AWI": half} for half in (first, second))
    human = Human(corpus="c", pairs=9, error_rates=dict.fromkeys(METHODS, by_people))
    alignment = {"pairs": 8, "rates": halves[0], "halves": halves, "human": human}
    text = section(replace(ANALYSIS, alignment=Alignment(**alignment, baseline=BASELINE)))
    assert "chosen in this way, too (weights AWI), the rate is 50.0 %. By people: the" in text
    assert "By people: the rates on 9 pairs of c, aligned by people." in text
    of_people = "25.0 % (1.1, 2.2) | 25.0 % (layer 1)"
    assert after(text.splitlines(), "| cross-attention by")[1::5] == [
        f"| weights AWI | 50.0 % (1.2, 2.1) | 35.0 % (layer 2) | {of_people} |",
        "| an aligner, trained on the corpus | 12.3 % | | | |",
    ]


def test_a_card_says_none_or_leaves_a_part_out_if_nothing_was_found_or_measured():
    none = {kind: [[head(0, 0.1, 0.1)]] for kind in ("encoder_self", "decoder_self", "cross")}
    text = section(replace(ANALYSIS, statistics=none, alignment=None))
    assert text.count("none.") == 2
    assert "Alignment" not in text
    command = (
        "    python -m model.analyse heads --checkpoint checkpoints/en-fr "
        "--pairs FILE.tsv --sentences 1500"
    )
    assert f"Measured on 1,500 held-out sentences:\n\n{command}\n" in text
    text = section(replace(ANALYSIS, inputs=file.Inputs()))
    assert "Measured on 1,500 held-out sentences.\n\nPositional heads" in text


def test_heads_that_attend_along_a_relation_are_named_with_their_baseline():
    like = [[False, False], [True, False]]
    relation = file.Relation(2, 0.325, [[0.1, 0.9], [0.3584, 0.2]], like)
    none = replace(relation, like=[[False, False]] * 2)
    cards = []
    for value in (relation, none):
        syntax = file.Syntax(120, file.Relations(value, none, none, none))
        cards.append(section(replace(ANALYSIS, syntax=syntax)))
    sentence = line(cards[0].splitlines(), "Syntax-like")
    assert sentence.endswith(": encoder 2.1 (verb to object: 36 %, best rule 32 %).")
    assert "the best rule “always n words away”: none." in cards[1]
