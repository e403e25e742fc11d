"""What a training and the commands take, and what they do when nothing is said."""

from dataclasses import fields, replace

import pytest

from model import analyse, compare, download, evaluate, train, translate
from model.recurrent.config import RecurrentConfig
from model.training.trainer import TrainingConfig
from model.transformer.config import OF_OTHERS, ModelConfig

MANY = 1_000_000_000
SETTINGS = [  # smallest, largest, and what is taken where nothing is said
    ("steps", 1, MANY, None),
    ("token_budget", 1, MANY, 8192),
    ("muon_lr", 0, 1, 0.005),
    ("adamw_lr", 0, 1, 0.003),
    ("warmup", 0, MANY, 100),
    ("cooldown", 1e-6, 1, 0.6),
    ("label_smoothing", 0, 0.999, 0.1),
    ("bpe_dropout", 0, 1, 0.05),
    ("copying", 0, 1, 0.6),
    ("made_sentences", 0, 10, 0.08),
    ("agreement", 0, 10, 0.08),
    ("as_typed", 0, 1, 0.25),
    ("joined", 0, 1, 0.1),
    ("ema_decay", 0, 1, 0.998),
    ("max_grad_norm", 1e-9, MANY, 1.0),
    ("eval_every", 1, MANY, 400),
    ("save_every", 1, MANY, 200),
    ("seed", 0, MANY, 1),
]
# Section 4 and table 3 of the paper, or half of it, where the paper has a number.
TRANSFORMER = {"d_model": 256, "n_heads": 8, "n_layers": 4, "d_ff": 1024, "dropout": 0.1}
TRANSFORMER |= {"norm": "pre", "tie_embeddings": True, "max_length": 256, "scale_embedding": True}
TRANSFORMER |= {"src_vocab_size": None, "output_bias": False}
NOTHING = {"split": None, "corpus": None}
RECURRENT = {"d_model": 256, "d_hidden": 512, "cell": "gru", "dropout": 0.1, "max_length": 256}


@pytest.mark.parametrize(("name", "smallest", "largest", "default"), SETTINGS)
def test_a_setting_may_be_what_its_range_says_and_nothing_beyond(name, smallest, largest, default):
    for value in (smallest, largest):
        assert getattr(TrainingConfig(**{"steps": 5, name: value}), name) == value
    step = 1 if isinstance(largest, int) and largest > 10 and smallest == int(smallest) else 1e-7
    for value in (smallest - step, largest + step, float("nan")):
        with pytest.raises(ValueError, match=f"^{name} "):
            TrainingConfig(**{"steps": 5, name: value})
    assert default is None or getattr(TrainingConfig(steps=5), name) == default


def test_every_setting_has_a_range_and_every_size_a_default():
    assert [name for name, *_ in SETTINGS] == [field.name for field in fields(TrainingConfig)]
    for config, expected in (
        (ModelConfig(vocab_size=5), TRANSFORMER),
        (RecurrentConfig(arch="luong", vocab_size=5), RECURRENT),
    ):
        assert {name: getattr(config, name) for name in expected} == expected
        for name, most in {"max_length": 4096, "vocab_size": 10**6, "d_model": 10**6}.items():
            assert getattr(replace(config, **{name: most}), name) == most
            with pytest.raises(ValueError, match=name):
                replace(config, **{name: most + 1})
    assert replace(ModelConfig(vocab_size=5), n_layers=100).n_layers == 100
    with pytest.raises(ValueError, match="n_layers"):
        replace(ModelConfig(vocab_size=5), n_layers=101)


def test_options_of_a_training_begin_as_the_configurations_do():
    found = vars(train._parser().parse_args(["--corpus", "a", "--out", "b", "--steps", "3"]))
    for config in (RecurrentConfig, ModelConfig, TrainingConfig):  # the Transformer's win
        for field in fields(config):
            if field.name not in ("arch", "vocab_size", "steps", *OF_OTHERS):
                assert found[field.name] == field.default, field.name
    chosen = {"vocab_size": 8000, "threads": None, "snapshots": 0, "begin_with": None}
    chosen |= {"device": "auto", "precision": "auto", "resume": False, "overwrite": False}
    chosen |= {"arch": "transformer"}
    assert {name: found[name] for name in chosen} == chosen


@pytest.mark.parametrize(
    ("command", "needed", "expected"),
    [
        (translate, "--checkpoint a", {"beam": 1, "json": False, "text": []}),
        (evaluate, "--checkpoint a --pairs b", NOTHING | {"beam": 1, "json": False}),
        (analyse, "--checkpoint a --pairs b", {"sentences": 500, "means_only": False}),
        (analyse, "--checkpoint a --pairs b", {"alignments": None, "baseline": None}),
        (compare, "--checkpoints a --pairs b", NOTHING),
        (download, "fra-eng", {"to": "data", "url": None, "sha256": None}),
    ],
)
def test_options_of_a_command_begin_as_its_help_says(command, needed, expected):
    found = vars(command._parser().parse_args(needed.split()))
    assert found.items() >= expected.items()
