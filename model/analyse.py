"""Measure the heads of a checkpoint on held-out sentences. Run this once per model.

python -m model.analyse heads --checkpoint checkpoints/en-fr --split test --corpus data/fra-eng.zip
python -m model.analyse heads --checkpoint checkpoints/en-fr --pairs FILE --alignments FILE

Each subcommand measures one thing:

heads         everything about every head; forty minutes. Writes analysis.json, which the page
              "Heads" shows, a section of the checkpoint's README.md, and the mean outputs.
means         only the mean output of each head; seconds. Writes head_means.safetensors, with which
              the page "Experiments" replaces a head's output.
alignments    the alignment error rates anew, in an existing analysis, and the sentences in which
              each head does most and least of what it is named for.
faithfulness  how far each map can be believed, added to an existing analysis; a quarter of an hour.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from msgspec.structs import replace
from tqdm import tqdm

from model.alignment.cross_validation import Baseline, Human, measure_alignment
from model.alignment.error_rate import check_pairs
from model.alignment.gold import AlignedPair, read_alignments
from model.checkpoint.fingerprint import fingerprint
from model.command_line import new_parser, recorded_options, run
from model.corpora.corpus_options import add_sentence_options, open_references
from model.corpora.pairs import References
from model.evaluation.left_out import short_enough
from model.faithfulness.corpus import (
    MAX_TOKENS,
    MIN_TOKENS,
    Report,
    measurable_sentences,
    measure_faithfulness,
)
from model.files.json_file import read_json
from model.files.replacing import check_writable
from model.heads.analysis import analyse
from model.heads.analysis_file import Analysis, Inputs
from model.heads.occurrences import occurrences
from model.heads.stored_analysis import change_analysis, extend_analysis, stored_analysis
from model.heads.syntax import sentences_for, syntax
from model.hub_choices import add_hub_choices, load_transformer_with_choices
from model.interventions.ablation import head_means, save_head_means
from model.progress import progress_bar
from model.translation_model import TranslationModel

T = TypeVar("T")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0 done, 1 bad input."""
    parser = new_parser("analyse", __doc__)
    subcommands = parser.add_subparsers(required=True, metavar="SUBCOMMAND")

    heads = subcommands.add_parser("heads", help="everything about every head")
    _add_sentences(heads)
    _add_aligned_files(heads, required=False)
    heads.set_defaults(parser=heads, measure=_measure_heads)

    means = subcommands.add_parser("means", help="only the mean output of each head")
    _add_sentences(means)
    means.set_defaults(parser=means, measure=_measure_means)

    alignments = subcommands.add_parser("alignments", help="the alignment error rates anew")
    _add_sentences(alignments)
    _add_aligned_files(alignments, required=True)
    alignments.set_defaults(parser=alignments, measure=_measure_alignments)

    faithfulness = subcommands.add_parser("faithfulness", help="how far each map can be believed")
    _add_sentences(faithfulness)
    faithfulness.set_defaults(parser=faithfulness, measure=_measure_faithfulness)

    return run(parser, _measure, arguments)


def _measure(options: argparse.Namespace) -> None:
    """Run the subcommand, if the results can be stored."""
    check_writable(Path(options.checkpoint))
    options.measure(options)


def _add_sentences(parser: argparse.ArgumentParser) -> None:
    """Add the options that all subcommands share: the checkpoint, and the sentences to measure."""
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    add_sentence_options(parser)
    parser.add_argument(
        "--sentences",
        type=int,
        default=500,
        metavar="N",
        help="how many of them to use, evenly spread (default: %(default)s)",
    )
    add_hub_choices(parser)


def _add_aligned_files(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Add the options for error rates: aligned pairs, and results of other programs."""
    parser.add_argument(
        "--alignments", metavar="FILE", required=required, help="pairs with their word alignments"
    )
    parser.add_argument(
        "--baseline", metavar="FILE", help="what benchmarks.statistical_aligner printed"
    )
    parser.add_argument("--human", metavar="FILE", help="what benchmarks.human_alignments printed")


def _measure_heads(options: argparse.Namespace) -> None:
    """Measure everything about every head, and write the analysis and the mean outputs."""
    # 1. Read all input first, so that mistakes are reported before the slow measurement.
    check_aligned(options)
    pairs = _read_pairs(options)
    t = load_transformer_with_choices(options)
    check_pairs(t, pairs)
    references = evenly_spaced_sentences(_references(t, options), options.sentences)
    baseline = _read_baseline(options)
    human = _read_human(t, options)

    # 2. Measure the heads.
    _save_means(t, references)
    with progress_bar(description="analysis") as bar:
        report = _reporter(bar)
        analysis = analyse(t, references, alignments=pairs, report=report)
        marked = sentences_for(t)
        analysis = replace(
            analysis,
            syntax=syntax(t, marked) if marked else None,
            inputs=_inputs(options),
        )
        if analysis.alignment:
            alignment = replace(analysis.alignment, baseline=baseline, human=human)
            analysis = replace(analysis, alignment=alignment)
        analysis = _with_occurrences(t, analysis, references, pairs, report)

    # 3. Write the analysis, but keep the stored faithfulness, which is measured separately.
    def with_faithfulness(stored: Analysis | None) -> Analysis:
        return replace(analysis, faithfulness=stored.faithfulness if stored else None)

    print(f"Written to {change_analysis(t.folder, with_faithfulness)}")


def _measure_means(options: argparse.Namespace) -> None:
    t = load_transformer_with_choices(options)
    _save_means(t, evenly_spaced_sentences(_references(t, options), options.sentences))


def _measure_alignments(options: argparse.Namespace) -> None:
    """Measure the alignment error rates and the occurrences anew, in the stored analysis."""
    # 1. Read all input first, so that mistakes are reported before the slow measurement.
    pairs = _read_pairs(options)
    t = load_transformer_with_choices(options)
    check_pairs(t, pairs)
    references = evenly_spaced_sentences(_references(t, options), options.sentences)
    baseline = _read_baseline(options)
    human = _read_human(t, options)
    before = stored_analysis(t.folder)
    if before.sentences != len(references):
        raise ValueError(
            f"the analysis of {t.folder} is of {before.sentences} sentences and not of "
            f"{len(references)}: make it anew with python -m model.analyse heads"
        )

    # 2. Measure the alignment. Keep the stored results of other programs if pairs and weights are
    # unchanged.
    baseline = baseline or _known_baseline(before, n_pairs=len(pairs))
    human = human or _known_human(before, t)
    inputs = replace(
        before.inputs,
        alignments=_file_name(options.alignments),
        baseline=(_file_name(options.baseline) or before.inputs.baseline) if baseline else "",
        human=(_file_name(options.human) or before.inputs.human) if human else "",
    )
    with progress_bar(description="analysis") as bar:
        report = _reporter(bar)
        report("alignment", 0, 1)
        alignment = replace(measure_alignment(t, pairs), baseline=baseline, human=human)
        analysis = replace(before, alignment=alignment, inputs=inputs)
        analysis = _with_occurrences(t, analysis, references, pairs, report)

    # 3. Write it into the stored analysis.
    def with_alignment(stored: Analysis) -> Analysis:
        return replace(
            stored,
            alignment=analysis.alignment,
            inputs=analysis.inputs,
            occurrences=analysis.occurrences,
        )

    print(f"Written to {extend_analysis(t.folder, with_alignment)}")


def _measure_faithfulness(options: argparse.Namespace) -> None:
    """Measure how far each map can be believed, and add that to the stored analysis."""
    t = load_transformer_with_choices(options)
    references = _references(t, options)
    stored_analysis(t.folder)  # before a quarter of an hour of measuring
    sources = measurable_sentences(t, [*references])
    if not sources:
        print(
            f"no sentence has {MIN_TOKENS} to {MAX_TOKENS} tokens, so faithfulness is left out",
            file=sys.stderr,
        )
        return
    references_of_sources = {source: references[source] for source in sources}
    chosen = evenly_spaced_sentences(references_of_sources, options.sentences)
    with progress_bar(description="analysis") as bar:
        faithfulness = measure_faithfulness(t, [*chosen], _reporter(bar))
    path = extend_analysis(t.folder, lambda stored: replace(stored, faithfulness=faithfulness))
    print(f"Written to {path}")


def check_aligned(options: argparse.Namespace) -> None:
    """Stop with a usage error if results of other programs are given without aligned pairs.

    Error rates can only be compared on the same pairs.
    """
    for name in ("baseline", "human"):
        if getattr(options, name) and not options.alignments:
            options.parser.error(f"--{name} needs --alignments FILE")


def evenly_spaced_sentences(references: References, n: int) -> References:
    """Choose at most n evenly spaced sentences, because a corpus is sorted by length.

    Args:
        references: each source with its reference translations.
        n: how many to choose, at least 1.
    """
    sources = list(references)
    positions = np.linspace(0, len(sources) - 1, min(n, len(sources))).round().astype(int)
    chosen = [sources[position] for position in positions]
    return {source: references[source] for source in chosen}


def _references(t: TranslationModel, options: argparse.Namespace) -> References:
    """Return all sentences that the options name, except those that the model cannot process."""
    if options.sentences < 1:
        options.parser.error(f"--sentences must be at least 1, got {options.sentences}")
    references = open_references(options)
    return short_enough(references, t.tokenizer, t.config.max_length, with_targets=True)


def _read_pairs(options: argparse.Namespace) -> list[AlignedPair]:
    """Return the pairs of ``--alignments``; [] without this option."""
    if not options.alignments:
        return []
    pairs = read_alignments(options.alignments)
    if not pairs:
        raise ValueError(f"there is no pair in {options.alignments}")
    return pairs


def _read_baseline(options: argparse.Namespace) -> Baseline | None:
    """Return the error rate of ``--baseline``; None without this option."""
    if not options.baseline:
        return None
    return printed_by("statistical_aligner", options.baseline, Baseline)


def _read_human(t: TranslationModel, options: argparse.Namespace) -> Human | None:
    """Return the error rates of ``--human``, which must be of these weights; None without it."""
    if not options.human:
        return None
    human = printed_by("human_alignments", options.human, Human)
    if human.model != fingerprint(t.model):
        raise ValueError(
            f"{options.human} does not say that it was measured on the weights of {t.folder}: "
            "measure again with python -m benchmarks.human_alignments"
        )
    return human


def printed_by(benchmark: str, path: str | Path, result: type[T]) -> T:
    """Read the JSON output of a benchmark.

    Args:
        benchmark: its module in ``benchmarks``, for the error message.
        path: the file with its output, JSON.
        result: the type to read it as.

    Raises:
        ValueError: the file cannot be read, or holds something else.
    """
    fault = f"is not what benchmarks.{benchmark} prints"
    return read_json(Path(path), result, fault=fault, remedy="Run it again.")


def _inputs(options: argparse.Namespace) -> Inputs:
    """Return the inputs of the analysis. The model card builds its command from them."""
    files = ("alignments", "baseline", "human")
    return Inputs(
        sentences=recorded_options(options, leave_out=("checkpoint", *files)),
        alignments=_file_name(options.alignments),
        baseline=_file_name(options.baseline),
        human=_file_name(options.human),
    )


def _file_name(path: str | None) -> str:
    return Path(path).name if path else ""


def _known_baseline(before: Analysis, *, n_pairs: int) -> Baseline | None:
    """Return the stored baseline if it was measured on equally many aligned pairs."""
    if before.alignment is None or before.alignment.pairs != n_pairs:
        return None
    return before.alignment.baseline


def _known_human(before: Analysis, t: TranslationModel) -> Human | None:
    """Return the stored error rates on human alignments if they belong to the present weights."""
    if before.alignment is None or before.alignment.human is None:
        return None
    human = before.alignment.human
    return human if human.model == fingerprint(t.model) else None


def _with_occurrences(
    t: TranslationModel,
    analysis: Analysis,
    references: References,
    pairs: Sequence[AlignedPair],
    report: Report,
) -> Analysis:
    """Add the sentences in which each head shows its labelled behaviour most and least.

    Args:
        t: the model and its tokenizer.
        analysis: the measured heads, with their labels.
        references: each source with its reference translations; the first one is read.
        pairs: aligned pairs, for the heads that align words; may be empty.
        report: called with what is being measured, how much of it is done, and how much there is.
    """
    report("sentences of each head", 0, 1)
    first_pairs = [(source, targets[0]) for source, targets in references.items()]
    return replace(analysis, occurrences=occurrences(t, analysis, first_pairs, pairs))


def _save_means(t: TranslationModel, references: References) -> None:
    pairs = progress_bar(references.items(), description="mean outputs")
    means = head_means(t.trace(source, target=targets[0]) for source, targets in pairs)
    print(f"Written to {save_head_means(t, means)}")


def _reporter(bar: tqdm) -> Report:  # type: ignore[type-arg]
    """Return a function that shows the current step and its progress in a progress bar."""

    reported = ""

    def report(part: str, n: int, total: int) -> None:
        """Show the progress of a part.

        Args:
            part: its name.
            n: how many of its steps are done.
            total: how many it has.
        """
        nonlocal reported
        if part != reported:
            bar.set_description(part, refresh=False)
            bar.reset(total)  # draws at once: a part may take long. Each has its own time left
            reported = part
        bar.update(n - bar.n)  # draws only now and then

    return report


if __name__ == "__main__":
    sys.exit(main())
