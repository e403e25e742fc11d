"""Measure every head of a checkpoint on held-out sentences; minutes, once for a model.

python -m model.analyse --checkpoint checkpoints/en-fr --split test --corpus data/fra-eng.zip
python -m model.analyse --checkpoint checkpoints/en-fr --pairs FILE.tsv --alignments FILE.tsv

The results are a section of the checkpoint's README.md and two files beside it: analysis.json, from
which the page "Heads" is drawn, and head_means.safetensors, the mean output of each head, which the
page "Experiments" puts in a head's place. --means-only makes the second one alone, in seconds;
--alignments-only measures nothing again but the error rates and in which sentences each head does
what, in an analysis that is there; what other programs had measured stays, of the same pairs and
weights, where it is not given again.
--faithfulness adds how far each map can be believed, in a quarter of an hour.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from msgspec.structs import replace
from tqdm import tqdm

from model.alignment.cross_validation import Baseline, Human, measure_alignment
from model.alignment.error_rate import check_pairs
from model.alignment.gold import AlignedPair, read_alignments
from model.checkpoint.fingerprint import fingerprint
from model.command_line import as_recorded, new_parser, run
from model.corpora.references import References, add_arguments, held_out
from model.evaluation.left_out import short_enough
from model.faithfulness.corpus import FEWEST, MOST, measure_faithfulness, measured_sentences
from model.files.json_file import read_json
from model.heads.analysis import Report, analyse
from model.heads.analysis_card import add_to_card
from model.heads.analysis_file import Analysis, read_analysis, save_analysis
from model.heads.occurrences import occurrences
from model.heads.syntax import sentences_for, syntax
from model.interventions.ablation import head_means, save_head_means
from model.translation_model import TranslationModel, load_transformer

T = TypeVar("T")
_BESIDE = ("baseline", "human")  # options: what other programs measured, beside the error rates
_ALIGNED = re.compile(r" --(alignments|baseline|human) (\S+)")  # in a recorded command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 bad input."""
    parser = new_parser("analyse", __doc__)
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    add_arguments(parser)
    parser.add_argument("--alignments", metavar="FILE", help="pairs aligned by hand")
    baseline = "what benchmarks.statistical_aligner printed"
    parser.add_argument("--baseline", metavar="FILE", help=baseline)
    parser.add_argument("--human", metavar="FILE", help="what benchmarks.human_alignments printed")
    sentences = "how many to use (default: 500)"
    parser.add_argument("--sentences", type=int, default=500, metavar="N", help=sentences)
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--means-only", action="store_true", help="only the mean output of each head")
    rates = "only the alignment error rates, in the analysis that is there"
    believed = "only how far each map can be believed, in the analysis that is there"
    part.add_argument("--faithfulness", action="store_true", help=believed)
    part.add_argument("--alignments-only", action="store_true", help=rates)
    return run(parser, _analyse, arguments)


def _analyse(options: argparse.Namespace) -> None:
    check_aligned(options)
    if options.sentences < 1:
        options.parser.error(f"--sentences must be at least 1, got {options.sentences}")
    references = held_out(options)
    alignments = read_alignments(options.alignments) if options.alignments else []
    if options.alignments and not alignments:
        raise ValueError(f"there is no pair in {options.alignments}")
    t = load_transformer(options.checkpoint)
    check_pairs(t, alignments)
    references = short_enough(references, t.tokenizer, t.config.max_length, with_targets=True)
    if options.faithfulness:
        _measure_faithfulness(t, references, options.sentences)
        return
    references = spread(references, options.sentences)
    beside = _stand_beside(t, options)
    if not options.alignments_only:
        pairs = tqdm(references.items(), desc="mean outputs", file=sys.stderr)
        means = head_means(t.trace(source, target=targets[0]) for source, targets in pairs)
        print(f"Written to {save_head_means(t, means)}")
    if options.means_only:
        return
    measure = _aligned_anew if options.alignments_only else _all_anew
    with tqdm(file=sys.stderr) as bar:
        report = _reporter(bar)
        analysis = measure(t, references, alignments, report)
        report("sentences of each head", 0, 1)
        read = [(source, targets[0]) for source, targets in references.items()]
        found = occurrences(t, analysis, read, alignments)
    analysis = replace(analysis, occurrences=found, command=_command(analysis, options))
    if analysis.alignment:
        analysis = replace(analysis, alignment=replace(analysis.alignment, **beside))
    print(f"Written to {save_analysis(t.folder, analysis)}")
    add_to_card(t.folder, analysis)


def _measure_faithfulness(t: TranslationModel, references: References, n: int) -> None:
    """Added to the analysis that is there."""
    known = read_analysis(t.folder)
    if known is None:
        raise ValueError(
            f"{t.folder} has no analysis with these weights: make it without --faithfulness first"
        )
    fitting = {one: references[one] for one in measured_sentences(t, [*references])}
    if not fitting:
        said = f"no sentence has {FEWEST} to {MOST} tokens, so faithfulness is left out"
        print(said, file=sys.stderr)
        return
    with tqdm(file=sys.stderr) as bar:
        found = measure_faithfulness(t, [*spread(fitting, n)], _reporter(bar))
    print(f"Written to {save_analysis(t.folder, replace(known, faithfulness=found))}")


def check_aligned(options: argparse.Namespace) -> None:
    """End with a usage error where pairs to measure error rates on are needed and not given."""
    for name in ("alignments_only", *_BESIDE):
        if getattr(options, name, None) and not options.alignments:
            options.parser.error(f"--{name.replace('_', '-')} needs --alignments FILE")


def spread(references: References, n: int) -> References:
    """At most n of them, evenly spread: corpora are sorted by length."""
    sources = list(references)
    places = np.linspace(0, len(sources) - 1, min(n, len(sources))).round().astype(int)
    return {sources[place]: references[sources[place]] for place in places}


def _all_anew(
    t: TranslationModel, references: References, pairs: Sequence[AlignedPair], report: Report
) -> Analysis:
    known, sentences = read_analysis(t.folder), sentences_for(t)
    return replace(
        analyse(t, references, alignments=pairs, report=report),
        faithfulness=known.faithfulness if known else None,
        syntax=syntax(t, sentences) if sentences else None,
    )


def _aligned_anew(
    t: TranslationModel, references: References, pairs: Sequence[AlignedPair], report: Report
) -> Analysis:
    """The analysis that is there, its error rates measured again."""
    known = read_analysis(t.folder)
    if known is None or known.sentences != len(references):
        raise ValueError(
            f"{t.folder} has no analysis of {len(references)} sentences with these weights: "
            "make it without --alignments-only"
        )
    report("alignment", 0, 1)
    alignment = measure_alignment(t, pairs)
    if before := known.alignment:  # what other programs measured, on these pairs and weights
        if before.pairs == len(pairs):
            alignment = replace(alignment, baseline=before.baseline)
        if before.human and before.human.model == fingerprint(t.model):
            alignment = replace(alignment, human=before.human)
    return replace(known, alignment=alignment)


def _command(analysis: Analysis, options: argparse.Namespace) -> str:
    """The command of an analysis.

    If its error rates alone are new, it is the known one where that names other sentences, on which
    all else was measured; otherwise one that names what stayed beside the error rates, too.
    """
    if not options.alignments_only:
        return as_recorded(options)
    known = analysis.command
    sentences = as_recorded(options, leave_out=("alignments_only", "alignments", *_BESIDE))
    if _ALIGNED.sub("", known) != sentences:
        return known
    files = dict(_ALIGNED.findall(known))
    stayed = {
        name: getattr(options, name) or files.get(name)
        for name in _BESIDE
        if getattr(analysis.alignment, name)
    }
    again = argparse.Namespace(**vars(options) | stayed)
    return as_recorded(again, leave_out=("alignments_only",))


def _stand_beside(t: TranslationModel, options: argparse.Namespace) -> dict[str, Any]:
    """What other programs have measured, by its name in the analysis."""
    found: dict[str, Any] = {}
    if options.baseline:
        found["baseline"] = printed_by("statistical_aligner", options.baseline, Baseline)
    if options.human:
        found["human"] = printed_by("human_alignments", options.human, Human)
        if found["human"].model != fingerprint(t.model):
            raise ValueError(
                f"{options.human} does not say that it was measured on the weights of {t.folder}: "
                "measure again with python -m benchmarks.human_alignments"
            )
    return found


def printed_by(benchmark: str, path: str | Path, kind: type[T]) -> T:
    """What a benchmark printed; ValueError if the file cannot be read, or is something else."""
    fault = f"is not what benchmarks.{benchmark} prints"
    return read_json(Path(path), kind, fault=fault, remedy="Run it again.")


def _reporter(bar: tqdm) -> Report:  # type: ignore[type-arg]
    def report(what: str, n: int, of: int) -> None:
        bar.set_description(what)
        bar.total, bar.n = of, n
        bar.refresh()

    return report


if __name__ == "__main__":
    sys.exit(main())
