"""Translate sentences given as arguments, or line by line from standard input.

As many lines come out as went in: the line of an empty or a refused sentence is empty.

python -m model.translate --checkpoint checkpoints/en-fr "I am a student."
"""

import argparse
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from model.command_line import new_parser, run
from model.corpora.plain_text import normalise
from model.tokenizers.tokenizer import Tokenizer, code_asked
from model.tokenizers.unknown import not_copied, signs_unknown
from model.trace.base import BaseTrace
from model.translation_model import load

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")  # how Python shows a byte that is no text


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 if something could not be translated."""
    parser = new_parser("translate", __doc__)
    parser.add_argument("text", nargs="*", help="sentences; without any, standard input is read")
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    parser.add_argument("--beam", type=int, default=1, metavar="N", help="1 is greedy (default)")
    parser.add_argument("--json", action="store_true", help="one JSON object a sentence")
    return run(parser, _translate, arguments)


def _translate(options: argparse.Namespace) -> int:
    t = load(options.checkpoint)
    _write_utf_8()
    texts: Iterable[str] = options.text or _standard_input()
    failed = False
    for number, typed in enumerate(texts, start=1):
        text = _HALF_CHARACTER.sub("\ufffd", typed)
        line: dict[str, Any] = {"source": text, "translation": ""}
        remarks = [*_about_text(t.tokenizer, text)]
        try:
            if normalise(text):
                trace = t.trace(text, beam=options.beam)
                line = as_json(trace)
                remarks += _about_translation(t.tokenizer, trace)
        except ValueError as error:
            remarks.append(str(error))
            failed, line["error"] = True, str(error)
        for remark in remarks:
            print(f"{options.parser.prog}: sentence {number}: {remark}", file=sys.stderr)
        one_line = " ".join(line["translation"].splitlines())
        print(json.dumps(line, ensure_ascii=False) if options.json else one_line)
    return int(failed)


def _standard_input() -> Iterator[str]:
    """Its lines; what is no text in them reads as U+FFFD. A file or a pipe is read as UTF-8."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        encoding = None if sys.stdin.isatty() else "utf-8"
        sys.stdin.reconfigure(encoding=encoding, errors="replace", newline="\n")
    for line in sys.stdin:
        if line.startswith("\ufffd\ufffd") and "\0" in line:
            raise ValueError("what is piped in is UTF-16: write it as UTF-8")
        yield line.rstrip("\r\n")


def _about_text(tokenizer: Tokenizer, text: str) -> Iterator[str]:
    """Where bytes are no text, or a model of several languages is not told which to write."""
    if "\ufffd" in text:
        yield "it contains \ufffd: typed, or bytes that are not valid UTF-8"
    plain, codes = normalise(text), tokenizer.codes
    asked = code_asked(plain)
    if plain and codes and asked not in codes:
        fault = f"the model does not know {asked}" if asked else "it says no language to write"
        yield f"{fault}: begin it with one of {' '.join(codes)}"


def _about_translation(tokenizer: Tokenizer, trace: BaseTrace) -> Iterator[str]:
    """What the model does not know, or has written otherwise."""
    if signs := signs_unknown(tokenizer, trace.src, trace.source_text):
        yield f"the model has no subword for {' '.join(signs)}"
    if words := not_copied(normalise(trace.source_text), trace.target_text):
        yield f"not in the translation in the same form: {' '.join(words)}"


def _write_utf_8() -> None:
    """Where it goes into a file or a pipe; a terminal says itself which characters it shows."""
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")


def as_json(trace: BaseTrace) -> dict[str, Any]:
    """Tokens, log-probabilities (natural) and the shapes of all that was computed."""
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
