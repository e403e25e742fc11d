"""Architectures: what is refused, what is just allowed, and the defaults of the shipped models."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from model.checkpoint.architectures import AnyConfig, new_model, read_architecture, written
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.transformer.config import OF_OTHERS, ModelConfig

SHIPPED = Path(__file__).parent.parent.parent / "checkpoints"
SMALLEST = {"vocab_size": 1, "d_model": 2, "n_heads": 1, "n_layers": 1, "d_ff": 1, "max_length": 1}
RECURRENT = {"arch": "luong", "vocab_size": 1, "d_model": 1, "d_hidden": 1, "max_length": 1}


def made(**values: Any) -> AnyConfig:
    """The smallest architecture, or one whose values have been changed."""
    return (RecurrentConfig if "arch" in values else ModelConfig)(**values)


def test_the_smallest_architectures():
    assert ModelConfig(**SMALLEST, dropout=0, never_written=(0,)).d_head == 2
    assert RecurrentConfig(**RECURRENT, dropout=0).d_memory == 1


@pytest.mark.parametrize("value", [0, -1, 1.0, "2"])
@pytest.mark.parametrize(
    ("smallest", "name"),
    [(values, name) for values in (SMALLEST, RECURRENT) for name in values if name != "arch"],
)
def test_sizes_are_whole_and_positive(smallest, name, value):
    with pytest.raises(ValueError, match=f"{name} must be .*, got {value!r}"):
        made(**smallest | {name: value})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dropout": 1}, "dropout"),
        ({"dropout": -0.1}, "dropout"),
        ({"norm": "middle"}, "'pre' or 'post'"),
        ({"d_model": 4, "n_heads": 3}, "n_heads=3 does not divide d_model=4"),
        ({"d_model": 3, "n_heads": 3}, "even"),
        ({"activation": "swish"}, "'relu' or 'silu' or 'gelu', got 'swish'"),
        ({"positions": "learned"}, "positions must be"),
        ({"frequencies": "marian"}, "frequencies must be"),
        ({"src_vocab_size": 0}, "src_vocab_size must be from 1"),
        ({"never_written": (1,)}, "never_written holds 1"),
        ({"never_written": (-1,)}, "never_written holds -1"),
        (RECURRENT | {"dropout": 1}, "dropout"),
        (RECURRENT | {"dropout": -0.1}, "dropout"),
        (RECURRENT | {"arch": "elman"}, "arch must be one of"),
        (RECURRENT | {"cell": "elman"}, "cell must be one of"),
    ],
)
def test_what_else_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        made(**({} if "arch" in wrong else SMALLEST) | wrong)


def test_only_bahdanau_reads_from_both_ends():
    widths = {
        arch: RecurrentConfig(arch=arch, vocab_size=7, d_hidden=5).d_memory
        for arch in RECURRENT_ARCHS
    }
    assert widths == {"seq2seq": 5, "luong": 5, "bahdanau": 10}


@pytest.mark.parametrize("name", ["en-fr", "en-fr-seq2seq", "en-fr-bahdanau"])
def test_defaults_are_what_the_shipped_commands_leave_out(name):
    """Sizes that the command of a checkpoint does not name are the defaults of then and now."""
    saved = json.loads((SHIPPED / name / "config.json").read_text(encoding="utf-8"))
    options = saved["training"]["command"].split()
    architecture = saved["architecture"]
    kind = RecurrentConfig if "arch" in architecture else ModelConfig
    named = {
        field.name
        for field in fields(kind)
        if f"--{field.name.replace('_', '-')}" in options or field.name == "vocab_size"
    }
    assert written(kind(**{key: architecture[key] for key in named})) == architecture


def test_what_only_converted_models_have_is_written_where_they_have_it():
    ours = ModelConfig(vocab_size=9)
    assert not set(OF_OTHERS) & written(ours).keys()
    other = ModelConfig(
        vocab_size=9,
        norm="post",
        activation="silu",
        positions="halves",
        frequencies="tensor2tensor",
        scale_embedding=False,
        output_bias=True,
        src_vocab_size=7,
        never_written=(8, 3),
    )
    assert written(other).keys() == {f.name for f in fields(other)}
    for config in (ours, other):
        assert read_architecture(json.loads(json.dumps(written(config)))) == config


CONFIGS = [
    ModelConfig(vocab_size=101, d_model=22, n_heads=11, n_layers=2, d_ff=37, src_vocab_size=57),
    ModelConfig(vocab_size=101, d_model=22, n_heads=11, n_layers=3, d_ff=37),
    ModelConfig(vocab_size=3, d_model=22, n_heads=11, n_layers=1, d_ff=300),
    *(
        RecurrentConfig(arch=arch, vocab_size=101, d_model=14, d_hidden=23)
        for arch in RECURRENT_ARCHS
    ),
    *(RecurrentConfig(arch=arch, vocab_size=3, d_model=5, d_hidden=97) for arch in RECURRENT_ARCHS),
]


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_the_counted_weights_are_there_and_few_others(config):
    """The Transformer's are counted exactly, of a recurrent one those that every kind has."""
    sizes = [p.numel() for p in new_model(config).parameters() if p.dim() == 2]
    if isinstance(config, ModelConfig):
        assert config.n_matrix_weights == sum(sizes)
    else:
        one_gate = config.d_hidden * (config.d_model + config.d_hidden)
        assert config.n_matrix_weights - one_gate == max(sizes[:1])
        assert one_gate < config.n_matrix_weights <= sum(sizes)
