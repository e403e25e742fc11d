"""Average the weights of a model before and after further training.

python -m model.average --checkpoint checkpoints/further --first checkpoints/en-fr --share 0.5
--out checkpoints/mean

A model that learned from further sentences is better on these, and worse on the sentences of its
first training. The mean of the weights before and after can be good at both. Choose the share by
the score on dev sentences.
Source: Wortsman et al. 2022, "Robust fine-tuning of zero-shot models", section 3.
"""

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from model.checkpoint.architectures import config_to_json
from model.checkpoint.averaging import average_weights
from model.checkpoint.checkpoint import HISTORY, load_checkpoint, read_history, save_checkpoint
from model.checkpoint.joined_training import join_histories, join_records
from model.command_line import as_recorded, new_parser, run
from model.files.folder_lock import folder_lock
from model.files.path_argument import path_argument
from model.files.regular_file import exists
from model.files.replacing import check_name, real_folder, replacing_folder, write_text
from model.nn.encoder_decoder import Model
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.tokenizers.tokenizer import Tokenizer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0 done, 1 bad input."""
    parser = new_parser("average", __doc__)
    parser.add_argument(
        "--checkpoint", required=True, metavar="FOLDER", help="the model that learned last"
    )
    parser.add_argument(
        "--first", required=True, metavar="FOLDER", help="the model that it began with"
    )
    parser.add_argument(
        "--share",
        type=float,
        default=0.5,
        metavar="SHARE",
        help="of --checkpoint in the mean, between 0 and 1 (default: %(default)s)",
    )
    parser.add_argument("--out", required=True, metavar="FOLDER", help="the folder to make")
    return run(parser, _average, arguments)


def _average(options: argparse.Namespace) -> None:
    """Write the mean of two models into a new folder."""
    if not 0 < options.share < 1:
        raise ValueError(f"--share {options.share} must be between 0 and 1")
    folder = real_folder(Path(options.out))
    check_name(folder)
    with folder_lock(folder):
        if exists(folder):
            raise ValueError(f"{folder} is there already: choose a different --out")

        # 1. Load both models.
        last, tokenizer, training = load_checkpoint(options.checkpoint)
        first, first_tokenizer, first_training = load_checkpoint(options.first)
        _check_alike(options, (last, tokenizer), (first, first_tokenizer))
        _check_begun_with(options, training, first_training)

        # 2. Average the weights. Remove the stored scores, which belong only to the last model.
        average_weights(last, first, options.share)
        training.pop("scores", None)
        training.pop("robustness", None)
        training["averaged"] = _description(options, first_training.get("steps", 0))
        training = join_records(first_training, training)

        # 3. Write the mean with the history of both trainings, completely or not at all.
        folder.parent.mkdir(parents=True, exist_ok=True)
        with replacing_folder(folder) as new:
            new.mkdir()
            save_checkpoint(new, last, tokenizer, training)
            lines = join_histories(read_history(options.first), read_history(options.checkpoint))
            if lines:
                text = "".join(json.dumps(line) + "\n" for line in lines)
                write_text(new / HISTORY, text)
    quoted = shlex.quote(path_argument(folder.as_posix()))
    print(
        f"Written to {folder}. Its scores and its README.md: python -m model.evaluate --checkpoint "
        f"{quoted} --split test --corpus ... --save"
    )


def _check_alike(
    options: argparse.Namespace, last: tuple[Model, Tokenizer], first: tuple[Model, Tokenizer]
) -> None:
    """Raise ValueError unless both models have the same architecture and the same vocabulary.

    Args:
        options: their folders, which the error message names.
        last: the model that was trained further, and its tokenizer.
        first: the model that it started from, and its tokenizer.
    """
    last_model, last_tokenizer = last
    first_model, first_tokenizer = first
    vocabulary = _vocabulary(options.checkpoint, last_tokenizer)
    first_vocabulary = _vocabulary(options.first, first_tokenizer)
    if _sizes(last_model) != _sizes(first_model):
        difference = "architectures"
    elif vocabulary != first_vocabulary:
        difference = "vocabularies"
    else:
        return
    raise ValueError(
        f"{options.checkpoint} and {options.first} have different {difference}: average a model "
        "with the one that it began with"
    )


def _check_begun_with(
    options: argparse.Namespace, training: dict[str, Any], first_training: dict[str, Any]
) -> None:
    """Raise ValueError unless the last training began with the first model.

    Args:
        options: of the command, which name both folders.
        training: the record of the last training.
        first_training: the record of the first training.
    """
    if "averaged" in training:
        raise ValueError(
            f"{options.checkpoint} is a mean already: give the model that ended the last training"
        )
    command = first_training.get("command", "")
    if command not in training.get("begun_with", ""):
        raise ValueError(
            f"{options.checkpoint} did not begin with the weights of {options.first}: give the "
            "model that it began with as --first"
        )


def _sizes(model: Model) -> dict[str, Any]:
    """Return the architecture without dropout, which only training uses."""
    sizes = config_to_json(model.config)
    sizes.pop("dropout", None)
    return sizes


def _vocabulary(folder: str, tokenizer: Tokenizer) -> str:
    """Return the subwords and merges of a tokenizer, as JSON.

    Raises:
        ValueError: the model is of the Hub.
    """
    if not isinstance(tokenizer, ByteLevelTokenizer):
        raise ValueError(f"{folder} was not trained here: average two models that were")
    return tokenizer.bpe.to_str()


def _description(options: argparse.Namespace, first_steps: int) -> str:
    """Return a sentence for the model card that says how the mean was made."""
    return (
        f"{options.share:g} of the weights that this training ended with and "
        f"{1 - options.share:g} of those of {Path(options.first).resolve().name} "
        f"({first_steps:,} steps): {as_recorded(options)}"
    )


if __name__ == "__main__":
    sys.exit(main())
