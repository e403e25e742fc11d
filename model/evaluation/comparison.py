"""Several models on the same held-out sentences: overall, by length, and joined to long ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from model.checkpoint.architectures import TRANSFORMER, written
from model.checkpoint.provenance import whole_way
from model.data.references import References
from model.evaluation.evaluation import evaluate
from model.evaluation.scoring import score
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Count, Name, Number, Positive, Text, read_json, write_json
from model.files.regular_file import is_there
from model.translation_model import AnyTranslationModel

FILE = "comparison.json"
# Words at which a bucket begins: about equally many sentences each.
EDGES = (1, 4, 6, 8, 10, 13, 17, 10**9)
JOINED = (1, 2, 3, 4, 6, 8)
Report = Callable[[str], None]


class Scores(TypedDict):
    """Quality of a model, of all that ``Evaluation`` says."""

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
        "seconds": NotRequired[Positive],
        "hardware": NotRequired[Text],
        "epochs": NotRequired[Positive],
    },
)


class Bucket(TypedDict):
    """Scores of all models on some texts, each measured against one reference.

    ``words`` are (fewest, most) words of a source, ``mean_words`` the mean, ``bleu`` is greedy, by
    model.
    """

    words: tuple[Count, Count]
    sentences: Count
    mean_words: Number
    bleu: dict[Name, Number]


class OfLength(Bucket):
    """Sentences of one length: references that were used, and that there are on average."""

    references: Count
    available: Positive


class Joined(Bucket):
    """Texts of so many sentences."""

    joined: Count


class Comparison(TypedDict):
    """``comparison.json``."""

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
    n_joined: int = 200,
    report: Report = lambda _: None,
) -> dict[str, Any]:
    """Measure all models on the same sentences.

    Args:
        models: at least one, with different names.
        references: source -> its translations; what is too long for a model is left out.
        n_joined: texts of each number of joined sentences.
        report: told what is being measured.

    Returns:
        JSON values: ``models`` (facts and scores of each), ``by_length`` and ``joined`` (buckets;
        joined texts that are too long for a model are left out). In both every text has one
        reference: short sentences have more than long ones, and more references raise BLEU.

    Raises:
        ValueError: two models have one name.
    """
    names = [t.name for t in models]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"two models are called {twice[0]}: rename the folder of one")
    references = {s: found for s, found in references.items() if _fits(models, s)}
    facts = {}
    for t in models:
        report(f"{t.name}, the whole set")
        facts[t.name] = _facts(t) | _scores(t, references)
    by_length = []
    for bucket in buckets(references):
        report(f"{len(bucket)} sentences of one length")
        available = round(sum(map(len, bucket.values())) / len(bucket), 2)
        counted = {"references": 1, "available": available}
        by_length.append({**_measure(models, join(bucket, 1)), **counted})
    joined = []
    for n in JOINED:
        report(f"{n} sentences joined to one text")
        texts = {s: r for s, r in join(references, n).items() if _fits(models, s)}
        chosen = {source: texts[source] for source in list(texts)[:n_joined]}
        if chosen:
            joined.append({"joined": n, **_measure(models, chosen)})
    return {"models": facts, "by_length": by_length, "joined": joined}


def buckets(references: References) -> list[References]:
    """The sentences by the number of their words, short ones first; empty buckets are left out."""
    found = [
        {s: r for s, r in references.items() if first <= n_words(s) < after}
        for first, after in pairwise(EDGES)
    ]
    return [bucket for bucket in found if bucket]


def n_words(text: str) -> int:
    """Words between spaces.

    >>> n_words("You don't say!")
    3
    """
    return len(text.split())


def join(references: References, n: int) -> References:
    """Every n sentences that follow each other become one text, and so do their references.

    Only the first reference of each is used; sentences that are left over at the end are not.

    >>> join({"a.": ["A.", "B."], "c.": ["C."], "d.": ["D."]}, 2)
    {'a. c.': ['A. C.']}
    """
    pairs = [(source, targets[0]) for source, targets in references.items()]
    groups = [pairs[i : i + n] for i in range(0, len(pairs) - n + 1, n)]
    return {
        " ".join(source for source, _ in group): [" ".join(target for _, target in group)]
        for group in groups
    }


def save_comparison(folder: str | Path, comparison: Mapping[str, Any]) -> Path:
    """Write ``comparison.json`` beside the checkpoints, whole or not at all."""
    path = Path(folder) / FILE
    write_json(path, comparison)
    return path


def read_comparison(folder: str | Path) -> Comparison | None:
    """What ``save_comparison`` wrote; None if nothing was.

    Raises:
        CheckpointError: the file is damaged; the message says what to do.
    """
    path = Path(folder) / FILE
    if not is_there(path):
        return None
    remedy = "Make it again with python -m model.compare."
    comparison = read_json(path, Comparison, remedy=remedy)
    texts = [*comparison["by_length"], *comparison["joined"]]
    if not all(comparison["models"].keys() <= text["bleu"].keys() for text in texts):
        raise CheckpointError(f"The file {path} is damaged (a score is missing). {remedy}")
    return comparison


def _fits(models: Sequence[AnyTranslationModel], text: str) -> bool:
    """Whether no model finds the text too long."""
    return all(len(t.tokenizer.encode(text)) <= t.config.max_length for t in models)


def _scores(t: AnyTranslationModel, references: References) -> dict[str, Any]:
    return {
        name: asdict(evaluate(t.model, t.tokenizer, references, beam=beam))
        for name, beam in (("greedy", 1), ("beam search", 4))
    }


def _measure(models: Sequence[AnyTranslationModel], references: References) -> Bucket:
    """Greedy BLEU of all models on these texts."""
    lengths = [n_words(source) for source in references]
    bleu = {}
    for t in models:
        texts = [t.decode(hypothesis) for hypothesis in t.translate(list(references))]
        bleu[t.name] = round(score(texts, list(references.values())).bleu, 2)
    return {
        "words": (min(lengths), max(lengths)),
        "sentences": len(lengths),
        "mean_words": round(sum(lengths) / len(lengths), 1),
        "bleu": bleu,
    }


def _facts(t: AnyTranslationModel) -> dict[str, Any]:
    """How a model came about, as far as it is known."""
    known = ("command", "seconds", "hardware", "epochs", "steps", "precision")
    facts = {key: t.training[key] for key in known if key in t.training}
    whole = whole_way(t.training, [])
    counted = {
        key: whole[key] for key in ("seconds", "hardware", "epochs", "steps") if key in facts
    }
    arch = written(t.config).get("arch", TRANSFORMER)
    return {"arch": arch, "n_parameters": t.n_parameters} | facts | counted
