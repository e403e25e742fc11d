"""What the README files say of the shipped model is what its files and the model itself say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open

from model import TranslationModel, load
from model.trace.logit_lens import logit_lens
from ui.text.examples import DEFAULT_SENTENCE, SENTENCES

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"


@pytest.fixture(scope="module")
def t(shipped_checkpoint: Path) -> TranslationModel:
    return load(shipped_checkpoint)


@pytest.fixture(scope="module")
def card(shipped_checkpoint: Path) -> str:
    return (shipped_checkpoint / "README.md").read_text(encoding="utf-8")


def training(folder: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return dict(values["training"])


def test_the_card_shows_the_scores_that_were_measured(shipped_checkpoint: Path, card: str) -> None:
    rows = re.findall(r"^\| (test, [\w ]+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|", card, re.M)
    measured = training(shipped_checkpoint)["scores"]
    assert {row[0] for row in rows} == set(measured)
    for name, beam, bleu, chrf in rows:
        assert (int(beam), float(bleu), float(chrf)) == tuple(
            measured[name][key] for key in ("beam", "bleu", "chrf")
        )


def test_the_card_tells_the_architecture(t: TranslationModel, card: str) -> None:
    assert (t.config.n_layers, t.config.n_heads, t.config.d_model, t.config.d_ff) == (
        4,
        8,
        256,
        1024,
    )
    assert f"{t.n_parameters:,} parameters" in card


def test_the_data_is_attributed(card: str) -> None:
    for name in ("tatoeba.org", "manythings.org/anki", "CC BY 2.0 FR"):
        assert name in card


def test_the_weights_are_float16(shipped_checkpoint: Path) -> None:
    with safe_open(shipped_checkpoint / "model.safetensors", "pt") as file:
        names = list(file.keys())
        assert {file.get_slice(name).get_dtype() for name in names} == {"F16"}


def test_all_checkpoints_together_stay_small() -> None:
    size = sum(path.stat().st_size for path in CHECKPOINTS.rglob("*") if path.is_file())
    assert size < 100e6


def test_the_history_ends_where_the_training_ended(
    t: TranslationModel, shipped_checkpoint: Path
) -> None:
    assert t.history[-1]["step"] == training(shipped_checkpoint)["steps"]
    assert t.history[-1]["dev_bleu"] > max(line["dev_bleu"] for line in t.history) - 0.5


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("I am a student.", {"Je suis étudiant.", "Je suis étudiante."}),
        ("You are welcome.", {"Vous êtes bienvenus."}),
        (
            "The red house is near the white church.",
            {"La maison rouge est près de l'église blanche."},
        ),
        ("My name is Priya.", {"Je m'appelle Priya.", "Mon nom est Priya."}),
        ("my name is zhang wei", {"Je m'appelle Zhang Wei."}),
        ("Hello.", {"Bonjour.", "Bonjour !"}),
        ("hello", {"Bonjour.", "Bonjour !"}),
        ("Dog bites man.", {"Le chien mord l'homme.", "Un chien mord un homme."}),
        ("Man bites dog.", {"L'homme mord le chien.", "Un homme mord un chien."}),
        (
            "The animal didn't cross the street because it was too tired.",
            {"L'animal n'a pas traversé la rue parce qu'il était trop fatigué."},
        ),
        (
            "The animal didn't cross the street because it was too wide.",
            {"L'animal n'a pas traversé la rue parce qu'elle était trop large."},
        ),
        (
            "The agreement on the European Economic Area was signed in August 1992.",
            {"L'accord sur l'Espace économique européen a été signé en août 1992."},
        ),
        (DEFAULT_SENTENCE, {"Elle lui donna le livre qu'il avait demandé."}),
        ("I don't know where she lives.", {"Je ne sais pas où elle vit."}),
        ("We have to get up early tomorrow morning.", {"Nous devons nous lever tôt demain matin."}),
    ],
)
def test_classroom_sentences_come_out_right(
    t: TranslationModel, english: str, french: set[str]
) -> None:
    assert t.trace(english).target_text in french


def test_after_the_first_layer_the_lens_shows_the_token_just_read(t: TranslationModel) -> None:
    """As the caption of the logit lens says; the first token, <bos>, is never written."""
    assert t.config.tie_embeddings
    repeated = []
    for sentence in SENTENCES:
        trace = t.trace(sentence)
        first = logit_lens(t.model, trace, k=1).ids[0, 1:, 0]
        repeated += (first == np.array(trace.tgt_ids[1:-1])).tolist()
    assert np.mean(repeated) > 0.7
