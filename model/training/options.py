"""The options of ``python -m model.train``, and which of them cannot be combined."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from model.checkpoint.architectures import ARCHS, TRANSFORMER, AnyConfig
from model.checkpoint.snapshots import snapshot_steps
from model.command_line import as_recorded, new_parser
from model.corpora.corpus_options import add_corpus_options
from model.recurrent.cells import CELLS
from model.recurrent.config import RecurrentConfig
from model.training.config import TrainingConfig
from model.training.saved_state import State, read_state
from model.training.training_folder import saved_state
from model.transformer.config import MAX_SIZE, ModelConfig

VOCAB_SIZE = 8000  # a small vocabulary has short subwords, which keep a page readable
_MIN_VOCAB_SIZE = 260  # the bytes and the special tokens
_MAX_THREADS = 1024
_MAX_WEIGHTS = 10**9  # 4 GB as float32

# Fields of an architecture that are not command-line options.
_NO_OPTION = ("arch", "vocab_size")
_ARCHITECTURES = (ModelConfig, RecurrentConfig)

# Options about where, when and how fast a model is trained. The precision has its own record, which
# also says when it changed.
_NOT_RECORDED = {"device", "overwrite", "precision", "resume", "threads"}


def training_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with all options. A recorded command lists them in this order."""
    parser = new_parser("train", description)
    add_corpus_options(parser, required=True)
    parser.add_argument(
        "--written",
        action="store_true",
        help="also learn from the pairs in model/augmentation/hand_written",
    )
    parser.add_argument(
        "--ignore-warnings", action="store_true", help="train even if the corpus looks wrong"
    )
    parser.add_argument("--out", required=True, metavar="FOLDER", help="the checkpoint folder")
    parser.add_argument(
        "--vocab-size",
        type=int,
        default=VOCAB_SIZE,
        metavar="N",
        help="subwords of the joint BPE (%(default)s)",
    )
    parser.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="auto",
        help="where to compute (auto: on a GPU if there is one)",
    )
    parser.add_argument(
        "--precision",
        choices=("auto", "bfloat16", "float32"),
        default="auto",
        help="what to compute in (auto: whatever is faster here)",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="CPU threads of a process (all)")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on where the training in --out stopped; options that are left out are those that "
        "it began with",
    )
    parser.add_argument(
        "--begin-with",
        metavar="FOLDER",
        help="begin with the weights and the tokenizer of a finished model; the architecture "
        "must be the same",
    )
    parser.add_argument(
        "--new-vocabulary",
        action="store_true",
        help="with --begin-with, for other languages: learn the vocabulary from this corpus; "
        "subwords that both vocabularies have keep their weights",
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace the finished model in --out when the new one is finished",
    )
    parser.add_argument(
        "--snapshots",
        type=int,
        default=0,
        metavar="N",
        help="keep the weights of N steps, most of them early ones (%(default)s)",
    )
    parser.add_argument(
        "--arch", choices=ARCHS, default=TRANSFORMER, help="the architecture (%(default)s)"
    )
    _add_architecture_options(parser)
    _add_training_options(parser)
    return parser


def parse_options(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> argparse.Namespace:
    """Parse the command line. With ``--resume``, the defaults come from the saved state.

    Args:
        parser: of ``training_parser``. After ``--resume`` its defaults are those of the state.
        arguments: None for those of the command line.

    Raises:
        CheckpointError: the saved state is damaged.
    """
    # 1. Read only --out and --resume, because the full parser fails without its required options.
    look = argparse.ArgumentParser(add_help=False)
    look.add_argument("--out")
    look.add_argument("--resume", action="store_true")
    given, _ = look.parse_known_args(arguments)

    # 2. Take the defaults from the saved state
    path = saved_state(Path(given.out)) if given.resume and given.out else None
    if path:
        defaults = _options_of(read_state(path, with_tensors=False))
        for action in parser._actions:  # argparse has no public list of them
            if action.dest in defaults:
                action.default = defaults[action.dest]
                action.required = False
    return parser.parse_args(arguments)


def _options_of(state: State) -> dict[str, Any]:
    """Return the options, by name, with which a training run was started or last resumed."""
    corpus = state.origin.corpus.split()  # hash [simplified] [hash of the written pairs]
    simplified = "simplified" in corpus
    return {
        "arch": TRANSFORMER,
        **state.origin.architecture,
        **state.settings_history[-1],
        "snapshots": state.snapshots,
        "simplified": simplified,
        "written": len(corpus) == 2 + simplified,
    }


def _add_architecture_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for each field of both architectures, in the order of the fields."""
    group = parser.add_argument_group("architecture")
    group.add_argument(
        "--d-model",
        type=int,
        default=ModelConfig.d_model,
        metavar="N",
        help="width of the residual stream, or of a recurrent network's embedding (%(default)s)",
    )
    group.add_argument(
        "--n-heads",
        type=int,
        default=ModelConfig.n_heads,
        metavar="N",
        help="heads of every attention; must divide --d-model (%(default)s)",
    )
    group.add_argument(
        "--n-layers",
        type=int,
        default=ModelConfig.n_layers,
        metavar="N",
        help="blocks in the encoder, and as many in the decoder (%(default)s)",
    )
    group.add_argument(
        "--d-ff",
        type=int,
        default=ModelConfig.d_ff,
        metavar="N",
        help="width of the feed-forward's hidden layer (%(default)s)",
    )
    group.add_argument(
        "--dropout",
        type=float,
        default=ModelConfig.dropout,
        metavar="P",
        help="P_drop, the probability of zeroing a value (%(default)s)",
    )
    group.add_argument(
        "--norm",
        default=ModelConfig.norm,
        metavar="WHERE",
        help="normalise before each sublayer (pre) or after the residual sum (post) (%(default)s)",
    )
    group.add_argument(
        "--tie-embeddings",
        action=argparse.BooleanOptionalAction,
        default=ModelConfig.tie_embeddings,
        help="one matrix for source embedding, target embedding and output (yes)",
    )
    group.add_argument(
        "--max-length",
        type=int,
        default=ModelConfig.max_length,
        metavar="N",
        help="longest source or target, in tokens (%(default)s)",
    )
    group.add_argument(
        "--d-hidden",
        type=int,
        default=RecurrentConfig.d_hidden,
        metavar="N",
        help="width of the recurrent states (%(default)s)",
    )
    group.add_argument(
        "--cell",
        default=RecurrentConfig.cell,
        metavar="NAME",
        help=f"the recurrent cell: {', '.join(CELLS)} (%(default)s)",
    )


def _add_training_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for each field of ``TrainingConfig``; the help text is in the field."""
    group = parser.add_argument_group("training")
    for setting in fields(TrainingConfig):
        if setting.default is MISSING:
            group.add_argument(
                _flag(setting.name),
                type=int,
                required=True,
                metavar="N",
                help=setting.metadata["help"],
            )
        else:
            group.add_argument(
                _flag(setting.name),
                type=type(setting.default),
                default=setting.default,
                metavar="N" if isinstance(setting.default, int) else "X",
                help=f"{setting.metadata['help']} (%(default)s)",
            )


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def architecture_settings(config: type) -> Iterator[Field[Any]]:
    """Yield the fields of an architecture that are also command-line options."""
    return (setting for setting in fields(config) if setting.name not in _NO_OPTION)


def training_config(options: argparse.Namespace) -> TrainingConfig:
    """Return the training settings that the options describe."""
    values = {setting.name: getattr(options, setting.name) for setting in fields(TrainingConfig)}
    return TrainingConfig(**values)


def model_config(options: argparse.Namespace, vocab_size: int) -> AnyConfig:
    """Return the architecture that the options describe.

    Args:
        options: the parsed command line.
        vocab_size: V, the tokens that the tokenizer knows.

    Raises:
        ValueError: a value is out of range, or an option belongs to a different architecture.
    """
    for setting in settings_of_other_architectures(options):
        if getattr(options, setting.name) != setting.default:
            raise ValueError(f"{_flag(setting.name)} does not apply to --arch {options.arch}")
    config = _config_class(options)
    values = {s.name: getattr(options, s.name) for s in architecture_settings(config)}
    if config is RecurrentConfig:
        values["arch"] = options.arch
    return config(vocab_size=vocab_size, **values)


def settings_of_other_architectures(options: argparse.Namespace) -> list[Field[Any]]:
    """Return the settings that only the other architectures have."""
    own = {setting.name for setting in architecture_settings(_config_class(options))}
    return [
        setting
        for config in _ARCHITECTURES
        for setting in architecture_settings(config)
        if setting.name not in own
    ]


def _config_class(options: argparse.Namespace) -> Any:
    return ModelConfig if options.arch == TRANSFORMER else RecurrentConfig


def check_options(options: argparse.Namespace) -> None:
    """Check everything that can be checked before any file is read.

    Raises:
        ValueError: an option is out of range, or has no effect with the others.
    """
    if not _MIN_VOCAB_SIZE <= options.vocab_size <= MAX_SIZE:
        raise ValueError(
            f"--vocab-size must be from {_MIN_VOCAB_SIZE} to {MAX_SIZE:,}, got {options.vocab_size}"
        )
    if options.new_vocabulary and not (options.begin_with or options.resume):
        raise ValueError("--new-vocabulary is for a training with --begin-with")
    if options.threads is not None and not 1 <= options.threads <= _MAX_THREADS:
        raise ValueError(f"--threads must be from 1 to {_MAX_THREADS}, got {options.threads}")
    n_weights = model_config(options, options.vocab_size).n_matrix_weights
    if n_weights > _MAX_WEIGHTS:
        raise ValueError(
            f"this model would have {n_weights:,} weights; at most {_MAX_WEIGHTS:,} are allowed"
        )
    snapshot_steps(options.steps, options.snapshots)  # raises ValueError if there are too many


def recorded_command(options: argparse.Namespace) -> str:
    """Return the command that repeats a training run, with every setting that affects the model."""
    leave_out = {setting.name for setting in settings_of_other_architectures(options)}
    leave_out |= _NOT_RECORDED
    if options.begin_with and not options.new_vocabulary:
        leave_out.add("vocab_size")  # the initial weights bring their vocabulary
    return as_recorded(options, leave_out=leave_out)
