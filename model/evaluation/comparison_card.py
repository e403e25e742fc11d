"""The README of the folder that holds all checkpoints: how they compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from model.files.replacing import write_text


def write_comparison_card(folder: Path, comparison: dict[str, Any]) -> None:
    """Write ``README.md``.

    Args:
        folder: that of the checkpoints.
        comparison: as ``model.compare`` gives it.
    """
    names = list(comparison["models"])
    text = f"""# Checkpoints

A folder for each trained model; its own README.md says how it was made, from which data and under
which licence. Compared on {comparison["sentences"]:,} held-out sentences ({comparison["date"]}):

    {comparison["command"]}

{_models(comparison["models"])}

BLEU and chrF are those of `python -m model.evaluate`, against all references of a sentence.
{_not_kept(folder, comparison["models"])}
## By length

Greedy BLEU on the sentences of one length (words of the source), against one reference each, since
short sentences have more of them:

{_buckets(names, comparison["by_length"], "words")}

Greedy BLEU on texts of several held-out sentences joined, against one reference each:

{_buckets(names, comparison["joined"], "joined")}
"""
    write_text(folder / "README.md", text)


def _models(models: dict[str, Any]) -> str:
    """Size, training and scores."""
    rows = []
    for name, facts in models.items():
        scores = " | ".join(
            f"{facts[decoding]['bleu']:.2f} | {facts[decoding]['chrf']:.2f}"
            for decoding in ("greedy", "beam search")
        )
        rows.append(f"| {name} | {facts['n_parameters']:,} | {_training(facts)} | {scores} |")
    head = "| model | parameters | training | BLEU | chrF | BLEU, beam 4 | chrF, beam 4 |"
    return "\n".join([head, "|---" * 7 + "|", *rows])


def _not_kept(folder: Path, models: dict[str, Any]) -> str:
    """How to make again what was measured and has no folder here."""
    return "".join(
        f"\n{name} was trained to be compared, and is not kept here:\n\n    {facts['command']}\n"
        for name, facts in models.items()
        if "command" in facts and not (folder / name).exists()
    )


def _training(facts: dict[str, Any]) -> str:
    if "seconds" not in facts:
        return ""
    minutes = facts["seconds"] / 60
    return f"{facts['epochs']:.1f} epochs, {minutes:.0f} minutes on {facts['hardware']}"


def _buckets(names: list[str], found: list[dict[str, Any]], kind: str) -> str:
    """A row for each bucket, a column for each model."""
    first = "words" if kind == "words" else "sentences joined (mean words)"
    head = f"| {first} | texts | {' | '.join(names)} |"
    rows = [
        f"| {_label(bucket, kind)} | {bucket['sentences']:,} | "
        + " | ".join(f"{bucket['bleu'][name]:.1f}" for name in names)
        + " |"
        for bucket in found
    ]
    return "\n".join([head, "|---" * (2 + len(names)) + "|", *rows])


def _label(bucket: dict[str, Any], kind: str) -> str:
    if kind == "joined":
        return f"{bucket['joined']} ({bucket['mean_words']:.1f})"
    first, last = bucket["words"]
    return f"{first} to {last}" if first != last else str(first)
