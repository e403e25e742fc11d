"""Train a translation model: from a corpus to a checkpoint folder.

python -m model.train --corpus data/fra-eng.zip --out checkpoints/en-fr --steps 4000
"""

from __future__ import annotations

import argparse
import platform
import re
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import MISSING, asdict, fields, replace
from hashlib import sha256
from importlib.metadata import version
from inspect import cleandoc
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from model.checkpoint.architectures import ARCHS, TRANSFORMER, AnyConfig
from model.checkpoint.before import NOTHING, followed_by, whole_way
from model.checkpoint.checkpoint import CONFIG, TOKENIZER, save_checkpoint
from model.checkpoint.provenance import Before
from model.checkpoint.snapshots import snapshot_steps
from model.checkpoint.weights_file import as_written
from model.command_line import as_recorded, new_parser
from model.data.byte_level.tokenizer import ByteLevelTokenizer
from model.data.corpus import Split
from model.data.references import (
    SplitCorpus,
    add_corpora,
    corpora,
    corpus_options,
    languages_of,
)
from model.data.written import written_pairs
from model.evaluation.evaluation import evaluate
from model.recurrent.config import RecurrentConfig
from model.training.mean_of_weights import mean_of_weights
from model.training.model_card import NEXT, write_card
from model.training.precision import choose_precision
from model.training.processes import Processes
from model.training.state import STATE, read_told
from model.training.trainer import Training, TrainingConfig
from model.training.workplace import Workplace
from model.transformer.config import LARGEST, OF_OTHERS, ModelConfig
from model.translation_model import AnyTranslationModel, load

VOCAB_SIZE = 8000  # short subwords keep a page readable
_SMALLEST_VOCABULARY = 260  # the bytes and the special tokens
_MOST_THREADS = 1024
_MOST_WEIGHTS = 10**9  # 4 GB as float32
_NOT_CHOSEN = ("arch", "vocab_size", *OF_OTHERS)  # follows from other options, or stays as it is


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 bad input, 130 stopped by Ctrl-C."""
    parser = _parser()
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
    config = TrainingConfig(**{name: getattr(options, name) for name in _settings(TrainingConfig)})
    _check(options)
    device = processes.own(_device(options.device))
    processes.connect(device)
    folder = Path(options.out)
    place = Workplace(
        folder,
        resume=options.resume,
        overwrite=options.overwrite,
        restarted=processes.restarted(device),
    )
    options.resume = place.resumed
    begun = None if options.resume or not options.begin_with else load(options.begin_with)
    others = _others(begun, options.mean_with) if begun else []
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
        corpus = _with_written(corpus)
        split = corpus.split
        print(f"With what was written for this project: {len(split.train):,} train pairs.")
    if not split.train:
        raise ValueError("the corpus is so small that nothing is left to train on")
    tokenizer = processes.of_first(lambda: _tokenizer(place, split, options, begun))
    model_config = _model_config(options, tokenizer.vocab_size)
    if begun and replace(begun.config, dropout=model_config.dropout) != model_config:
        raise ValueError(
            f"the model in {options.begin_with} is built otherwise: give the options that its "
            "training began with"
        )
    dtype, why = processes.of_first(lambda: _precision(place, device, options))
    torch.set_num_threads(options.threads or torch.get_num_threads())
    print(f"Computing on {device} with {torch.get_num_threads()} threads in {why}{processes}.")
    training = Training(
        model_config,
        config,
        split,
        tokenizer,
        place.source,
        device=device,
        dtype=dtype,
        snapshots=options.snapshots,
        corpus=_identity(corpus, options),
        begun_with=_told(begun, others) if begun else "",
        before=_before(begun, options),
        processes=processes,
    )
    if training.too_long:
        limit = f"more than {model_config.max_length:,} tokens (--max-length)"
        print(f"{training.too_long:,} train pairs are left out: {limit}.")
    known = f"those of {training.languages.name}" if training.languages.name else "none"
    print(f"Names and templates for these languages: {known}.")
    state = training.read_state() if options.resume else None
    processes.wait()  # until all have seen the folder as it was
    if state:
        if processes.is_first:
            place.go_on()
        training.folder = place.folder
        training.go_back_to(state)
        print(f"Going on after step {training.progress.step:,}.")
    else:
        if begun:
            together = mean_of_weights([begun.model, *(one.model for one in others)])
            training.begin_with(together, _trained_here(begun))
            print(f"Beginning with the weights of {training.begun_with}.")
        if processes.is_first:
            place.begin(tokenizer)
    now = f"{_hardware(device)}{processes}"
    training.progress.hardware = followed_by(training.progress.hardware, now)
    ended = _run_with_bar(training)
    processes.disconnect()
    if not ended:
        return 130
    if processes.is_first:
        _ship(place, training, _provenance(options, corpus, training, dtype))
        print(f"Done: {folder}. Its README.md tells how it came about.")
    return 0


def _with_written(corpus: SplitCorpus) -> SplitCorpus:
    """With the pairs written for this project among those to train on."""
    pairs = written_pairs(corpus.split)
    return replace(
        corpus,
        summary=f"{corpus.summary}; {len(pairs):,} pairs written for this project",
        written=sha256("\n".join(map("\t".join, pairs)).encode()).hexdigest(),
        split=replace(corpus.split, train=[*corpus.split.train, *pairs]),
    )


def _identity(corpus: SplitCorpus, options: argparse.Namespace) -> str:
    """All that the train pairs depend on: a resumed training must find it as it was."""
    simplified = "simplified" if options.simplified else ""
    return " ".join(filter(None, (corpus.sha256, simplified, corpus.written)))


def _check(options: argparse.Namespace) -> None:
    """ValueError for what can be seen to be wrong before anything is read or written."""
    if not _SMALLEST_VOCABULARY <= options.vocab_size <= LARGEST:
        raise ValueError(f"--vocab-size must be from {_SMALLEST_VOCABULARY} to {LARGEST:,}")
    if options.mean_with and not (options.begin_with or options.resume):
        raise ValueError("--mean-with is for a training with --begin-with")
    if options.new_vocabulary and not (options.begin_with or options.resume):
        raise ValueError("--new-vocabulary is for a training with --begin-with")
    if options.threads is not None and not 1 <= options.threads <= _MOST_THREADS:
        raise ValueError(f"--threads must be from 1 to {_MOST_THREADS}, got {options.threads}")
    asked = _model_config(options, options.vocab_size).n_matrix_weights
    if asked > _MOST_WEIGHTS:
        raise ValueError(f"this model would have {asked:,} weights; {_MOST_WEIGHTS:,} are too many")
    snapshot_steps(options.steps, options.snapshots)


def _ship(place: Workplace, training: Training, provenance: dict[str, Any]) -> None:
    """Score the very weights that are written, float16 and all, and write the checkpoint."""
    shipped, test = as_written(training.average), training.split.test
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
    options: argparse.Namespace,
    corpus: SplitCorpus,
    training: Training,
    dtype: torch.dtype,
) -> dict[str, Any]:
    """All that somebody needs to know of a training, or to do it again."""
    progress, split = training.progress, corpus.split
    return {
        "command": as_recorded(_parser(), options, leave_out=_not_recorded(options)),
        "settings_history": training.settings_history,
        "begun_with": training.begun_with,
        "before": training.before,
        "corpus": {
            "files": [Path(name).name for files in options.corpus for name in files],
            "options": corpus_options(options),
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
        "precision": str(dtype).removeprefix("torch."),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("torch", "tokenizers", "sacrebleu", "numpy")},
    }


def _not_recorded(options: argparse.Namespace) -> set[str]:
    """What another architecture or a model to begin with decides, and where a run is made.

    The precision that was computed in stands beside the command.
    """
    own, every = _settings(_config_class(options)), _settings(ModelConfig, RecurrentConfig)
    given = {"vocab_size"} if options.begin_with and not options.new_vocabulary else set()
    where = {"device", "overwrite", "precision", "resume", "threads"}
    return (every.keys() - own.keys()) | given | where


def _told(begun: AnyTranslationModel, others: Sequence[AnyTranslationModel] = ()) -> str:
    """Whose weights a training begins with, and what they had learned."""
    made = Counter(map(_made, (begun, *others)))
    told = [f"{n} times {model}" if n > 1 else model for model, n in made.items()]
    before = begun.training.get("begun_with")
    return NEXT.join(["; their mean with ".join(told), *([before] if before else [])])


def _made(begun: AnyTranslationModel) -> str:
    made = begun.training
    return f"{begun.name}, {made.get('steps', 0):,} steps of: {made.get('command', 'unknown')}"


def _others(begun: AnyTranslationModel, folders: Sequence[str]) -> list[AnyTranslationModel]:
    """The models of --mean-with; ValueError where one does not fit."""
    others = [load(folder) for folder in folders]
    spelled = _trained_here(begun).bpe.to_str()
    for one in others:
        same = replace(one.config, dropout=begun.config.dropout) == begun.config
        if not same or _trained_here(one).bpe.to_str() != spelled:
            raise ValueError(
                f"no mean of {begun.folder} and {one.folder}: they are built otherwise, or have "
                "other vocabularies"
            )
    return others


def _hardware(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    n = torch.get_num_threads()
    return f"{n} CPU core{'s' if n > 1 else ''}"


def _tokenizer(
    place: Workplace, split: Split, options: argparse.Namespace, begun: AnyTranslationModel | None
) -> ByteLevelTokenizer:
    """The one that the weights know, or a new one from the train pairs.

    Raises:
        ValueError: the weights come with pieces that no training here can learn.
    """
    if begun and not options.new_vocabulary:
        return _trained_here(begun)
    if options.resume:
        return ByteLevelTokenizer.load(place.source / TOKENIZER)
    texts = (text for pair in split.train for text in pair)
    return ByteLevelTokenizer.train(texts, options.vocab_size)


def _trained_here(begun: AnyTranslationModel) -> ByteLevelTokenizer:
    if not isinstance(begun.tokenizer, ByteLevelTokenizer):
        raise ValueError(
            f"the model in {begun.folder} came from elsewhere, with a tokenizer that is "
            "not trained here: begin with one that was trained here, or with none"
        )
    return begun.tokenizer


def _before(begun: AnyTranslationModel | None, options: argparse.Namespace) -> Before:
    """The way that this one goes on with; losses of another vocabulary are another way's."""
    if begun is None or options.new_vocabulary:
        return NOTHING
    return whole_way(begun.training, begun.history)


def _precision(
    place: Workplace, device: torch.device, options: argparse.Namespace
) -> tuple[torch.dtype, str]:
    """What to compute in; a resumed training stays with what it began in, unless told otherwise."""
    if options.resume and options.precision == "auto":
        begun = read_told(place.source / STATE).origin.precision
        return getattr(torch, begun), f"{begun}, as it began"
    return choose_precision(device, options.precision)


def _run_with_bar(training: Training) -> bool:
    """Train with a progress bar; returns whether the run came to its end."""
    progress, processes = training.progress, training.processes
    asked: list[int] = []  # a signal only asks: a step that it cut in two could not be resumed
    stops = (signal.SIGINT, signal.SIGTERM)  # the first also when started in the background
    before = [signal.signal(stop, lambda number, _: asked.append(number)) for stop in stops]
    total, first = training.config.steps, processes.is_first
    with tqdm(total=total, initial=progress.step, unit="step", disable=not first) as bar:

        def on_step(loss: float) -> None:
            shown = {"loss": f"{loss:.3f}"}
            if progress.clock:
                shown["tokens_per_second"] = f"{progress.tokens / progress.clock:,.0f}"
            bar.set_postfix(shown, refresh=False)
            bar.update()
            if processes.anywhere(bool(asked), training.device):
                raise KeyboardInterrupt

        try:
            training.run(on_step)
        except KeyboardInterrupt:
            training.save_state()
            if first:
                bar.write(f"Stopped after step {progress.step:,}. Go on with --resume.")
            return False
        finally:
            for stop, handler in zip(stops, before, strict=True):
                signal.signal(stop, handler)
    return True


def _device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("no CUDA device is available here: use --device cpu")
    return torch.device(name)


def _model_config(options: argparse.Namespace, vocab_size: int) -> AnyConfig:
    """The architecture that was asked for; ValueError where an option is another one's."""
    chosen = _config_class(options)
    own, every = _settings(chosen), _settings(ModelConfig, RecurrentConfig)
    for name, default in every.items():
        if name not in own and getattr(options, name) != default:
            raise ValueError(f"{_flag(name)} does not apply to --arch {options.arch}")
    values = {name: getattr(options, name) for name in own}
    if chosen is ModelConfig:
        return ModelConfig(vocab_size=vocab_size, **values)
    return RecurrentConfig(arch=options.arch, vocab_size=vocab_size, **values)


def _config_class(options: argparse.Namespace) -> type:
    return ModelConfig if options.arch == TRANSFORMER else RecurrentConfig


def _settings(*configs: type) -> dict[str, Any]:
    """Name and default of all that can be chosen; the rest follows from other options."""
    return {
        f.name: f.default for config in configs for f in fields(config) if f.name not in _NOT_CHOSEN
    }


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("train", __doc__)
    add_corpora(parser, required=True)
    parser.add_argument(
        "--written",
        action="store_true",
        help="learn from the pairs written for this project, too (model/data/written)",
    )
    parser.add_argument("--anyway", action="store_true", help="train though the corpus looks wrong")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="the checkpoint folder")
    parser.add_argument(
        "--vocab-size", type=int, default=VOCAB_SIZE, help="of the joint BPE (%(default)s)"
    )
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--precision", choices=("auto", "bfloat16", "float32"), default="auto")
    parser.add_argument("--threads", type=int, help="CPU threads of a process (all)")
    parser.add_argument(
        "--resume", action="store_true", help="go on where the run in --out stopped"
    )
    parser.add_argument(
        "--begin-with",
        metavar="FOLDER",
        help="a finished model of the same architecture, whose weights and tokenizer come along",
    )
    parser.add_argument(
        "--mean-with",
        nargs="+",
        default=[],
        metavar="FOLDER",
        help="with --begin-with: begin with the mean of its weights and those of these models, "
        "which began with it, or with what it began with (Wortsman et al. 2022)",
    )
    parser.add_argument(
        "--new-vocabulary",
        action="store_true",
        help="with --begin-with, for other languages: learn the vocabulary from this corpus; "
        "subwords that are spelled alike keep their weights",
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace the finished model in --out, when the new one is done",
    )
    parser.add_argument(
        "--snapshots",
        type=int,
        default=0,
        metavar="N",
        help="keep the weights of so many steps, more of the early ones (%(default)s)",
    )
    parser.add_argument("--arch", choices=ARCHS, default=TRANSFORMER, help="(%(default)s)")
    known: set[str] = set()
    for config in (ModelConfig, RecurrentConfig, TrainingConfig):
        group, meanings = parser.add_argument_group(config.__name__), _meanings(config)
        for name, default in _settings(config).items():
            if name not in known:
                _add_option(group, name, default, meanings[name])
        known |= _settings(config).keys()
    return parser


def _meanings(config: type) -> dict[str, str]:
    """What the docstring of a configuration says of each setting."""
    settings = cleandoc(config.__doc__ or "").partition("Args:\n")[2].partition("\n\n")[0]
    found = re.findall(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", settings, re.MULTILINE)
    return {name: " ".join(text.replace("``", "").split()) for name, text in found}


def _add_option(group: argparse._ArgumentGroup, name: str, default: object, meaning: str) -> None:
    flag = _flag(name)
    told = meaning.replace("%", "%%")
    if default is MISSING:
        group.add_argument(flag, type=int, required=True, help=told)
    elif isinstance(default, bool):
        group.add_argument(flag, action=argparse.BooleanOptionalAction, default=default, help=told)
    else:
        group.add_argument(flag, type=type(default), default=default, help=f"{told} ({default})")


if __name__ == "__main__":
    sys.exit(main())
