"""Train a translation model: from a corpus to a checkpoint folder.

python -m model.train --corpus data/fra-eng.zip --out checkpoints/en-fr --steps 4000
"""

import argparse
import platform
import signal
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from model.augmentation.written import written_pairs
from model.checkpoint.checkpoint import CONFIG, TOKENIZER, save_checkpoint
from model.checkpoint.provenance import followed_by
from model.checkpoint.weights_file import as_saved
from model.corpora.references import SplitCorpus, corpora, corpus_options, languages_of
from model.corpora.stored_corpus import with_more
from model.evaluation.scoring import evaluate
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.training.beginning import Beginning, read_beginning
from model.training.model_card import write_card
from model.training.options import check, model_config, recorded, training_config, training_parser
from model.training.precision import choose_precision
from model.training.processes import Processes
from model.training.saved_state import STATE, read_state
from model.training.trainer import Training
from model.training.workplace import Workplace


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 bad input, 130 stopped by Ctrl-C."""
    parser = training_parser(__doc__)
    options = parser.parse_args(arguments)
    processes = Processes()
    try:
        processes = Processes.of_torchrun()
        with redirect_stdout(sys.stdout if processes.is_first else None):
            return _train(options, processes)
    except (OSError, ValueError) as error:
        which = "" if processes.world_size == 1 else f", rank {processes.rank}"
        print(f"{parser.prog}{which}: {error}", file=sys.stderr)
        return 1


def _train(options: argparse.Namespace, processes: Processes) -> int:
    config = training_config(options)
    check(options)
    device = processes.own(_device(options.device))
    processes.connect(device)
    place = Workplace(
        Path(options.out),
        resume=options.resume,
        overwrite=options.overwrite,
        restarted=processes.anywhere(processes.restarts > 0, device),
    )
    options.resume = place.resumed
    begun = None
    if options.begin_with and not options.resume:
        begun = read_beginning(options.begin_with)
    corpus = _corpus(options)
    tokenizer = processes.of_first(lambda: _tokenizer(place, corpus, options, begun))
    architecture = model_config(options, tokenizer.vocab_size)
    if begun and not begun.fits(architecture):
        raise ValueError(
            f"the model in {options.begin_with} is built otherwise: give the options that its "
            "training began with"
        )
    dtype, why = processes.of_first(lambda: _precision(place, device, options))
    torch.set_num_threads(options.threads or torch.get_num_threads())
    print(f"Computing on {device} with {torch.get_num_threads()} threads in {why}{processes}.")
    identity = (corpus.sha256, "simplified" if options.simplified else "", corpus.written)
    training = Training(
        architecture,
        config,
        corpus.split,
        tokenizer,
        place.source,
        device=device,
        dtype=dtype,
        snapshots=options.snapshots,
        corpus=" ".join(filter(None, identity)),
        begun=begun,
        processes=processes,
    )
    if training.too_long:
        limit = f"more than {architecture.max_length:,} tokens (--max-length)"
        print(f"{training.too_long:,} train pairs are left out: {limit}.")
    known = f"those of {training.languages.name}" if training.languages.name else "none"
    print(f"Names and templates for these languages: {known}.")
    state = training.read_state() if options.resume else None
    processes.wait()  # until all have seen the folder as it was
    if processes.is_first:
        place.go_on() if state else place.begin(tokenizer)
    training.folder = place.folder
    if state:
        training.go_back_to(state)
        print(f"Going on after step {training.progress.step:,}.")
    elif begun:
        print(f"Beginning with the weights of {begun.told}.")
    now = f"{_hardware(device)}{processes}"
    training.progress.hardware = followed_by(training.progress.hardware, now)
    ended = _run_with_bar(training)
    processes.disconnect()
    if not ended:
        return 130
    if processes.is_first:
        _ship(place, training, _provenance(options, corpus, training, dtype))
        print(f"Done: {options.out}. Its README.md tells how it came about.")
    return 0


def _corpus(options: argparse.Namespace) -> SplitCorpus:
    """What is learned from; ValueError where it looks wrong, or nothing is left of it."""
    corpus = corpora(options)
    split = corpus.split
    print(f"Corpus: {corpus.summary}.")
    if corpus.doubts and not options.anyway:
        odd = "; ".join(corpus.doubts)
        raise ValueError(f"the corpus looks wrong: {odd}. Mend it, or train with --anyway")
    print(
        f"Split: {len(split.train):,} train pairs, {len(split.dev):,} dev and {len(split.test):,} "
        f"test sentences; {split.leaking:,} pairs left out for sharing a held-out target."
    )
    if options.written:
        pairs = written_pairs(split)
        corpus = replace(
            corpus,
            summary=f"{corpus.summary}; {len(pairs):,} pairs written for this project",
            written=sha256("\n".join(map("\t".join, pairs)).encode()).hexdigest(),
            split=replace(split, train=with_more(split.train, pairs)),
        )
        n_pairs = len(corpus.split.train)
        print(f"With what was written for this project: {n_pairs:,} train pairs.")
    if not corpus.split.train:
        raise ValueError("the corpus is so small that nothing is left to train on")
    return corpus


def _tokenizer(
    place: Workplace, corpus: SplitCorpus, options: argparse.Namespace, begun: Beginning | None
) -> ByteLevelTokenizer:
    """The one that the weights know, or a new one from the train pairs."""
    if begun and not options.new_vocabulary:
        return begun.tokenizer
    if options.resume:
        return ByteLevelTokenizer.load(place.source / TOKENIZER)
    texts = (text for pair in corpus.split.train for text in pair)
    return ByteLevelTokenizer.train(texts, options.vocab_size)


def _precision(
    place: Workplace, device: torch.device, options: argparse.Namespace
) -> tuple[torch.dtype, str]:
    """What to compute in; a resumed training stays with what it began in, unless told otherwise."""
    if options.resume and options.precision == "auto":
        begun = read_state(place.source / STATE, with_tensors=False).origin.precision
        return getattr(torch, begun), f"{begun}, as it began"
    return choose_precision(device, options.precision)


def _device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("no CUDA device is available here: use --device cpu")
    return torch.device(name)


def _hardware(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    n = torch.get_num_threads()
    return f"{n} CPU core{'s' if n > 1 else ''}"


def _run_with_bar(training: Training) -> bool:
    """Train with a progress bar; returns whether the run came to its end."""
    progress, processes = training.progress, training.processes
    asked: list[int] = []  # a signal only asks: a step that it cut in two could not be resumed
    stops = (signal.SIGINT, signal.SIGTERM)  # the first also when started in the background
    before = [signal.signal(stop, lambda number, _: asked.append(number)) for stop in stops]
    total, first = training.config.steps, processes.is_first
    try:
        with tqdm(total=total, initial=progress.step, unit="step", disable=not first) as bar:
            for loss in training.run():
                shown = {"loss": f"{loss:.3f}"}
                if progress.clock:
                    shown["tokens_per_second"] = f"{progress.tokens / progress.clock:,.0f}"
                bar.set_postfix(shown, refresh=False)
                bar.update()
                if processes.anywhere(bool(asked), training.device):
                    training.save_state()
                    if first:
                        bar.write(f"Stopped after step {progress.step:,}. Go on with --resume.")
                    return False
    finally:
        for stop, handler in zip(stops, before, strict=True):
            signal.signal(stop, handler)
    return True


def _ship(place: Workplace, training: Training, provenance: dict[str, Any]) -> None:
    """Score the very weights that are written, float16 and all, and write the checkpoint."""
    shipped, test = as_saved(training.average), training.split.test
    print(f"Translating the {len(test):,} test sentences ...")
    provenance["scores"] = {
        f"test, {name}": asdict(evaluate(shipped, training.tokenizer, test, beam=beam))
        for name, beam in (("greedy", 1), ("beam search", 4))
        if test
    }
    (place.folder / CONFIG).unlink(missing_ok=True)  # of a copy that was killed while it took over
    write_card(place.folder, place.target.name, provenance, vars(shipped.config))
    save_checkpoint(place.folder, shipped, training.tokenizer, provenance)
    place.finish()


def _provenance(
    options: argparse.Namespace, corpus: SplitCorpus, training: Training, dtype: torch.dtype
) -> dict[str, Any]:
    """All that somebody needs to know of a training, or to do it again."""
    progress, split = training.progress, corpus.split
    return {
        "command": recorded(options),
        "settings_history": training.settings_history,
        "begun_with": training.begun_with,
        "corpus": {
            "files": [Path(name).name for files in options.corpus for name in files],
            "options": corpus_options(options),
            "sha256": corpus.sha256,
            "summary": corpus.summary,
        },
        "names_and_templates": training.languages.name,
        "languages": languages_of(split.train),
        "split": {part: len(getattr(split, part)) for part in ("train", "dev", "test")}
        | {"leaking": split.leaking},
        "n_parameters": sum(p.numel() for p in training.model.parameters()),
        "steps": progress.step,
        "epochs": round(training.epochs, 2),
        "seconds": round(progress.seconds),
        "hardware": progress.hardware,
        "precision": str(dtype).removeprefix("torch."),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("torch", "tokenizers", "sacrebleu", "numpy")},
    }


if __name__ == "__main__":
    sys.exit(main())
