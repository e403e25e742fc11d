"""Choose when the app doubts a translation, and measure how often the doubt is right.

python -m benchmarks.doubt --checkpoint checkpoints/en-fr --false-alarms 0.1

Thresholds are chosen on ``en-fr-typed.tsv`` and ``en-fr-thresholds.tsv`` together, and measured on
``en-fr-visitors.tsv``, all in ``benchmarks/typed/judged``. Each line has a sentence, its
translation, and a judgement: right (R), nearly right (N) or wrong (W). The result is saved in the
checkpoint, as ``doubt.json``.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from benchmarks.shares import interval
from model.checkpoint.fingerprint import fingerprint_of
from model.command_line import new_parser, run
from model.evaluation.doubt import (
    DoubtFile,
    Measured,
    Thresholds,
    content_words,
    is_short,
    save_doubt,
)
from model.heads.analysis_file import read_analysis
from model.heads.kinds import best_awi_head
from model.trace.next_tokens import perplexity
from model.translation_model import TranslationModel, load_transformer

_JUDGED = Path(__file__).parent / "typed" / "judged"
# Two lists, because the first has hardly any single words or short phrases, which visitors often
# type.
_CHOSEN_ON = ("typed", "thresholds")
_MEASURED_ON = "visitors"
_VERDICTS = ("R", "N", "W")
_PERPLEXITIES = tuple(round(1 + 0.05 * n, 2) for n in range(2, 21))  # 1.10 to 2.00
_ATTENTIONS = tuple(round(0.05 * n, 2) for n in range(8))  # from 0, which marks no word, to 0.35


class Judged(NamedTuple):
    """One line of a judged list."""

    sentence: str
    translation: str
    verdict: str  # R, N or W


class Signs(NamedTuple):
    """What one judged translation shows."""

    perplexity: float
    is_short: bool  # a single word or a short phrase was translated
    # the smallest ``most_attention`` of all content words; infinite if there is no content word
    least_attention: float
    is_wrong: bool

    def are_doubtful(self, thresholds: Thresholds) -> bool:
        """Return whether ``model.evaluation.doubt`` would doubt the translation."""
        limit = thresholds.short_perplexity if self.is_short else thresholds.perplexity
        return self.perplexity > limit or self.least_attention < thresholds.attention


def main(arguments: Sequence[str] | None = None) -> int:
    """Choose thresholds on two judged lists, measure them on another, and save ``doubt.json``."""
    parser = new_parser("doubt", __doc__)
    parser.prog = "python -m benchmarks.doubt"
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    parser.add_argument(
        "--false-alarms",
        type=float,
        default=0.1,
        metavar="SHARE",
        help="of the right translations, that may be doubted (default: %(default)s)",
    )
    return run(parser, _measure, arguments)


def _measure(options: argparse.Namespace) -> None:
    # 1. Read the model, its alignment head, and the judged translations
    t = load_transformer(options.checkpoint)
    head = best_awi_head(read_analysis(t.folder))
    if head is None:
        raise ValueError(f"{t.folder} has no alignment head: run python -m model.analyse heads")
    languages = "{}-{}".format(*t.languages)
    # Read all lists before the first translation: a missing one is reported at once.
    lists = {name: read_judged(languages, name) for name in (*_CHOSEN_ON, _MEASURED_ON)}
    signs = {name: _signs(t, head, name, judged) for name, judged in lists.items()}

    # 2. Choose the thresholds on two lists together
    chosen_on = [sign for name in _CHOSEN_ON for sign in signs[name]]
    thresholds = best_thresholds(chosen_on, options.false_alarms)

    # 3. Measure them on a list that did not choose them
    measured_on = signs[_MEASURED_ON]
    measured = doubted(measured_on, thresholds)
    save_doubt(t.folder, DoubtFile(fingerprint_of(t.folder), thresholds, measured))
    print(f"perplexity above {thresholds.perplexity}, of a short source above", end=" ")
    print(f"{thresholds.short_perplexity}, or a word with less than", end=" ")
    print(f"{thresholds.attention} of any token's attention")
    print("wrong and doubted:", interval(measured.wrong_doubted, measured.wrong))
    print("right and doubted:", interval(measured.right_doubted, measured.right))


def read_judged(languages: str, name: str) -> list[Judged]:
    """Read a judged list.

    Args:
        languages: of the model, for example "en-fr".
        name: of the list: typed, thresholds or visitors.

    Raises:
        ValueError: the list is missing, or a line is not a sentence, a translation and a verdict.
    """
    path = _JUDGED / f"{languages}-{name}.tsv"
    if not path.is_file():
        raise ValueError(
            f"benchmarks/typed/judged/{path.name} is missing: judge the output of "
            f"python -m benchmarks.typed --list {name}, as benchmarks/typed/README.md describes"
        )
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        columns = line.split("\t")
        if len(columns) != len(Judged._fields) or columns[-1] not in _VERDICTS:
            raise ValueError(
                f"benchmarks/typed/judged/{path.name}, line {number}: expected a sentence, its "
                f"translation and R, N or W, separated by tabs"
            )
        rows.append(Judged(*columns))
    return rows


def _signs(
    t: TranslationModel, head: tuple[int, int], name: str, judged: Sequence[Judged]
) -> list[Signs]:
    """Translate a judged list, and return the signs of each translation.

    Args:
        t: the model.
        head: layer and head, from 0, of the cross-attention that aligns words best.
        name: of the list, for messages.
        judged: the lines of the list.

    Raises:
        ValueError: the model's translation is not the one that was judged.
    """
    signs = []
    for sentence, translation, verdict in judged:
        trace = t.trace(sentence)
        if trace.target_text != translation:
            raise ValueError(
                f"{name}: the model now writes {trace.target_text!r} for {sentence!r}: have the "
                "translations judged again"
            )
        attentions = [word.most_attention for word in content_words(trace, head)]
        least_attention = min(attentions, default=math.inf)
        short = is_short(trace.source_text)
        signs.append(Signs(perplexity(trace), short, least_attention, is_wrong=verdict == "W"))
    return signs


def best_thresholds(judged: Sequence[Signs], false_alarms: float) -> Thresholds:
    """Return the thresholds that find most wrong translations.

    Args:
        judged: the signs of each translation.
        false_alarms: share of the right translations that may be doubted, 0 to 1.
    """
    candidates = [
        Thresholds(*values) for values in product(_PERPLEXITIES, _PERPLEXITIES, _ATTENTIONS)
    ]
    allowed = []
    for n, thresholds in enumerate(candidates):
        counts = doubted(judged, thresholds)
        if counts.right_doubted <= false_alarms * counts.right:
            allowed.append((counts.wrong_doubted, -counts.right_doubted, n))
    if not allowed:
        raise ValueError("no threshold has so few false alarms: allow more")
    *_, best = max(allowed)
    return candidates[best]


def doubted(judged: Sequence[Signs], thresholds: Thresholds) -> Measured:
    """Count the wrong and the right translations, and how many of each are doubted."""
    wrong = [signs.are_doubtful(thresholds) for signs in judged if signs.is_wrong]
    right = [signs.are_doubtful(thresholds) for signs in judged if not signs.is_wrong]
    return Measured(
        wrong=len(wrong),
        wrong_doubted=sum(wrong),
        right=len(right),
        right_doubted=sum(right),
    )


if __name__ == "__main__":
    sys.exit(main())
