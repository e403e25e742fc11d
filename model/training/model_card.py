"""The README of a checkpoint: what it is, how it was made, how good it is, whose data it saw."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from model.files.replacing import write_text

_TATOEBA = (
    "Sentence pairs of the [Tatoeba project](https://tatoeba.org), put together by "
    "[manythings.org/anki](https://www.manythings.org/anki/), licence "
    "[CC BY 2.0 FR](https://creativecommons.org/licenses/by/2.0/fr/). The weights are shared "
    "under the same terms: name tatoeba.org and manythings.org/anki."
)
_3AM = (
    "Captions of [3AM](https://github.com/MaxyLee/3AM) (commit ce80997), English and Chinese, "
    "licence MIT as stated there."
)
_OF = {"-eng.zip": _TATOEBA, "3am.en-zh.tsv.gz": _3AM}
_UNKNOWN = "Look up the terms of these files before you share weights trained on them."


def write_card(
    folder: Path, name: str, training: dict[str, Any], architecture: dict[str, Any]
) -> None:
    """Write ``README.md`` into a folder, after both parts of the checkpoint's ``config.json``."""
    corpus, split, scores = training["corpus"], training["split"], training["scores"]
    files = ", ".join(corpus["files"])
    sentences = corpus.get("options") or f"--corpus {' '.join(corpus['files'])}"
    minutes = training["seconds"] / 60
    text = f"""# {name}

{_description(architecture)}
{training["n_parameters"]:,} parameters; float16 weights.

{_scores(name, sentences, scores) if scores else "The corpus was too small for a test split."}
{_robustness(name, sentences, training.get("robustness"))}
## Training

    {training["command"]}

{training["steps"]:,} steps in {minutes:.1f} minutes on {training["hardware"]}, in
{training["precision"]}. One epoch visits every source sentence once, with one of its translations;
the run made {training["epochs"]:.1f} epochs.
{_begun_with(training)}{_changes(training["settings_history"])}
## Data

{files} (SHA-256 `{corpus["sha256"]}`): {corpus["summary"]}. Split by the hash of the source
sentence: {split["train"]:,} train pairs, {split["dev"]:,} dev and {split["test"]:,} test sentences;
{split["leaking"]:,} pairs were left out of train because they share a target with a held-out
sentence.

{_terms(corpus["files"])}
"""
    write_text(folder / "README.md", text)


def _terms(files: Sequence[str]) -> str:
    """On which terms each of these files is there, one paragraph for all that are alike."""
    found = (
        next((terms for ending, terms in _OF.items() if file.endswith(ending)), _UNKNOWN)
        for file in files
    )
    return "\n\n".join(dict.fromkeys(found))


_RECURRENT = {
    "seq2seq": "A recurrent encoder-decoder with one fixed context vector (Cho et al. 2014):",
    "luong": "A recurrent encoder-decoder with dot-product attention (Luong et al. 2015):",
    "bahdanau": "A recurrent encoder-decoder with additive attention (Bahdanau et al. 2015):",
}


def _description(architecture: dict[str, Any]) -> str:
    if "arch" in architecture:
        return (
            f"{_RECURRENT[architecture['arch']]}\n{architecture['cell'].upper()} cells, d_hidden "
            f"{architecture['d_hidden']}, d_model {architecture['d_model']}."
        )
    layers = architecture["n_layers"]
    return (
        f"An encoder-decoder Transformer with {layers} + {layers} layers, "
        f"{architecture['n_heads']} heads,\nd_model {architecture['d_model']}, "
        f"d_ff {architecture['d_ff']}, {architecture['norm']}-norm."
    )


def _begun_with(training: dict[str, Any]) -> str:
    if not training.get("begun_with"):
        return ""
    text = f"\nIt began with the weights of {training['begun_with']}\n"
    if " --new-vocabulary " in training["command"]:
        text += "\nIts vocabulary is its own: subwords that are spelled alike kept their weights.\n"
    return text


def _changes(settings_history: list[dict[str, Any]]) -> str:
    """A paragraph on settings that were changed while the training was resumed."""
    if len(settings_history) == 1:
        return ""
    lines = ["", "The command shows the settings at the end. They were changed on the way:", ""]
    for old, new in pairwise(settings_history):
        changed = (key for key in new if key != "from_step" and new[key] != old.get(key))
        names = ", ".join(f"{key} {new[key]} (was {old.get(key, 'no setting')})" for key in changed)
        lines.append(f"- from step {new['from_step']:,}: {names}")
    return "\n".join([*lines, ""])


def _robustness(name: str, sentences: str, found: dict[str, Any] | None) -> str:
    """What ``model.evaluate --robustness --save`` has measured, if it has."""
    if found is None:
        return ""
    rows = [f"| BLEU, {variant} | {bleu:.2f} |" for variant, bleu in found["bleu"].items()]
    if (kept := found.get("quantities")) is not None:
        what = "prices, times and dates, as the target language writes them"
        rows.insert(0, f"| {what} | {kept} % |")
    measured = "\n".join(rows)
    return f"""
## Robustness

| test, greedy | |
|---|---|
| names that no training has seen, kept | {found["names"]:.1f} % |
| numbers kept | {found["numbers"]:.1f} % |
{measured}
| translations that stop at the length limit | {found["unfinished"]:.1f} % |
| translations that say the same three times | {found["repeating"]:.1f} % |

The same test sentences as they are, as people type them, and several as one text.
Names, numbers, prices, times and dates stand in sentences made for them; numbers have
one to four digits. To measure again:

    python -m model.evaluate --checkpoint checkpoints/{name} --robustness \\
        --split test {sentences}
"""


def _scores(name: str, sentences: str, scores: dict[str, dict[str, Any]]) -> str:
    rows = "\n".join(
        f"| {split} | {s['beam']} | {s['bleu']:.2f} | {s['chrf']:.2f} | {s['sentences']:,} |"
        for split, s in scores.items()
    )
    first = next(iter(scores.values()))
    return f"""## Scores

| split, decoding | beam | BLEU | chrF | sentences |
|---|---|---|---|---|
{rows}

Against all references of a sentence that the corpus has. To measure again, with the
beam of the line:

    python -m model.evaluate --checkpoint checkpoints/{name} --split test \\
        {sentences} --beam 1

BLEU: `{first["bleu_signature"]}`; chrF: `{first["chrf_signature"]}`."""
