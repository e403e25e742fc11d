"""Let finished models write the translations of a corpus, for another model to learn from.

python -m model.distil --checkpoints checkpoints/en-fr --corpus data/fra-eng.zip --out data/own.tsv
python -m model.train --corpus data/fra-eng.zip --corpus data/own.tsv --out checkpoints/my-en-fr

Several checkpoints of one vocabulary write together. Only sentences that no split holds out are
translated. Of the corpus the sources are read, so that it may be one of other languages:
data/cmn-eng.zip holds English sentences that data/fra-eng.zip does not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from model.checkpoint.mark import mark
from model.command_line import as_recorded, new_parser
from model.data.corpus import LARGEST, Pair
from model.data.references import References, add_corpora, corpora, languages_of
from model.data.tokenizer import Tokenizer
from model.decoding.ensemble import Ensemble
from model.decoding.fused import FusedTransformer
from model.evaluation.short_enough import short_enough
from model.files.regular_file import is_there, read_regular
from model.files.replacing import write_text
from model.nn.encoder_decoder import Model
from model.training.distillation import distilled
from model.translation_model import TranslationModel, load_transformer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 bad input, 130 stopped by Ctrl-C."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        print(_distil(options, as_recorded(parser, options, leave_out={"out"})))
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. The same command goes on.", file=sys.stderr)
        return 130
    return 0


def _distil(options: argparse.Namespace, command: str) -> str:
    """Translate what is not yet translated; says what was made."""
    if options.beam < 1:
        raise ValueError(f"--beam must be at least 1, got {options.beam}")
    models = [load_transformer(folder) for folder in options.checkpoints]
    model, tokenizer = _together(models), models[0].tokenizer
    begun = " ".join([command, "of weights", *(mark(one.model) for one in models)])
    train = corpora(options).split.train
    references = _by_source(train)
    _check_languages(models, languages_of(train), nearest=options.nearest)
    references = short_enough(references, tokenizer, model.config.max_length)
    out = Path(options.out)
    unfinished = out.with_name(f"{out.name}.unfinished")
    done = _read_done(unfinished, begun, references)
    write_text(unfinished, _lines([begun, *done]))
    todo = {source: references[source] for source in list(references)[len(done) :]}
    with (
        unfinished.open("a", encoding="utf-8", newline="\n") as file,
        tqdm(total=len(references), initial=len(done), unit="sentence") as bar,
    ):
        for found in distilled(model, tokenizer, todo, beam=options.beam, nearest=options.nearest):
            lines = [f"{source}\t{translation}" for source, translation in found.items()]
            file.write(_lines(lines))
            file.flush()
            done += lines
            bar.update(len(lines))
    translated = [line for line in done if not line.endswith("\t")]
    write_text(out, _lines(translated))
    unfinished.unlink()
    return f"{out}: {len(translated):,} of {len(references):,} sentences translated."


def _together(models: Sequence[TranslationModel]) -> Model:
    """All of them as one model; ValueError where their ids mean different things."""
    first, *others = models
    for one in others:
        if _subwords(one.tokenizer) != _subwords(first.tokenizer):
            raise ValueError(f"{first.folder} and {one.folder} have other vocabularies")
    return Ensemble([FusedTransformer(one.model) for one in models]) if others else first.writer


def _subwords(tokenizer: Tokenizer) -> list[str]:
    return [tokenizer.subword(id) for id in range(tokenizer.vocab_size)]


def _check_languages(
    models: Sequence[TranslationModel], corpus: Sequence[str | None], *, nearest: bool
) -> None:
    """ValueError where a model reads another language, or no translation could be near to its own.

    A language that is not known may be any.
    """
    for one in models:
        for own, found in list(zip(one.languages, corpus, strict=True))[: 2 if nearest else 1]:
            if None not in (own, found) and own != found:
                raise ValueError(f"{one.folder} is a model of {own!r}, the corpus has {found!r}")


def _by_source(train: Sequence[Pair]) -> References:
    """source -> its translations in the corpus; ValueError if there is none."""
    references: References = {}
    for source, target in train:
        references.setdefault(source, []).append(target)
    if not references:
        raise ValueError("the corpus is so small that nothing is left to translate")
    return references


def _read_done(unfinished: Path, begun: str, references: References) -> list[str]:
    """The lines that were written before the same command was stopped; ValueError if it was not."""
    if not is_there(unfinished):
        return []
    content = read_regular(unfinished, LARGEST).decode("utf-8", "replace")
    first, *done = content.split("\n")[:-1] or [""]  # the last line may have been cut
    sources = [line.partition("\t")[0] for line in done]
    if first != begun or sources != list(references)[: len(sources)]:
        raise ValueError(f"{unfinished} was begun otherwise: go on with that command, or remove it")
    return done


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("distil", __doc__)
    parser.add_argument("--checkpoints", required=True, nargs="+", metavar="FOLDER")
    add_corpora(parser, required=True)
    parser.add_argument("--out", required=True, metavar="FILE", help="the .tsv to be made")
    parser.add_argument(
        "--beam", type=int, default=4, metavar="N", help="1 is greedy (%(default)s)"
    )
    parser.add_argument(
        "--nearest",
        action="store_true",
        help="of the beam take what is most like a translation of the corpus",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
