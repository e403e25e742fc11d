"""Train a translation Transformer: from a corpus to a checkpoint folder.

python -m model.train --corpus data/fra-eng.zip --out checkpoints/en-fr --steps 4000
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import MISSING, fields
from pathlib import Path

import torch
from tqdm import tqdm

from model.checkpoint import HISTORY, TOKENIZER, save_checkpoint
from model.config import ModelConfig
from model.corpus import Split, read_corpus, split_corpus
from model.precision import choose_precision
from model.tokenizer import Tokenizer
from model.training import STATE, Training, TrainingConfig


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 bad input, 130 stopped by Ctrl-C."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return _train(options)
    except ValueError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1


def _train(options: argparse.Namespace) -> int:
    folder = Path(options.out)
    corpus = read_corpus(*options.corpus)
    split = split_corpus(corpus.pairs)
    print(f"Corpus: {corpus}.")
    print(
        f"Split: {len(split.train):,} train pairs, {len(split.dev):,} dev and {len(split.test):,} "
        f"test sentences; {split.leaking:,} pairs left out for sharing a held-out target."
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = _tokenizer(folder, split, options)
    model_config = ModelConfig(vocab_size=tokenizer.vocab_size, **_chosen(ModelConfig, options))
    config = TrainingConfig(**_chosen(TrainingConfig, options))
    device = _device(options.device)
    dtype, why = choose_precision(device, options.precision)
    torch.set_num_threads(options.threads or torch.get_num_threads())
    print(f"Computing on {device} with {torch.get_num_threads()} threads in {why}.")
    training = Training(
        model_config, config, split, tokenizer, folder, device=device, dtype=dtype
    )
    if options.resume:
        training.resume()
        print(f"Going on after step {training.progress.step:,}.")
    stopped = _run_with_bar(training)
    save_checkpoint(folder, training.average, tokenizer, {})
    return 130 if stopped else 0


def _tokenizer(folder: Path, split: Split, options: argparse.Namespace) -> Tokenizer:
    """The folder's own tokenizer when resuming, otherwise a new one from the train pairs."""
    if options.resume:
        return Tokenizer.load(folder / TOKENIZER)
    if (folder / STATE).exists():
        raise ValueError(f"{folder} holds an unfinished training: add --resume, or remove it")
    (folder / HISTORY).unlink(missing_ok=True)
    texts = (text for pair in split.train for text in pair)
    tokenizer = Tokenizer.train(texts, options.vocab_size)
    tokenizer.save(folder / TOKENIZER)
    return tokenizer


def _run_with_bar(training: Training) -> bool:
    """Train with a progress bar; returns whether Ctrl-C stopped it."""
    progress = training.progress
    with tqdm(total=training.config.steps, initial=progress.step, unit="step") as bar:

        def on_step(loss: float) -> None:
            rate = progress.tokens / progress.clock if progress.clock else 0.0
            bar.set_postfix(loss=f"{loss:.3f}", tokens_per_second=f"{rate:,.0f}", refresh=False)
            bar.update()

        try:
            training.run(on_step)
        except KeyboardInterrupt:
            training.save_state()
            bar.write(f"Stopped after step {progress.step:,}. Go on with --resume.")
            return True
    return False


def _device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("no CUDA device is available here: use --device cpu")
    return torch.device(name)


def _chosen(config: type, options: argparse.Namespace) -> dict[str, object]:
    return {f.name: getattr(options, f.name) for f in fields(config) if f.name != "vocab_size"}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m model.train", description=__doc__)
    parser.add_argument("--corpus", nargs="+", required=True, metavar="FILE", help="one file of pairs, or two parallel files")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="the checkpoint folder")
    parser.add_argument("--vocab-size", type=int, default=8000, help="of the joint BPE (%(default)s)")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--precision", choices=("auto", "bfloat16", "float32"), default="auto")
    parser.add_argument("--threads", type=int, help="CPU threads (all)")
    parser.add_argument("--resume", action="store_true", help="go on where the run in --out stopped")
    for config in (ModelConfig, TrainingConfig):
        group = parser.add_argument_group(config.__name__)
        for f in fields(config):
            if f.name != "vocab_size":
                _add_option(group, f.name, f.default)
    return parser


def _add_option(group: argparse._ArgumentGroup, name: str, default: object) -> None:
    flag = f"--{name.replace('_', '-')}"
    if default is MISSING:
        group.add_argument(flag, type=int, required=True)
    elif isinstance(default, bool):
        group.add_argument(flag, action=argparse.BooleanOptionalAction, default=default)
    else:
        group.add_argument(flag, type=type(default), default=default, help=f"({default})")


if __name__ == "__main__":
    sys.exit(main())
