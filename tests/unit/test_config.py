"""Accepted, refused and default values of the settings of trainings and architectures."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from model.checkpoint.architectures import config_to_json, new_model, read_architecture
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.training.config import TrainingConfig
from model.training.options import training_parser
from model.transformer.config import ModelConfig

MANY = 1_000_000_000
SETTINGS = [  # smallest value, largest value, default
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
    ("sloppy", 0, 1, 0.1),
    ("as_typed", 0, 1, 0.25),
    ("joined", 0, 1, 0.1),
    ("ema_decay", 0, 1, 0.998),
    ("max_grad_norm", 1e-9, MANY, 1.0),
    ("eval_every", 1, MANY, 400),
    ("save_every", 1, MANY, 200),
    ("seed", 0, MANY, 1),
]
# If the paper has a value (section 4, table 3), the default is this value or half of it.
TRANSFORMER = {"d_model": 256, "n_heads": 8, "n_layers": 4, "d_ff": 1024, "dropout": 0.1}
TRANSFORMER |= {"norm": "pre", "tie_embeddings": True, "max_length": 256}
ANCESTORS = {"d_model": 256, "d_hidden": 512, "cell": "gru", "dropout": 0.1, "max_length": 256}


@pytest.mark.parametrize(("name", "smallest", "largest", "default"), SETTINGS)
def test_a_setting_accepts_the_ends_of_its_range_and_nothing_beyond(
    name, smallest, largest, default
):
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
        (RecurrentConfig(arch="luong", vocab_size=5), ANCESTORS),
    ):
        assert {name: getattr(config, name) for name in expected} == expected
        for name, most in {"max_length": 4096, "vocab_size": 10**6, "d_model": 10**6}.items():
            assert getattr(replace(config, **{name: most}), name) == most
            with pytest.raises(ValueError, match=name):
                replace(config, **{name: most + 1})
    assert replace(ModelConfig(vocab_size=5), n_layers=100).n_layers == 100
    with pytest.raises(ValueError, match="n_layers"):
        replace(ModelConfig(vocab_size=5), n_layers=101)


def test_the_defaults_of_options_are_those_of_the_configurations():
    options = vars(
        training_parser(None).parse_args(["--corpus", "a", "--out", "b", "--steps", "3"])
    )
    # later ones win, so the Transformer's win over the recurrent models'
    for config in (RecurrentConfig, ModelConfig, TrainingConfig):
        for field in fields(config):
            if field.name not in ("arch", "vocab_size", "steps"):
                assert options[field.name] == field.default, field.name
    chosen = {"vocab_size": 8000, "threads": None, "snapshots": 0, "begin_with": None}
    chosen |= {"device": "auto", "precision": "auto", "resume": False, "overwrite": False}
    chosen |= {"arch": "transformer"}
    assert {name: options[name] for name in chosen} == chosen


SHIPPED = Path(__file__).parent.parent.parent / "checkpoints"
SMALLEST = {"vocab_size": 1, "d_model": 2, "n_heads": 1, "n_layers": 1, "d_ff": 1, "max_length": 1}
RECURRENT = {"arch": "luong", "vocab_size": 1, "d_model": 1, "d_hidden": 1, "max_length": 1}


def made(**values):
    """Return the smallest architecture, with changed values."""
    return (RecurrentConfig if "arch" in values else ModelConfig)(**values)


def test_the_smallest_architectures_are_accepted():
    assert ModelConfig(**SMALLEST, dropout=0).d_head == 2
    for arch, d_memory in {"seq2seq": 1, "luong": 1, "bahdanau": 2}.items():
        assert RecurrentConfig(**RECURRENT | {"arch": arch}, dropout=0).d_memory == d_memory


@pytest.mark.parametrize("value", [0, -1, 1.0, "2"])
@pytest.mark.parametrize(
    ("smallest", "name"),
    [(values, name) for values in (SMALLEST, RECURRENT) for name in values if name != "arch"],
)
def test_sizes_must_be_positive_whole_numbers(smallest, name, value):
    with pytest.raises(ValueError, match=f"{name} must be .*, got {value!r}"):
        made(**smallest | {name: value})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        *((kind | {"dropout": p}, "dropout") for kind in ({}, RECURRENT) for p in (1, -0.1)),
        ({"norm": "middle"}, "'pre' or 'post'"),
        ({"d_model": 4, "n_heads": 3}, "n_heads=3 does not divide d_model=4"),
        ({"d_model": 3, "n_heads": 3}, "even"),
        *((RECURRENT | {field: "elman"}, f"{field} must be one of") for field in ("arch", "cell")),
    ],
)
def test_other_impossible_values_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        made(**({} if "arch" in wrong else SMALLEST) | wrong)


@pytest.mark.parametrize("name", ["en-fr", "en-fr-seq2seq", "en-fr-bahdanau"])
def test_defaults_are_what_the_shipped_commands_leave_out(name):
    """A size that a shipped checkpoint's command does not name still has the same default."""
    saved = json.loads((SHIPPED / name / "config.json").read_text(encoding="utf-8"))
    options = saved["training"]["command"].split()
    architecture = saved["architecture"]
    kind = RecurrentConfig if "arch" in architecture else ModelConfig
    names = (field.name for field in fields(kind))
    named = {n for n in names if f"--{n.replace('_', '-')}" in options or n == "vocab_size"}
    assert config_to_json(kind(**{key: architecture[key] for key in named})) == architecture


def test_a_configuration_is_read_back_unchanged():
    for config in (ModelConfig(vocab_size=9), ModelConfig(vocab_size=9, norm="post")):
        assert config_to_json(config).keys() == {f.name for f in fields(config)}
        assert read_architecture(json.loads(json.dumps(config_to_json(config)))) == config


CONFIGS = [
    ModelConfig(vocab_size=101, d_model=22, n_heads=11, n_layers=3, d_ff=37),
    ModelConfig(vocab_size=3, d_model=22, n_heads=11, n_layers=1, d_ff=300),
    *(
        RecurrentConfig(arch=arch, vocab_size=n, d_model=d_model, d_hidden=d_hidden)
        for n, d_model, d_hidden in ((101, 14, 23), (3, 5, 97))
        for arch in RECURRENT_ARCHS
    ),
]


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_the_counted_weights_are_there_and_few_others(config):
    """The Transformer's weights are counted exactly; of recurrent models, those that all have."""
    sizes = [p.numel() for p in new_model(config).parameters() if p.dim() == 2]
    if isinstance(config, ModelConfig):
        assert config.n_matrix_weights == sum(sizes)
    else:
        one_gate = config.d_hidden * (config.d_model + config.d_hidden)
        assert config.n_matrix_weights - one_gate == max(sizes[:1])
        assert one_gate < config.n_matrix_weights <= sum(sizes)
