"""Translate sentences given as arguments, or line by line from standard input.

Each sentence becomes one line. It is empty if the sentence is empty or refused.

python -m model.translate --checkpoint checkpoints/en-fr "I am a student."
python -m model.translate --checkpoint checkpoints/en-fr --alignments "I am a student."

With --alignments a line holds the words of the sentence, the words of its translation, and links
i-j: word i of the sentence, from 0, with word j of the translation.
"""

import argparse
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from model.alignment.word_links import Aligner, WordAlignment, align_words, best_aligner
from model.command_line import new_parser, run
from model.corpora.plain_text import normalise
from model.decoding.beam import check_beam
from model.evaluation.uncopied_words import uncopied_words
from model.heads.analysis_file import read_analysis
from model.hub.languages import code_asked
from model.hub_choices import add_hub_choices, load_with_choices
from model.tokenizers.tokenizer import Tokenizer
from model.tokenizers.unknown import unknown_signs
from model.trace.base import BaseTrace
from model.trace.transformer import Trace
from model.translation_model import AnyTranslationModel, require_transformer

# surrogates, which represent bytes that are not text
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
MAX_LINE_CHARACTERS = 1_000_000  # a longer line of standard input is not held in memory


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0, or 1 if a sentence was not translated."""
    parser = new_parser("translate", __doc__)
    parser.add_argument("text", nargs="*", help="sentences; without any, standard input is read")
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    parser.add_argument("--beam", type=int, default=1, metavar="N", help="1 is greedy (default)")
    parser.add_argument(
        "--alignments", action="store_true", help="words ||| words ||| links i-j (Pharaoh)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a sentence")
    add_hub_choices(parser)
    return run(parser, _translate, arguments)


def _translate(options: argparse.Namespace) -> int:
    """Translate every text, and print one line for each; return 1 if one was refused."""
    check_beam(options.beam)
    t = load_with_choices(options)
    aligner = _aligner(t, options) if options.alignments else None
    _write_utf_8()
    texts: Iterable[str] = options.text or _standard_input()
    failed = False
    for number, typed in enumerate(texts, start=1):
        text = _HALF_CHARACTER.sub("\ufffd", typed)

        # 1. Translate, unless the line is empty
        result: dict[str, Any] = {"source": text, "translation": ""}
        line = ""
        warnings = [*_warnings_about_text(t.tokenizer, text)]
        try:
            if normalise(text):
                trace = t.trace(text, beam=options.beam)
                result = as_json(trace)
                line = trace.target_text
                if aligner:
                    words = align_words(require_transformer(t), cast(Trace, trace), aligner)
                    result |= _alignment_as_json(words)
                    line = str(words)
                warnings += _warnings_about_translation(t.tokenizer, trace)
        except ValueError as error:
            failed = True
            result["error"] = str(error)
            warnings.append(str(error))

        # 2. Print the translation to standard output, and warnings to standard error
        for warning in warnings:
            print(f"{options.parser.prog}: sentence {number}: {warning}", file=sys.stderr)
        if options.json:
            print(json.dumps(result, ensure_ascii=False))
        else:
            print(" ".join(line.splitlines()))
    return int(failed)


def _aligner(t: AnyTranslationModel, options: argparse.Namespace) -> Aligner:
    """Return the head and the measure that align words best; print them to standard error.

    Raises:
        ValueError: the model was not measured, or has no heads.
    """
    folder = require_transformer(t).folder
    analysis = read_analysis(folder)
    if analysis is None or analysis.alignment is None:
        raise ValueError(
            f"nobody has measured which head of {folder} aligns words best: run "
            "python -m model.analyse heads --alignments FILE first"
        )
    aligner = best_aligner(analysis.alignment)
    print(
        f"{options.parser.prog}: alignments are those of layer {aligner.layer + 1}, head "
        f"{aligner.head + 1}, by {aligner.method}; error rate (AER) {aligner.error_rate:.3f} on "
        f"{aligner.n_pairs} pairs with known links",
        file=sys.stderr,
    )
    return aligner


def _alignment_as_json(words: WordAlignment) -> dict[str, Any]:
    """Return words and links as JSON values."""
    return {
        "source_words": words.source_words,
        "target_words": words.target_words,
        "alignments": words.pharaoh,
    }


def _standard_input() -> Iterator[str]:
    """Yield the lines of standard input. Bytes that are not UTF-8 become U+FFFD.

    Raises:
        ValueError: there is no standard input, it is UTF-16, or a line is too long to be a sentence
            and may have no end.
    """
    if sys.stdin is None:
        raise ValueError("there is nothing to read: give sentences, or pipe some in")
    if isinstance(sys.stdin, io.TextIOWrapper):
        encoding = None if sys.stdin.isatty() else "utf-8"
        sys.stdin.reconfigure(encoding=encoding, errors="replace", newline="\n")
    lines = iter(lambda: sys.stdin.readline(MAX_LINE_CHARACTERS + 1), "")
    for number, line in enumerate(lines, start=1):
        if line.startswith("\ufffd\ufffd") and "\0" in line:
            raise ValueError("what is piped in is UTF-16: write it as UTF-8")
        if len(line) > MAX_LINE_CHARACTERS:
            raise ValueError(
                f"line {number} of what is piped in has more than {MAX_LINE_CHARACTERS:,} "
                "characters: begin a new line for each sentence"
            )
        yield line.rstrip("\r\n")


def _warnings_about_text(tokenizer: Tokenizer, text: str) -> Iterator[str]:
    """Warn about bytes that are not text, and about a missing or unknown language code."""
    if "\ufffd" in text:
        yield "it contains \ufffd: typed, or bytes that are not valid UTF-8"
    plain = normalise(text)
    codes = tokenizer.codes
    code = code_asked(plain)
    if plain and codes and code not in codes and (code or not tokenizer.prefix):
        problem = f"the model does not know {code}" if code else "it says no language to write"
        yield f"{problem}: begin it with one of {' '.join(codes)}"


def _warnings_about_translation(tokenizer: Tokenizer, trace: BaseTrace) -> Iterator[str]:
    """Warn about unknown characters, and about words that the translation should have copied."""
    if signs := unknown_signs(tokenizer, trace.src, trace.source_text):
        yield f"the model has no subword for {' '.join(signs)}"
    if words := uncopied_words(normalise(trace.source_text), trace.target_text):
        yield f"not in the translation in the same form: {' '.join(words)}"


def _write_utf_8() -> None:
    """Use UTF-8 for standard output to files and pipes. A terminal keeps its encoding."""
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")


def as_json(trace: BaseTrace) -> dict[str, Any]:
    """Return texts, tokens, natural log-probabilities, and the shape of every record."""
    return {
        "source": trace.source_text,
        "translation": trace.target_text,
        "beam": trace.beam,
        "truncated": trace.truncated,
        "source_tokens": trace.src_tokens,
        "target_tokens": trace.next_tokens,
        "log_probs": [round(float(p), 6) for p in trace.log_probs],
        "log_prob": round(float(trace.log_probs.sum()), 6),
        "shapes": {name: array.shape for name, array in trace.records.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
