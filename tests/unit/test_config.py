"""Architectures: what is refused, what is just allowed, and the defaults of the shipped models."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from model.checkpoint.architectures import new_model, read_architecture, written
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.transformer.config import OF_OTHERS, ModelConfig

SHIPPED = Path(__file__).parent.parent.parent / "checkpoints"
SMALLEST = {"vocab_size": 1, "d_model": 2, "n_heads": 1, "n_layers": 1, "d_ff": 1, "max_length": 1}
RECURRENT = {"arch": "luong", "vocab_size": 1, "d_model": 1, "d_hidden": 1, "max_length": 1}


def made(**values):
    """The smallest architecture, or one whose values have been changed."""
    return (RecurrentConfig if "arch" in values else ModelConfig)(**values)


def test_the_smallest_architectures():
    assert ModelConfig(**SMALLEST, dropout=0, never_written=(0,)).d_head == 2
    for arch, d_memory in {"seq2seq": 1, "luong": 1, "bahdanau": 2}.items():
        assert RecurrentConfig(**RECURRENT | {"arch": arch}, dropout=0).d_memory == d_memory


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
        *((kind | {"dropout": p}, "dropout") for kind in ({}, RECURRENT) for p in (1, -0.1)),
        ({"norm": "middle"}, "'pre' or 'post'"),
        ({"d_model": 4, "n_heads": 3}, "n_heads=3 does not divide d_model=4"),
        ({"d_model": 3, "n_heads": 3}, "even"),
        ({"activation": "swish"}, "'relu' or 'silu' or 'gelu', got 'swish'"),
        ({"positions": "learned"}, "positions must be"),
        ({"frequencies": "marian"}, "frequencies must be"),
        ({"src_vocab_size": 0}, "src_vocab_size must be from 1"),
        *(({"never_written": (id,)}, f"never_written holds {id}") for id in (1, -1)),
        *((RECURRENT | {what: "elman"}, f"{what} must be one of") for what in ("arch", "cell")),
    ],
)
def test_what_else_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        made(**({} if "arch" in wrong else SMALLEST) | wrong)


@pytest.mark.parametrize("name", ["en-fr", "en-fr-seq2seq", "en-fr-bahdanau"])
def test_defaults_are_what_the_shipped_commands_leave_out(name):
    """Sizes that the command of a checkpoint does not name are the defaults of then and now."""
    saved = json.loads((SHIPPED / name / "config.json").read_text(encoding="utf-8"))
    options = saved["training"]["command"].split()
    architecture = saved["architecture"]
    kind = RecurrentConfig if "arch" in architecture else ModelConfig
    names = (field.name for field in fields(kind))
    named = {n for n in names if f"--{n.replace('_', '-')}" in options or n == "vocab_size"}
    assert written(kind(**{key: architecture[key] for key in named})) == architecture


def test_what_only_converted_models_have_is_written_where_they_have_it():
    ours = ModelConfig(vocab_size=9)
    assert not set(OF_OTHERS) & written(ours).keys()
    how = {"activation": "silu", "positions": "halves", "frequencies": "tensor2tensor"}
    how |= {"scale_embedding": False, "output_bias": True, "src_vocab_size": 7}
    other = ModelConfig(vocab_size=9, norm="post", never_written=(8, 3), **how)
    assert written(other).keys() == {f.name for f in fields(other)}
    for config in (ours, other):
        assert read_architecture(json.loads(json.dumps(written(config)))) == config


CONFIGS = [
    ModelConfig(vocab_size=101, d_model=22, n_heads=11, n_layers=2, d_ff=37, src_vocab_size=57),
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
    """The Transformer's are counted exactly, of a recurrent one those that every kind has."""
    sizes = [p.numel() for p in new_model(config).parameters() if p.dim() == 2]
    if isinstance(config, ModelConfig):
        assert config.n_matrix_weights == sum(sizes)
    else:
        one_gate = config.d_hidden * (config.d_model + config.d_hidden)
        assert config.n_matrix_weights - one_gate == max(sizes[:1])
        assert one_gate < config.n_matrix_weights <= sum(sizes)
