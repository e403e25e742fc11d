"""The options of ``model.train``, and which of them do not go together."""

import argparse
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from functools import partial
from inspect import getdoc
from typing import Any

from model.checkpoint.architectures import ARCHS, TRANSFORMER, AnyConfig
from model.checkpoint.snapshots import snapshot_steps
from model.command_line import as_recorded, new_parser
from model.corpora.references import add_corpora
from model.recurrent.config import RecurrentConfig
from model.training.config import TrainingConfig
from model.transformer.config import CONVERTED_ONLY, LARGEST, ModelConfig

VOCAB_SIZE = 8000  # short subwords keep a page readable
_SMALLEST_VOCABULARY = 260  # the bytes and the special tokens
_MOST_THREADS = 1024
_MOST_WEIGHTS = 10**9  # 4 GB as float32
_DERIVED = ("arch", "vocab_size", *CONVERTED_ONLY)  # follows from other options, or stays as it is
_ARCHITECTURES = (ModelConfig, RecurrentConfig)


def training_parser(about: str | None) -> argparse.ArgumentParser:
    """All options; of a setting that several configurations have the first one's default."""
    parser = new_parser("train", about)
    add_corpora(parser, required=True)
    add, switch = parser.add_argument, partial(parser.add_argument, action="store_true")
    switch("--written", help="learn from the pairs in model/augmentation/written, too")
    switch("--anyway", help="train though the corpus looks wrong")
    add("--out", required=True, metavar="FOLDER", help="the checkpoint folder")
    add("--vocab-size", type=int, default=VOCAB_SIZE, help="of the joint BPE (%(default)s)")
    add("--device", choices=("auto", "cpu", "cuda"), default="auto")
    add("--precision", choices=("auto", "bfloat16", "float32"), default="auto")
    add("--threads", type=int, help="CPU threads of a process (all)")
    switch("--resume", help="go on where the run in --out stopped")
    whose = "a finished model of the same architecture, whose weights and tokenizer come along"
    add("--begin-with", metavar="FOLDER", help=whose)
    new = (
        "with --begin-with, for other languages: learn the vocabulary from this corpus; subwords "
        "that are spelled alike keep their weights"
    )
    switch("--new-vocabulary", help=new)
    switch("--overwrite", help="replace the finished model in --out, when the new one is done")
    kept = "keep the weights of so many steps, more of the early ones (%(default)s)"
    add("--snapshots", type=int, default=0, metavar="N", help=kept)
    add("--arch", choices=ARCHS, default=TRANSFORMER, help="(%(default)s)")
    known: set[str] = set()
    for config in (*_ARCHITECTURES, TrainingConfig):
        group = parser.add_argument_group(config.__name__, getdoc(config))
        for setting in settings(config):
            if setting.name not in known:
                _add_option(group, setting)
                known.add(setting.name)
    return parser


def _add_option(group: argparse._ArgumentGroup, setting: Field[Any]) -> None:
    flag, default, meaning = _flag(setting.name), setting.default, setting.metadata.get("meaning")
    if default is MISSING:
        group.add_argument(flag, type=int, required=True, help=meaning)
    elif isinstance(default, bool):
        group.add_argument(flag, action=argparse.BooleanOptionalAction, default=default)
    else:
        told = f"{meaning or ''} (%(default)s)"
        group.add_argument(flag, type=type(default), default=default, help=told)


def settings(config: type) -> Iterator[Field[Any]]:
    """All of a configuration that can be chosen; the rest follows from other options."""
    return (setting for setting in fields(config) if setting.name not in _DERIVED)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def training_config(options: argparse.Namespace) -> TrainingConfig:
    """How to train."""
    return TrainingConfig(**{s.name: getattr(options, s.name) for s in settings(TrainingConfig)})


def model_config(options: argparse.Namespace, vocab_size: int) -> AnyConfig:
    """The architecture that was asked for; ValueError where an option is another one's."""
    for setting in of_another_architecture(options):
        if getattr(options, setting.name) != setting.default:
            raise ValueError(f"{_flag(setting.name)} does not apply to --arch {options.arch}")
    config = _config_class(options)
    values = {setting.name: getattr(options, setting.name) for setting in settings(config)}
    arch = {} if config is ModelConfig else {"arch": options.arch}
    return config(vocab_size=vocab_size, **arch, **values)


def of_another_architecture(options: argparse.Namespace) -> list[Field[Any]]:
    """The settings that mean nothing for the one that was asked for."""
    own = {setting.name for setting in settings(_config_class(options))}
    every = (setting for config in _ARCHITECTURES for setting in settings(config))
    return [setting for setting in every if setting.name not in own]


def _config_class(options: argparse.Namespace) -> Any:
    return ModelConfig if options.arch == TRANSFORMER else RecurrentConfig


def check(options: argparse.Namespace) -> None:
    """ValueError for what can be seen to be wrong before anything is read or written."""
    if not _SMALLEST_VOCABULARY <= options.vocab_size <= LARGEST:
        raise ValueError(f"--vocab-size must be from {_SMALLEST_VOCABULARY} to {LARGEST:,}")
    if options.new_vocabulary and not (options.begin_with or options.resume):
        raise ValueError("--new-vocabulary is for a training with --begin-with")
    if options.threads is not None and not 1 <= options.threads <= _MOST_THREADS:
        raise ValueError(f"--threads must be from 1 to {_MOST_THREADS}, got {options.threads}")
    asked = model_config(options, options.vocab_size).n_matrix_weights
    if asked > _MOST_WEIGHTS:
        raise ValueError(f"this model would have {asked:,} weights; {_MOST_WEIGHTS:,} are too many")
    snapshot_steps(options.steps, options.snapshots)


def recorded(options: argparse.Namespace) -> str:
    """The command, but for what another architecture or a model to begin with decides, or where."""
    given = {"vocab_size"} if options.begin_with and not options.new_vocabulary else set()
    where = {"device", "overwrite", "precision", "resume", "threads"}
    others = {setting.name for setting in of_another_architecture(options)}
    return as_recorded(options, leave_out=others | given | where)
