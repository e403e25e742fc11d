"""Compare models on the same held-out sentences: all, by length, and joined into long texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import numpy as np
from msgspec import Meta

from model.checkpoint.architectures import TRANSFORMER, config_to_json
from model.corpora.pairs import References
from model.evaluation.scoring import evaluate
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import (
    MAX_JSON_BYTES,
    Count,
    Name,
    NonNegative,
    Number,
    Text,
    decode,
    read_json,
    write_json,
)
from model.files.regular_file import exists, read_regular
from model.files.replacing import write_text
from model.translation_model import AnyTranslationModel

FILE = "comparison.json"
CARD = "README.md"
# The first lines of each card, by which a later comparison recognises it.
_HEAD_OF_CARD = """# Checkpoints

A folder for each trained model; its own README.md says how it was made, from which data and under
which licence. Compared on """
# Smallest number of words of each bucket. The last number only ends the last bucket.
EDGES = (1, 4, 6, 8, 10, 13, 17, 10**9)
JOINED = (1, 2, 3, 4, 6, 8)  # numbers of sentences that are joined to one text
_SEED = 0  # for drawing the sentences that are joined
Report = Callable[[str], None]  # is told what is measured next


class Scores(TypedDict):
    """The scores of an ``Evaluation`` that a comparison uses."""

    bleu: Number
    chrf: Number
    sentences: NotRequired[Count]


Compared = TypedDict(
    "Compared",
    {
        "arch": NotRequired[Text],
        "n_parameters": Count,
        "command": NotRequired[Text],
        "greedy": Scores,
        "beam search": Scores,
        "seconds": NotRequired[NonNegative],
        "hardware": NotRequired[Text],
        "epochs": NotRequired[NonNegative],
    },
)


class Bucket(TypedDict):
    """BLEU of all models on one group of texts, by greedy decoding."""

    words: tuple[Count, Count]  # number of words of the shortest and of the longest source
    sentences: Count
    mean_words: Number
    bleu: dict[Name, Number]


class OfLength(Bucket):
    """The scores on sentences of similar length."""

    references: Count  # references that were used for each sentence
    available: NonNegative  # references that each sentence has, on average


class Joined(Bucket):
    """The scores on texts of n joined sentences."""

    joined: Count


class Comparison(TypedDict):
    """The content of ``comparison.json``."""

    models: Annotated[dict[Name, Compared], Meta(min_length=1)]
    by_length: list[OfLength]
    joined: list[Joined]
    sentences: Count
    date: Text
    command: Text


def compare(
    models: Sequence[AnyTranslationModel],
    references: References,
    *,
    n_drawn: int = 800,
    report: Report = lambda _: None,
) -> dict[str, Any]:
    """Score several models on the same sentences.

    Sentences that are too long for one of the models are left out for all. Scores by length and of
    joined sentences are against one reference each: short sentences have more references than long
    ones, and more references raise BLEU.

    Args:
        models: of different names.
        references: each source with its reference translations.
        n_drawn: at most so many sentences are drawn to be joined.
        report: called with a description of each part as it begins.

    Returns:
        ``models``, ``by_length`` and ``joined`` of ``Comparison``.

    Raises:
        ValueError: two models have the same name.
    """
    # 1. Check the names, and choose the sentences that all models can process.
    names = [t.name for t in models]
    repeated = sorted(name for name in set(names) if names.count(name) > 1)
    if repeated:
        raise ValueError(f"two models are called {repeated[0]}: rename the folder of one")
    references = {
        source: targets for source, targets in references.items() if _fits(models, source)
    }

    # 2. Score each model on all sentences.
    facts = {}
    for t in models:
        report(f"{t.name}, the whole set")
        facts[t.name] = _facts(t) | _scores(t, references)

    # 3. Score all models on the sentences of each length.
    by_length = []
    for bucket in buckets(references):
        report(f"{len(bucket)} sentences of one length")
        available = round(sum(map(len, bucket.values())) / len(bucket), 2)
        scores = _measure(models, join(bucket, 1))
        by_length.append({**scores, "references": 1, "available": available})

    # 4. Score all models on texts of several sentences. Draw these at random, because the first
    # sentences of a corpus are its shortest, and adjacent sentences are similar.
    drawn = draw(references, n_drawn)
    joined = []
    for n in JOINED:
        report(f"{n} sentences joined to one text")
        texts = {
            source: targets for source, targets in join(drawn, n).items() if _fits(models, source)
        }
        if texts:
            joined.append({"joined": n, **_measure(models, texts)})
    return {"models": facts, "by_length": by_length, "joined": joined}


def buckets(references: References) -> list[References]:
    """Group the sentences by their number of words, from short to long, without empty groups."""
    result = []
    for first, after in pairwise(EDGES):
        bucket = {
            source: targets
            for source, targets in references.items()
            if first <= len(source.split()) < after
        }
        if bucket:
            result.append(bucket)
    return result


def draw(references: References, n: int) -> References:
    """Draw at most n sentences in random order, with a fixed seed.

    >>> len(draw({"a.": ["A."], "b.": ["B."], "c.": ["C."]}, 2))
    2
    """
    sources = list(references)
    order = np.random.default_rng(_SEED).permutation(len(sources))[:n]
    return {sources[position]: references[sources[position]] for position in order}


def join(references: References, n: int) -> References:
    """Join every n consecutive sentences into one text, and likewise their first references.

    Sentences that are left over at the end are not used.

    >>> join({"a.": ["A.", "B."], "c.": ["C."], "d.": ["D."]}, 2)
    {'a. c.': ['A. C.']}
    """
    pairs = [(source, targets[0]) for source, targets in references.items()]
    groups = [pairs[i : i + n] for i in range(0, len(pairs) - n + 1, n)]
    return {
        " ".join(source for source, _ in group): [" ".join(target for _, target in group)]
        for group in groups
    }


def check_replaceable(folder: Path) -> None:
    """Check that a comparison replaces no file that somebody else wrote.

    Args:
        folder: holds the checkpoints, and perhaps an earlier comparison.

    Raises:
        ValueError: its ``comparison.json`` or its ``README.md`` is not an earlier comparison.
    """
    for name, is_own in ((FILE, _is_comparison), (CARD, _is_card)):
        path = folder / name
        if exists(path) and not is_own(path):
            raise ValueError(
                f"{path} was not written by a comparison, which may replace only its own files: "
                "rename it"
            )


def _is_comparison(path: Path) -> bool:
    """Return whether a file has the parts of a comparison, also of an earlier version."""
    try:
        content = decode(read_regular(path, MAX_JSON_BYTES), dict[str, Any])
    except (OSError, ValueError):
        return False
    return {"models", "by_length", "joined"} <= content.keys()


def _is_card(path: Path) -> bool:
    """Return whether a file is a card to which nobody has added a text.

    Such a file begins with the first lines of a card and ends with a table.
    """
    try:
        text = read_regular(path, MAX_JSON_BYTES).decode(errors="replace").replace("\r\n", "\n")
    except OSError:
        return False
    return text.startswith(_HEAD_OF_CARD) and text.rstrip().endswith("|")


def save_comparison(folder: str | Path, comparison: Mapping[str, Any]) -> Path:
    """Write ``comparison.json`` beside the checkpoints, completely or not at all."""
    return write_json(Path(folder) / FILE, comparison)


def read_comparison(folder: str | Path) -> Comparison | None:
    """Read ``comparison.json``; None if there is no such file.

    Raises:
        CheckpointError: the file is damaged.
    """
    path = Path(folder) / FILE
    if not exists(path):
        return None
    remedy = "Remove it, and make it again with python -m model.compare."
    comparison = read_json(path, Comparison, remedy=remedy)
    texts = [*comparison["by_length"], *comparison["joined"]]
    if not all(comparison["models"].keys() <= text["bleu"].keys() for text in texts):
        raise CheckpointError(f"The file {path} is damaged (a score is missing). {remedy}")
    return comparison


def _fits(models: Sequence[AnyTranslationModel], text: str) -> bool:
    """Return whether all models can process the text."""
    return all(len(t.tokenizer.encode(text)) <= t.config.max_length for t in models)


def _scores(t: AnyTranslationModel, references: References) -> dict[str, Any]:
    """Return the scores of a model by greedy decoding and by beam search."""
    return {
        name: asdict(evaluate(t.model, t.tokenizer, references, beam=beam))
        for name, beam in (("greedy", 1), ("beam search", 4))
    }


def _measure(models: Sequence[AnyTranslationModel], references: References) -> Bucket:
    """Return number and lengths of some sentences, and the BLEU of each model on them."""
    lengths = [len(source.split()) for source in references]
    return {
        "words": (min(lengths), max(lengths)),
        "sentences": len(lengths),
        "mean_words": round(sum(lengths) / len(lengths), 1),
        "bleu": {t.name: evaluate(t.decoder, t.tokenizer, references).bleu for t in models},
    }


def _facts(t: AnyTranslationModel) -> dict[str, Any]:
    """Return the known facts about a model's training."""
    names = ("command", "seconds", "hardware", "epochs", "steps", "precision")
    facts = {name: t.training[name] for name in names if name in t.training}
    arch = config_to_json(t.config).get("arch", TRANSFORMER)
    return {"arch": arch, "n_parameters": t.n_parameters} | facts


def write_comparison_card(folder: Path, comparison: dict[str, Any]) -> None:
    """Write a comparison into the ``README.md`` of the checkpoints' folder."""
    names = list(comparison["models"])
    text = f"""{_HEAD_OF_CARD}{comparison["sentences"]:,} held-out sentences ({comparison["date"]}):

    {comparison["command"]}

{_models(comparison["models"])}

BLEU and chrF are those of `python -m model.evaluate`, against all references of a sentence.
{_commands_of_absent(folder, comparison["models"])}
## By length

Greedy BLEU on the sentences of one length (words of the source), against one reference each,
because short sentences have more references than long ones:

{_buckets("words", names, comparison["by_length"])}

Greedy BLEU on texts of several held-out sentences joined, against one reference each. The
sentences are drawn at random, the same ones for each row:

{_buckets("sentences joined (mean words)", names, comparison["joined"])}
"""
    write_text(folder / CARD, text)


def _models(models: dict[str, Any]) -> str:
    """Return a Markdown table with a row for each model: size, training and scores."""
    rows = []
    for name, facts in models.items():
        scores = " | ".join(
            f"{facts[decoding]['bleu']:.2f} | {facts[decoding]['chrf']:.2f}"
            for decoding in ("greedy", "beam search")
        )
        rows.append(f"| {name} | {facts['n_parameters']:,} | {_training(facts)} | {scores} |")
    head = "| model | parameters | training | BLEU | chrF | BLEU, beam 4 | chrF, beam 4 |"
    return "\n".join([head, "|---" * 7 + "|", *rows])


def _commands_of_absent(folder: Path, models: dict[str, Any]) -> str:
    """Return the training command of each compared model that has no folder here."""
    return "".join(
        f"\n{name} was trained only for this comparison, and is not kept here:\n\n"
        f"    {facts['command']}\n"
        for name, facts in models.items()
        if "command" in facts and not (folder / name).exists()
    )


def _training(facts: dict[str, Any]) -> str:
    """Return epochs, minutes and hardware of a training in words; "" if they are not known."""
    if "seconds" not in facts:
        return ""
    minutes = facts["seconds"] / 60
    return f"{facts['epochs']:.1f} epochs, {minutes:.1f} minutes on {facts['hardware']}"


def _buckets(first_column: str, names: list[str], buckets_of_texts: list[dict[str, Any]]) -> str:
    """Return a Markdown table with a row for each bucket and a column for each model.

    Args:
        first_column: the title of the first column.
        names: the models, in the order of the columns.
        buckets_of_texts: for each row its texts, their number, and the BLEU of each model.
    """
    head = f"| {first_column} | texts | {' | '.join(names)} |"
    rows = [
        f"| {_label(bucket)} | {bucket['sentences']:,} | "
        + " | ".join(f"{bucket['bleu'][name]:.1f}" for name in names)
        + " |"
        for bucket in buckets_of_texts
    ]
    return "\n".join([head, "|---" * (2 + len(names)) + "|", *rows])


def _label(bucket: dict[str, Any]) -> str:
    """Return the name of a bucket's row: how many words, or how many sentences are joined."""
    if "joined" in bucket:
        return f"{bucket['joined']} ({bucket['mean_words']:.1f})"
    first, last = bucket["words"]
    return f"{first} to {last}" if first != last else str(first)
