"""Score the translations of a checkpoint on held-out sentences.

python -m model.evaluate --checkpoint checkpoints/en-fr --pairs FILE.tsv --json
python -m model.evaluate --checkpoint checkpoints/en-fr --split test --corpus data/fra-eng.zip
python -m model.evaluate --checkpoint checkpoints/en-fr --robustness --split test --corpus ...

With --save the result is written into the checkpoint's config.json and README.md.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from model.checkpoint.checkpoint import read_config, save_config
from model.command_line import new_parser, run
from model.corpora.corpus_checks import column_warnings
from model.corpora.corpus_options import add_sentence_options, open_held_out, open_references
from model.corpora.pairs import References
from model.corpora.text_checks import text_warnings
from model.decoding.beam import check_beam
from model.evaluation.left_out import short_enough
from model.evaluation.robustness import Robustness, robustness
from model.evaluation.scoring import Evaluation, evaluate
from model.files.replacing import check_writable
from model.heads.analysis_card import add_to_card
from model.heads.analysis_file import read_analysis
from model.hub_choices import add_hub_choices, load_with_choices
from model.training.model_card import write_card
from model.translation_model import AnyTranslationModel

_MEASURES = ("scores", "robustness")  # entries of "training" that this command writes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0 done, 1 bad input."""
    parser = new_parser("evaluate", __doc__)
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    add_sentence_options(parser)
    measure = parser.add_mutually_exclusive_group()
    measure.add_argument(
        "--beam", type=int, default=1, metavar="N", help="hypotheses of the search; 1 is greedy"
    )
    measure.add_argument(
        "--robustness",
        action="store_true",
        help="unseen names, numbers, careless typing, several sentences; greedy, from English",
    )
    parser.add_argument("--save", action="store_true", help="write the result into the checkpoint")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_hub_choices(parser)
    return run(parser, _evaluate, arguments)


def _evaluate(options: argparse.Namespace) -> None:
    """Score the translations, or their robustness, and print or save the result."""
    check_beam(options.beam)
    if options.save and options.split != "test":
        raise ValueError("--save keeps scores on the test split: give --split test")

    # 1. Load the model and the sentences.
    t = load_with_choices(options)
    if options.save:
        check_writable(t.folder)
    references = _own_test_set(t, options) if options.save else open_references(options)
    _warn_of_text(references, options.parser.prog)
    if options.split:
        references = short_enough(references, t.tokenizer, t.config.max_length)

    # 2. Score the translations.
    result: Evaluation | Robustness
    if options.robustness:
        result = robustness(t.model, t.tokenizer, references)
    else:
        result = evaluate(t.model, t.tokenizer, references, beam=options.beam)

    # 3. Save and print the result.
    if options.save:
        _save(t, result)
    if options.json:
        print(json.dumps({"checkpoint": t.name} | asdict(result), indent=2))
    elif isinstance(result, Robustness):
        _print_robustness(result)
    else:
        _print_scores(result)


def _warn_of_text(references: References, program: str) -> None:
    """Warn on standard error if these are no sentences, or unnatural ones: scores mean little."""
    rows = [(source, *targets) for source, targets in references.items()]
    pairs = [(source, target) for source, target, *_ in rows]
    for warning in [*column_warnings(pairs), *text_warnings(rows)]:
        print(f"{program}: the sentences look wrong: {warning}", file=sys.stderr)


def _print_robustness(result: Robustness) -> None:
    print(f"names that come through    {result.names:5.1f} %")
    print(f"numbers that come through  {result.numbers:5.1f} %")
    if result.quantities is not None:
        print(f"prices, times and dates    {result.quantities:5.1f} %")
    for variant, bleu in result.bleu.items():
        print(f"BLEU, {variant:<20} {bleu:5.2f}")
    print(f"stop at the length limit   {result.unfinished:5.1f} %")
    print(f"say it three times         {result.repeating:5.1f} %")


def _print_scores(result: Evaluation) -> None:
    print(f"BLEU {result.bleu:.2f}   {result.bleu_signature}")
    if not result.bleu:
        print("BLEU is 0: no word is right, or no translation has four words to count")
    print(f"chrF {result.chrf:.2f}   {result.chrf_signature}")
    print(
        f"{result.sentences:,} sentences with {result.references:,} references, "
        f"beam {result.beam}, {result.sentences_per_second:.0f} sentences per second"
    )


def _own_test_set(t: AnyTranslationModel, options: argparse.Namespace) -> References:
    """Return the test split of the corpus that the model was trained on.

    Raises:
        ValueError: the options name a different corpus, or the model does not say which it was.
    """
    if "corpus" not in t.training:
        raise ValueError(f"{t.folder} does not say how it was trained: its card is not ours")
    trained_on = t.training["corpus"]
    corpus, references = open_held_out(options)
    simplified = "--simplified" in trained_on.get("options", "")
    if corpus.sha256 != trained_on["sha256"] or options.simplified != simplified:
        of_training = trained_on.get("options") or " ".join(trained_on["files"])
        raise ValueError(f"--save keeps scores on the corpus of the training: {of_training}")
    return references


def _save(t: AnyTranslationModel, result: Evaluation | Robustness) -> None:
    """Add a result to config.json and README.md. Changes by other processes are kept.

    Raises:
        ValueError: the folder holds a different model than the one that was measured.
    """
    training = dict(read_config(t.folder)[1])
    if _without_measures(training) != _without_measures(t.training):
        raise ValueError(f"{t.folder} holds another model by now: measure that one")
    if isinstance(result, Robustness):
        training["robustness"] = asdict(result)
    else:
        name = "test, greedy" if result.beam == 1 else "test, beam search"
        training["scores"] = training.get("scores", {}) | {name: asdict(result)}
    config = t.model.config
    save_config(t.folder, config, training)
    write_card(t.folder, t.name, training, vars(config))
    analysis = read_analysis(t.folder)
    if analysis:
        add_to_card(t.folder, analysis)


def _without_measures(training: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in training.items() if name not in _MEASURES}


if __name__ == "__main__":
    sys.exit(main())
