"""Train a translation model: from a corpus to a checkpoint folder.

python -m model.train --corpus data/fra-eng.zip --out checkpoints/en-fr --steps 9000
"""

# The steps of a training run, and the file of each step (in ``model/``):
#
#   options         training/options.py, with the settings of training/config.py
#   processes       training/processes.py; several only under torchrun
#   folder          training/training_folder.py
#   first weights   training/initial_weights.py, only with --begin-with
#   corpus          corpora/corpus_options.py, corpora/corpus.py; with --written also
#                   augmentation/hand_written
#   tokenizer       tokenizers/byte_level/tokenizer.py
#   trainer         training/trainer.py; start reading there. It uses
#       epochs          training/epochs.py: which sentences; augmentation/augmentation.py changes
#                       them, corpora/batches.py puts them into batches
#       loss            training/loss.py
#       optimizers      training/optimizer.py
#       number format   training/precision.py
#   saved state     training/saved_state.py; resume with Training.restore in trainer.py
#   snapshots       checkpoint/snapshots.py
#   scores          evaluation/scoring.py
#   card            training/model_card.py
#   checkpoint      checkpoint/checkpoint.py, checkpoint/weights_file.py

import argparse
import os
import platform
import signal
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, replace
from functools import reduce
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from model.augmentation.hand_written import hand_written_pairs, times_per_epoch
from model.checkpoint.checkpoint import CONFIG, TOKENIZER, save_checkpoint
from model.checkpoint.provenance import followed_by
from model.checkpoint.weights_file import as_saved
from model.command_line import exit_status
from model.corpora.corpus_options import (
    SplitCorpus,
    languages_of,
    open_corpora,
    recorded_corpus_options,
)
from model.corpora.stored_corpus import with_added_pairs
from model.evaluation.scoring import evaluate
from model.files.folder_lock import folder_lock
from model.files.replacing import real_folder
from model.progress import progress_bar
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.training.initial_weights import InitialWeights, read_initial_weights
from model.training.model_card import write_card
from model.training.options import (
    VOCAB_SIZE,
    check_options,
    model_config,
    parse_options,
    recorded_command,
    training_config,
    training_parser,
)
from model.training.precision import choose_precision
from model.training.processes import Processes
from model.training.saved_state import STATE, State, read_state
from model.training.trainer import Setup, Training
from model.training.training_folder import TrainingFolder


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0 done, 1 bad input, 130 stopped by Ctrl-C."""
    parser = training_parser(__doc__)
    name = parser.prog
    if "TORCHELASTIC_RUN_ID" in os.environ:
        name += f", rank {os.environ['RANK']}"
    return exit_status(name, lambda: _train_alone(parse_options(parser, arguments)))


def _train_alone(options: argparse.Namespace) -> int:
    """Train while rank 0 holds the lock of the folder. Only rank 0 prints."""
    # Record the name of the folder itself: "." is not a name, and a link may have another name.
    options.out = str(real_folder(Path(options.out)))
    processes = Processes.of_torchrun()
    if not processes.is_first:
        with redirect_stdout(None):
            return _train(options, processes)
    with folder_lock(Path(options.out)):
        return _train(options, processes)


def _train(options: argparse.Namespace, processes: Processes) -> int:
    """Train from the options to the finished checkpoint; return the exit status."""
    # 1. Check the options
    config = training_config(options)
    check_options(options)
    device = processes.local_device(_device(options.device))
    processes.connect(device)

    # 2. Choose the folder
    folder = TrainingFolder.open(
        Path(options.out),
        resume=options.resume,
        overwrite=options.overwrite,
        restarted=processes.any_rank(processes.restarts > 0, device),
    )

    # 3. Read the initial weights from another model
    initial_weights = None
    if options.begin_with and not folder.resumed:
        initial_weights = read_initial_weights(options.begin_with)

    # 4. Read the corpus
    corpus = _corpus(options)

    # 5. Learn or load the tokenizer
    tokenizer = processes.broadcast(lambda: _tokenizer(folder, corpus, options, initial_weights))
    _check_vocab_size(options, folder, tokenizer, initial_weights)

    # 6. Make the model and its trainer
    architecture = model_config(options, tokenizer.vocab_size)
    if initial_weights and not initial_weights.fits(architecture):
        raise ValueError(
            f"the model in {options.begin_with} has a different architecture: give the options "
            "that its training began with"
        )
    dtype, reason = processes.broadcast(lambda: _precision(folder, device, options))
    torch.set_num_threads(options.threads or torch.get_num_threads())
    print(f"Computing on {device} with {torch.get_num_threads()} threads in {reason}{processes}.")
    training = Training(
        Setup(
            architecture=architecture,
            config=config,
            split=corpus.split,
            tokenizer=tokenizer,
            folder=folder.path,
            device=device,
            dtype=dtype,
            snapshots=options.snapshots,
            corpus=_corpus_identity(corpus, options),
            initial_weights=initial_weights,
            times_per_epoch=times_per_epoch() if options.written else None,
            processes=processes,
        )
    )
    _print_lengths_and_languages(training)

    # 7. Read the saved state before any file changes
    state = _state(options, training, folder) if folder.resumed else None
    processes.barrier()  # wait until all processes have read the state

    # 8. Prepare the folder
    if processes.is_first:
        if state:
            folder.resume()
        else:
            folder.create(tokenizer)
    if state:
        training.restore(state)
        print(f"Going on after step {training.progress.step:,}.")
    elif initial_weights:
        print(f"Beginning with the weights of {initial_weights.description}.")
    hardware = f"{_hardware(device)}{processes}"
    training.progress.hardware = followed_by(training.progress.hardware, hardware)

    # 9. Train
    finished = _run_with_bar(training)
    processes.disconnect()
    if not finished:
        return 130

    # 10. Score the model, write its card and its checkpoint
    if processes.is_first:
        _save(folder, training, _provenance(options, corpus, training))
        print(f"Done: {options.out}. Its README.md says how it was trained.")
    return 0


def _device(name: str) -> torch.device:
    """Return the device of ``--device``; "auto" is a GPU if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("no CUDA device is available here: use --device cpu")
    return torch.device(name)


def _corpus(options: argparse.Namespace) -> SplitCorpus:
    """Read and split the corpus.

    Raises:
        ValueError: it cannot be read, looks wrong, or has no train pairs.
    """
    corpus = open_corpora(options)
    split = corpus.split
    print(f"Corpus: {corpus.summary}.")
    if corpus.warnings and not options.ignore_warnings:
        warnings = "; ".join(corpus.warnings)
        raise ValueError(
            f"the corpus looks wrong: {warnings}. Correct it, or add --ignore-warnings"
        )
    print(
        f"Split: {len(split.train):,} train pairs, {len(split.dev):,} dev and {len(split.test):,} "
        f"test sentences; {split.leaking:,} pairs left out for sharing a held-out target."
    )
    if options.written:
        corpus = _with_written_pairs(corpus)
    if not corpus.split.train:
        raise ValueError("the corpus is so small that no train pairs are left: give a larger one")
    return corpus


def _with_written_pairs(corpus: SplitCorpus) -> SplitCorpus:
    """Add the hand-written pairs of this project to the training pairs."""
    pairs = hand_written_pairs(corpus.split)
    train = with_added_pairs(corpus.split.train, pairs)
    print(f"With what was written for this project: {len(train):,} train pairs.")
    return replace(
        corpus,
        summary=f"{corpus.summary}; {len(pairs):,} pairs written for this project",
        written=sha256("\n".join(map("\t".join, pairs)).encode()).hexdigest(),
        split=replace(corpus.split, train=train),
    )


def _corpus_identity(corpus: SplitCorpus, options: argparse.Namespace) -> str:
    """Return a text that identifies the training data, so that a resumed run can check them.

    The text holds, with spaces between: the hash of the corpus files, the word "simplified" with
    this option, and the hash of the hand-written pairs, if there are any. ``parse_options`` takes
    it apart when a run is resumed.
    """
    words = [corpus.sha256]
    if options.simplified:
        words.append("simplified")
    if corpus.written:
        words.append(corpus.written)
    return " ".join(words)


def _tokenizer(
    folder: TrainingFolder,
    corpus: SplitCorpus,
    options: argparse.Namespace,
    initial_weights: InitialWeights | None,
) -> ByteLevelTokenizer:
    """Return the tokenizer of saved or given weights. Otherwise, train a new tokenizer.

    Args:
        folder: the folder of this training.
        corpus: its train pairs give the vocabulary of a new tokenizer.
        options: of the command.
        initial_weights: of --begin-with; None without this option.
    """
    if initial_weights and not options.new_vocabulary:
        return initial_weights.tokenizer
    if folder.resumed:
        return ByteLevelTokenizer.load(folder.source / TOKENIZER)
    texts = (text for pair in corpus.split.train for text in pair)
    return ByteLevelTokenizer.train(texts, options.vocab_size)


def _check_vocab_size(
    options: argparse.Namespace,
    folder: TrainingFolder,
    tokenizer: ByteLevelTokenizer,
    initial_weights: InitialWeights | None,
) -> None:
    """Refuse a --vocab-size that would be ignored because the tokenizer already exists.

    A tokenizer that was asked for N subwords has N, or fewer when the corpus is small.

    Args:
        options: of the command.
        folder: the folder of this training.
        tokenizer: the tokenizer of this training.
        initial_weights: of --begin-with; None without this option.

    Raises:
        ValueError: the tokenizer was not made with this size.
    """
    if initial_weights and not options.new_vocabulary:
        if options.vocab_size not in (VOCAB_SIZE, tokenizer.vocab_size):
            raise ValueError(
                f"--vocab-size {options.vocab_size} has no effect: the vocabulary comes from "
                f"{options.begin_with}. Leave the option out"
            )
    elif folder.resumed and options.vocab_size < tokenizer.vocab_size:
        raise ValueError(
            f"{folder.source / TOKENIZER} has {tokenizer.vocab_size:,} subwords, more than "
            f"--vocab-size {options.vocab_size}: give the options that the training began with"
        )


def _precision(
    folder: TrainingFolder, device: torch.device, options: argparse.Namespace
) -> tuple[torch.dtype, str]:
    """Return the number format and why it was chosen.

    A resumed run keeps its format unless the options name the other one, because one of them may be
    slow on the machine where it goes on.

    Args:
        folder: the folder of this training.
        device: where it computes.
        options: of the command; "auto" chooses the precision for the device.
    """
    if not folder.resumed:
        return choose_precision(device, options.precision)
    before = read_state(folder.source / STATE, with_tensors=False).origin.precision
    if options.precision in ("auto", before):
        return getattr(torch, before), f"{before}, as before"
    dtype, reason = choose_precision(device, options.precision)
    return dtype, f"{reason}, and no longer in {before}"


def _print_lengths_and_languages(training: Training) -> None:
    """Print how many pairs are too long, and for which languages names and templates exist."""
    if training.n_too_long:
        print(
            f"{training.n_too_long:,} train pairs are left out: more than "
            f"{training.model.config.max_length:,} tokens (--max-length)."
        )
    known = f"those of {training.languages.name}" if training.languages.name else "none"
    print(f"Names and templates for these languages: {known}.")


def _state(options: argparse.Namespace, training: Training, folder: TrainingFolder) -> State:
    """Read the saved state of an interrupted training run.

    Args:
        options: of the command.
        training: the training that continues.
        folder: the folder with the saved state.

    Raises:
        ValueError: it belongs to a training that was started with different options.
    """
    state = training.read_state(folder.source)
    if options.begin_with and not state.origin.initial_weights:
        raise ValueError(
            f"the training in {folder.source} began with random weights: leave --begin-with out"
        )
    return state


def _hardware(device: torch.device) -> str:
    """Return the name of the GPU, or how many CPU cores compute."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    n = torch.get_num_threads()
    return f"{n} CPU core{'s' if n > 1 else ''}"


def _run_with_bar(training: Training) -> bool:
    """Train with a progress bar. Return False if a signal stopped the run early."""
    progress = training.progress
    processes = training.processes

    # A signal only sets a flag, because a half-finished step cannot be resumed.
    received: list[int] = []

    def receive(number: int, _: FrameType | None) -> None:
        received.append(number)

    # SIGINT needs a handler, too, because Python ignores SIGINT in background processes of a shell.
    handlers = {name: signal.signal(name, receive) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        with progress_bar(
            total=training.config.steps,
            initial=progress.step,
            unit="step",
            hidden=not processes.is_first,
        ) as bar:
            for loss in training.run():
                numbers = {"loss": f"{loss:.3f}"}
                if progress.clock:  # the clock is 0 right after a line of the history
                    numbers["tokens_per_second"] = f"{progress.tokens / progress.clock:,.0f}"
                bar.set_postfix(numbers, refresh=False)
                bar.update()
                if processes.any_rank(bool(received), training.device):
                    training.save_state()
                    if processes.is_first:
                        bar.write(f"Stopped after step {progress.step:,}. Go on with --resume.")
                    return False
    finally:
        for name, handler in handlers.items():
            signal.signal(name, handler)
    return True


def _save(folder: TrainingFolder, training: Training, provenance: dict[str, Any]) -> None:
    """Score the model, and write its card and its checkpoint.

    The scores are those of the weights in the file, which are rounded to float16.

    Args:
        folder: the folder of this training.
        training: the finished training.
        provenance: facts about the training; the scores are added to it.
    """
    model = as_saved(training.average)
    test = training.split.test
    print(f"Translating the {len(test):,} test sentences ...")
    provenance["scores"] = {}
    if test:
        for name, beam in (("greedy", 1), ("beam search", 4)):
            scores = evaluate(model, training.tokenizer, test, beam=beam)
            provenance["scores"][f"test, {name}"] = asdict(scores)

    # A configuration may be left over from a process that was killed while it replaced its target.
    (folder.path / CONFIG).unlink(missing_ok=True)
    write_card(folder.path, folder.target.name, provenance, vars(model.config))
    save_checkpoint(folder.path, model, training.tokenizer, provenance)
    folder.finish()


def _provenance(
    options: argparse.Namespace, corpus: SplitCorpus, training: Training
) -> dict[str, Any]:
    """Return all facts that describe a training run and are needed to repeat it.

    Args:
        options: of the command.
        corpus: the corpus that was read.
        training: the training.
    """
    progress = training.progress
    split = corpus.split
    precisions = (str(settings["precision"]) for settings in training.settings_history)
    return {
        "command": recorded_command(options),
        "settings_history": training.settings_history,
        "begun_with": training.initial_weights,
        "corpus": {
            "files": [Path(name).name for files in options.corpus for name in files],
            "options": recorded_corpus_options(options),
            "sha256": corpus.sha256,
            "summary": corpus.summary,
        },
        "names_and_templates": training.languages.name,
        "languages": languages_of(split.train),
        "split": {
            "train": len(split.train),
            "dev": len(split.dev),
            "test": len(split.test),
            "leaking": split.leaking,
        },
        "n_parameters": sum(p.numel() for p in training.model.parameters()),
        "steps": progress.step,
        "epochs": round(training.epochs, 2),
        "seconds": round(progress.seconds),
        "hardware": progress.hardware,
        "precision": reduce(followed_by, precisions),
        "versions": {
            "python": platform.python_version(),
            "torch": version("torch"),
            "tokenizers": version("tokenizers"),
            "sacrebleu": version("sacrebleu"),
            "numpy": version("numpy"),
        },
    }


if __name__ == "__main__":
    sys.exit(main())
