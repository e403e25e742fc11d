"""The README files agree with the files and the results of the shipped models."""

import json
import re

import numpy as np
import pytest
import torch
from safetensors import safe_open

from model.checkpoint.checkpoint import read_history
from model.corpora.chinese import is_chinese
from model.heads.analysis_card import section
from model.heads.analysis_file import read_analysis
from model.trace.logit_lens import logit_lens
from tests.claims.conftest import CHECKPOINTS, model_of, training, written
from tests.ui.app import open_page, text_of
from ui.text.examples import DEFAULT_SENTENCE, SENTENCES
from ui.text.translator import translator

FRENCH = {
    "I am a student.": {"Je suis étudiant.", "Je suis étudiante."},
    "You are welcome.": {
        "Vous êtes bienvenus.",
        "Vous êtes bienvenues.",
        "Tu es bienvenu.",
        "Tu es bienvenue.",
    },
    "The red house is near the white church.": {"La maison rouge est près de l'église blanche."},
    "My name is Priya.": {"Je m'appelle Priya.", "Mon nom est Priya."},
    "my name is zhang wei": {"Je m'appelle Zhang Wei."},
    "Hello.": {"Bonjour.", "Bonjour !"},
    "hello": {"Bonjour.", "Bonjour !", "bonjour"},
    "Dog bites man.": {"Le chien mord l'homme.", "Un chien mord un homme."},
    "Man bites dog.": {"L'homme mord le chien.", "Un homme mord un chien."},
    "The animal didn't cross the street because it was too tired.": {
        "L'animal n'a pas traversé la rue parce qu'il était trop fatigué."
    },
    "The animal didn't cross the street because it was too wide.": {
        "L'animal n'a pas traversé la rue parce qu'elle était trop large."
    },
    "The agreement on the European Economic Area was signed in August 1992.": {
        "L'accord sur l'Espace économique européen a été signé en août 1992."
    },
    DEFAULT_SENTENCE: {"Elle lui donna le livre qu'il avait demandé."},
    "I don't know where she lives.": {"Je ne sais pas où elle vit."},
    "We have to get up early tomorrow morning.": {"Nous devons nous lever tôt demain matin."},
}
CHINESE = {
    "hello": {"你好。", "你好！", "你好"},
    "I am a student.": {"我是学生。", "我是个学生。", "我是一个学生。", "我是一名学生。"},
    "My name is Priya.": {"我叫 Priya。", "我的名字是 Priya。"},
    "She has three books.": {"她有三本书。"},
    "Do you like tea?": {"你喜欢茶吗？", "你喜欢喝茶吗？"},
    "Man bites dog.": {"男人咬了狗。", "男子咬了狗。", "男人咬狗。", "男人咬着狗。"},
    "Dog bites man.": {"狗咬了男人。", "狗咬伤男人。", "狗咬着人。", "狗咬人。"},
}
SMALL = {
    "hello": {"Bonjour.", "Bonjour !"},
    "I am a student.": {"Je suis étudiant."},
    "My name is Priya.": {"Je m'appelle Priya."},
    "Dog bites man.": {"Le chien mord l'homme."},
}


@pytest.mark.parametrize("name", ["en-fr", "en-zh"])
def test_the_card_shows_the_measured_scores_and_the_sources_of_the_data(name: str) -> None:
    card = (CHECKPOINTS / name / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (test, [\w ]+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|", card, re.M)
    measured = training(name)["scores"]
    assert {row[0] for row in rows} == set(measured)
    for scores in measured.values() if name == "en-zh" else ():
        # With sacrebleu's other tokenizers, a word is a whole Chinese sentence: BLEU 0.4 in place
        # of 31.8.
        assert "tok:zh" in scores["bleu_signature"]
        assert scores["bleu_signature"] in card
        assert scores["bleu"] > 22
    for decoding, beam, bleu, chrf in rows:
        assert (int(beam), float(bleu), float(chrf)) == tuple(
            measured[decoding][key] for key in ("beam", "bleu", "chrf")
        )
    assert section(read_analysis(CHECKPOINTS / name)) in card
    assert f"{model_of(name).n_parameters:,} parameters" in card
    for source in ("tatoeba.org", "manythings.org/anki", "CC BY 2.0 FR"):
        assert source in card
    assert name != "en-zh" or ("3AM" in card and "MIT" in card)
    with safe_open(CHECKPOINTS / name / "model.safetensors", "pt") as file:
        assert {file.get_slice(key).get_dtype() for key in file.keys()} == {"F16"}  # noqa: SIM118


def test_all_checkpoints_together_stay_small() -> None:
    size = sum(path.stat().st_size for path in CHECKPOINTS.rglob("*") if path.is_file())
    assert size < 100e6


def test_architecture_and_history_are_as_the_documents_say() -> None:
    config = json.loads((CHECKPOINTS / "en-fr" / "config.json").read_text("utf-8"))["architecture"]
    sizes = {"n_layers": 4, "n_heads": 8, "d_model": 256, "d_ff": 1024}
    assert {name: config[name] for name in sizes} == sizes
    history = read_history(CHECKPOINTS / "en-fr")
    assert history[-1]["step"] == training("en-fr")["steps"]
    # the model is the mean of three trainings; each of them ended near its best score
    settings = training("en-fr")["settings_history"]
    assert len(settings) == 3
    for begin, end in ((entry["from_step"], entry["steps"]) for entry in settings):
        *_, last = scores = [line["dev_bleu"] for line in history if begin < line["step"] <= end]
        assert last > max(scores) - 0.5


@pytest.mark.parametrize(
    ("name", "expected"), [("en-fr", FRENCH), ("en-zh", CHINESE), ("en-fr-small", SMALL)]
)
def test_classroom_sentences_are_translated_correctly(
    name: str, expected: dict[str, set[str]]
) -> None:
    texts = list(expected)
    translations = dict(zip(texts, written(model_of(name), texts, right=expected), strict=True))
    assert {
        text: translations[text] for text in expected if translations[text] not in expected[text]
    } == {}


@pytest.mark.parametrize("name", ["en-fr", "en-zh", "en-fr-small"])
def test_after_the_first_layer_the_lens_shows_the_token_just_read(name) -> None:
    """As the caption of the logit lens says. <bos>, the first token read, is left out.

    The first layer changes the length of a vector a lot, but its direction only partly.
    """
    t = model_of(name)
    assert t.config.tie_embeddings
    repeated = []
    cosines = []
    for sentence in SENTENCES[:4]:
        trace = t.trace(sentence)
        first = logit_lens(t.model, trace, k=1).ids[0, 1:, 0]
        repeated += (first == np.array(trace.tgt_ids[1:-1])).tolist()
        before = trace.records["decoder.embedded"]
        after = trace.records["decoder.0.resid_post"]
        lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        cosines += ((before * after).sum(axis=1) / lengths).tolist()
    assert np.mean(repeated) > 0.6
    assert 0.5 < np.mean(cosines) < 0.9


def test_the_caption_of_the_logit_lens_says_how_far_the_first_layer_turns_a_vector(t) -> None:
    trace = t.trace(DEFAULT_SENTENCE)
    before, after = (
        torch.tensor(trace.records[name]) for name in ("decoder.embedded", "decoder.0.resid_post")
    )
    cosine = torch.nn.functional.cosine_similarity(before, after).mean()
    app = open_page("pages/explorer.py", sentence=DEFAULT_SENTENCE, panel="logit_lens")
    assert translator("en")("logit_lens.shared", cosine=f"{cosine:.2f}") in text_of(app)


def test_each_chinese_character_is_a_separate_token() -> None:
    trace = model_of("en-zh").trace("I bought a book yesterday.")
    chinese = [token for token in trace.next_tokens if is_chinese(token)]
    assert len(chinese) > 4
    assert all(len(token) == 1 for token in chinese)
    assert "".join(chinese) in trace.target_text
