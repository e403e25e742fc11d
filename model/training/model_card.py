"""Write the README of a checkpoint: the model, its scores, its training and its data."""

import shlex
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from model.files.path_argument import path_argument
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
_TERMS_BY_ENDING = {"-eng.zip": _TATOEBA, "3am.en-zh.tsv.gz": _3AM}
_UNKNOWN_TERMS = "Look up the terms of these files before you share weights trained on them."


def write_card(
    folder: Path, name: str, training: dict[str, Any], architecture: dict[str, Any]
) -> None:
    """Write the model card ``README.md``.

    Args:
        folder: where to write it.
        name: the model's.
        training: the part "training" of the checkpoint's ``config.json``.
        architecture: the part "architecture".
    """
    corpus = training["corpus"]
    split = training["split"]
    scores = training["scores"]
    files = ", ".join(corpus["files"])
    sentences = corpus.get("options")
    if not sentences:
        sentences = shlex.join(["--corpus", *map(path_argument, corpus["files"])])
    minutes = training["seconds"] / 60
    text = f"""# {name}

{_description(architecture)}
{training["n_parameters"]:,} parameters; float16 weights.

{_scores(name, sentences, scores) if scores else "The corpus was too small for a test split."}
{_robustness(name, sentences, training.get("robustness"))}
## Training

    {training["command"]}

{training["steps"]:,} steps in {minutes:.1f} minutes on {training["hardware"]}, in
{training["precision"]}. One epoch visits every source sentence of the corpora once, with one of its
translations, and some of the pairs written for this project (`--written`) several times;
the run made {training["epochs"]:.1f} epochs.
{_begun_with(training)}{_averaged(training)}{_earlier(training)}{_changes(training["settings_history"])}
## Data

{files} (SHA-256 `{corpus["sha256"]}`): {corpus["summary"]}. Split by the hash of the source
sentence: {split["train"]:,} train pairs, {split["dev"]:,} dev and {split["test"]:,} test sentences;
{split["leaking"]:,} pairs were left out of train because they share a target with a held-out
sentence.

{_terms(corpus["files"])}
"""
    write_text(folder / "README.md", text)


def _terms(files: Sequence[str]) -> str:
    """Return the terms of use of the corpus files, without repeated paragraphs."""
    paragraphs = []
    for file in files:
        terms = _UNKNOWN_TERMS
        for ending, known_terms in _TERMS_BY_ENDING.items():
            if file.endswith(ending):
                terms = known_terms
        if terms not in paragraphs:
            paragraphs.append(terms)
    return "\n\n".join(paragraphs)


_ORDINALS = {2: "second", 3: "third"}
_RECURRENT = {
    "seq2seq": "A recurrent encoder-decoder with one fixed context vector (Cho et al. 2014):",
    "luong": "A recurrent encoder-decoder with dot-product attention (Luong et al. 2015):",
    "bahdanau": "A recurrent encoder-decoder with additive attention (Bahdanau et al. 2015):",
}


def _description(architecture: dict[str, Any]) -> str:
    """Return what architecture the model has, and its sizes."""
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
    """Return a paragraph on the initial weights; "" if they were random."""
    if not training.get("begun_with"):
        return ""
    text = f"\nThe training began with the weights of {training['begun_with']}\n"
    if " --new-vocabulary " in training["command"]:
        text += "\nIts vocabulary is its own: subwords that are spelled alike kept their weights.\n"
    return text


def _averaged(training: dict[str, Any]) -> str:
    """Return a paragraph on how the weights were averaged; "" if they were not."""
    if "averaged" not in training:
        return ""
    return f"\nThe weights are a mean: {training['averaged']}\n"


def _earlier(training: dict[str, Any]) -> str:
    """Return a paragraph for each earlier training, the newest first; "" if there was none."""
    paragraphs = []
    for origin in reversed(training.get("earlier", [])):
        if "begun_with" in origin:
            paragraphs.append(f"\nThat training began with {origin['begun_with']}\n")
        if "averaged" in origin:
            paragraphs.append(f"\nIts weights were a mean: {origin['averaged']}\n")
    return "".join(paragraphs)


def _changes(settings_history: list[dict[str, Any]]) -> str:
    """Return a paragraph on settings that changed when the training run was resumed."""
    if len(settings_history) == 1:
        return ""
    lines = [
        "",
        "The command shows the last settings. These settings changed during the training:",
        "",
    ]
    n_trainings = 1
    for old, new in pairwise(settings_history):
        # The steps of several trainings are counted on, see ``model.average``.
        begins_a_training = new["from_step"] == old.get("steps")
        without = ("from_step", "steps") if begins_a_training else ("from_step",)
        changed = (key for key in new if key not in without and new[key] != old.get(key))
        names = ", ".join(f"{key} {new[key]} (was {old.get(key, 'no setting')})" for key in changed)
        begin = ""
        if begins_a_training:
            n_trainings += 1
            ordinal = _ORDINALS.get(n_trainings, f"{n_trainings}th")
            begin = f", where the {ordinal} training began"
        lines.append(f"- from step {new['from_step']:,}{begin}: {names}")
    return "\n".join([*lines, ""])


def _robustness(name: str, sentences: str, robustness: dict[str, Any] | None) -> str:
    """Return a paragraph with the results of ``model.evaluate --robustness --save``.

    Args:
        name: the model's.
        sentences: the options that say which sentences, to measure again.
        robustness: None if it was not measured.
    """
    if robustness is None:
        return ""
    rows = []
    quantities = robustness.get("quantities")  # None if no quantities exist for these languages
    if quantities is not None:
        rows.append(
            f"| prices, times and dates, as the target language writes them | {quantities} % |"
        )
    for variant, bleu in robustness["bleu"].items():
        rows.append(f"| BLEU, {variant} | {bleu:.2f} |")
    measured = "\n".join(rows)
    folder = shlex.quote(f"checkpoints/{name}")
    return f"""
## Robustness

| test, greedy | |
|---|---|
| unseen names kept | {robustness["names"]:.1f} % |
| numbers kept | {robustness["numbers"]:.1f} % |
{measured}
| translations that stop at the length limit | {robustness["unfinished"]:.1f} % |
| translations that repeat subwords three times in a row | {robustness["repeating"]:.1f} % |

BLEU is measured on the test sentences: unchanged, in the ways in which people type them, and
joined into longer texts. Names, numbers, prices, times and dates are tested in sentences that
were written for them; the numbers have one to four digits. To measure again:

    python -m model.evaluate --checkpoint {folder} --robustness \\
        --split test {sentences}
"""


def _scores(name: str, sentences: str, scores: dict[str, dict[str, Any]]) -> str:
    """Return the table of scores.

    Args:
        name: the model's.
        sentences: the options that say which sentences, to measure again.
        scores: by split and decoding; at least one.
    """
    rows = "\n".join(
        f"| {split} | {score['beam']} | {score['bleu']:.2f} | {score['chrf']:.2f} | "
        f"{score['sentences']:,} |"
        for split, score in scores.items()
    )
    first = next(iter(scores.values()))
    folder = shlex.quote(f"checkpoints/{name}")
    return f"""## Scores

| split, decoding | beam | BLEU | chrF | sentences |
|---|---|---|---|---|
{rows}

The references of a sentence are all its translations in the corpus. To measure a row again,
give its beam to `--beam`:

    python -m model.evaluate --checkpoint {folder} --split test \\
        {sentences} --beam 1

BLEU: `{first["bleu_signature"]}`; chrF: `{first["chrf_signature"]}`."""
