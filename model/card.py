"""The README of a checkpoint: what it is, how it was made, how good it is, whose data it saw."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_TATOEBA = (
    "Sentence pairs of the [Tatoeba project](https://tatoeba.org), put together by "
    "[manythings.org/anki](https://www.manythings.org/anki/), licence "
    "[CC BY 2.0 FR](https://creativecommons.org/licenses/by/2.0/fr/). The weights are shared "
    "under the same terms: name tatoeba.org and manythings.org/anki."
)
_UNKNOWN = "Look up the terms of these files before you share weights trained on them."


def write_card(folder: Path, training: dict[str, Any], architecture: dict[str, Any]) -> None:
    """Write ``README.md``.

    Args:
        folder: the checkpoint.
        training: the ``training`` part of its ``config.json``.
        architecture: the ``architecture`` part.
    """
    corpus, split, scores = training["corpus"], training["split"], training["scores"]
    files = ", ".join(corpus["files"])
    is_tatoeba = any(name.endswith("-eng.zip") for name in corpus["files"])
    rows = "\n".join(
        f"| {name} | {s['beam']} | {s['bleu']:.2f} | {s['chrf']:.2f} | {s['sentences']:,} |"
        for name, s in scores.items()
    )
    minutes = training["seconds"] / 60
    text = f"""# {folder.name}

An encoder-decoder Transformer with {architecture["n_layers"]} + {architecture["n_layers"]} layers,
{architecture["n_heads"]} heads, d_model {architecture["d_model"]}, d_ff {architecture["d_ff"]},
{training["n_parameters"]:,} parameters, {architecture["norm"]}-norm; float16 weights.

## Scores

| split, decoding | beam | BLEU | chrF | sentences |
|---|---|---|---|---|
{rows}

All references of a sentence that the corpus has are used. Reproduce the first line with

    python -m model.evaluate --checkpoint checkpoints/{folder.name} --split test --corpus {files}

BLEU: `{next(iter(scores.values()))["bleu_signature"]}`;
chrF: `{next(iter(scores.values()))["chrf_signature"]}`.

## Training

    {training["command"]}

{training["steps"]:,} steps in {minutes:.0f} minutes on {training["hardware"]}, in
{training["precision"]}. One pass visits every source sentence once, with one of its translations;
the run made {training["passes"]:.1f} passes.

## Data

{files} (SHA-256 `{corpus["sha256"]}`): {corpus["summary"]}. Split by the hash of the source
sentence: {split["train"]:,} train pairs, {split["dev"]:,} dev and {split["test"]:,} test sentences;
{split["leaking"]:,} pairs were left out of train because they share a target with a held-out
sentence.

{_TATOEBA if is_tatoeba else _UNKNOWN}
"""
    (folder / "README.md").write_text(text, encoding="utf-8")
