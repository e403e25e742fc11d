"""Models of the Hub translate like the library's ``generate``, greedily and with beams."""

from pathlib import Path
from typing import Any

import pytest
import torch

from model.decoding.beam import best_translations
from model.decoding.beam_tree import beam_tree
from model.decoding.greedy import Hypothesis, decode_steps, greedy, length_limits
from model.decoding.modified import ModifiedTransformer
from model.decoding.sampling import sample
from model.hub.model import HubTransformer
from model.tokenizers.tokenizer import SpecialIds, end_ids
from model.translation_model import TranslationModel, load_transformer
from tests.conftest import change_json
from tests.hub_models import SHAPES, save_folder
from tests.reference.test_hub_models import batch, close, library_model, opened

BEAMS = (1, 2, 4)
OTHER_EOS = 9  # of models with two
FAMILIES = ("marian", "m2m_100", "mbart", "bart", "t5")
SETTINGS: dict[str, dict[str, Any]] = {  # settings of generation_config.json
    "as they are": {},
    "longer": {"length_penalty": 2.0},
    "shorter, to the end": {"length_penalty": 0.3, "early_stopping": "never"},
    "stops early": {"early_stopping": True},
    "no repetition": {"no_repeat_ngram_size": 2},
    "forbidden words": {"bad_words_ids": [[7], [8, 9]], "suppress_tokens": [12]},
    "at least nine": {"min_length": 9},
    "begins with 5": {"forced_bos_token_id": 5},
    "repeats unwillingly": {"repetition_penalty": 1.7},
}


def _ids(model: HubTransformer) -> SpecialIds:
    settings = model.library_model.generation_config
    ends = settings.eos_token_id
    eos_id, *others = ends if isinstance(ends, list) else [ends]
    return {
        "pad_id": settings.pad_token_id,
        "bos_id": settings.decoder_start_token_id,
        "eos_id": eos_id,
        "other_eos_ids": tuple(others),
        "first_id": settings.forced_bos_token_id,
    }


def _endings(eos_id: int, bias: float) -> dict[str, Any]:
    """Return settings that give random models translations of different lengths."""
    return {"sequence_bias": [[[eos_id], bias]], "no_repeat_ngram_size": 3, "min_length": 4}


def _translate(
    shape: str, beam: int, settings: dict[str, Any], bias: float = 1.0
) -> tuple[HubTransformer, list[Hypothesis]]:
    """Translate two sources in one batch."""
    model = opened(shape)
    eos_id = model.library_model.config.eos_token_id
    model.library_model.generation_config.update(**(_endings(eos_id, bias) | settings))
    src, _, _ = batch(model)
    return model, best_translations(model, src, beam=beam, **_ids(model))


def _compare(
    shape: str, beam: int, settings: dict[str, Any], bias: float = 1.0
) -> list[Hypothesis]:
    """Compare with the library, which translates each source separately."""
    model, translations = _translate(shape, beam, settings, bias)
    library = library_model(shape)
    library.generation_config = model.library_model.generation_config
    src, _, _ = batch(model)
    ids = _ids(model)
    limits = length_limits(model, src, ids["pad_id"]).tolist()
    for row, limit, translation in zip(src, limits, translations, strict=True):
        alone = row[row != ids["pad_id"]][None]
        expected = library.generate(alone, num_beams=beam, do_sample=False, max_new_tokens=limit)[
            0, 1:
        ].tolist()
        ends = end_ids(ids)
        lengths = [n for n, id in enumerate(expected, start=1) if id in ends]
        expected = expected[: min(lengths, default=limit)]
        assert list(translation.ids) == expected
        assert translation.finished == (expected[-1] in ends)
    return translations


@pytest.mark.parametrize("beam", BEAMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_translates_like_the_library(shape: str, beam: int) -> None:
    for bias in (1.0, 4.0):
        _compare(shape, beam, {}, bias)


@pytest.mark.parametrize("beam", BEAMS)
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("shape", [f"{FAMILIES[0]}, two vocabularies", *FAMILIES[1:]])
@pytest.mark.slow
def test_settings_of_a_model_are_followed(shape: str, name: str, beam: int) -> None:
    _compare(shape, beam, SETTINGS[name])


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_a_model_are_followed_with_three_beams(name: str) -> None:
    _compare("t5, one head", 3, SETTINGS[name])


@pytest.mark.parametrize("beam", BEAMS)
@pytest.mark.parametrize("shape", FAMILIES)
def test_each_of_several_eos_ends_a_translation(shape: str, beam: int) -> None:
    eos_id = opened(shape).library_model.config.eos_token_id
    bias = [[[eos_id], 1.0], [[OTHER_EOS], 4.0]]
    settings = {"eos_token_id": [eos_id, OTHER_EOS], "sequence_bias": bias}
    last_ids = {translation.ids[-1] for translation in _compare(shape, beam, settings)}
    assert OTHER_EOS in last_ids


def test_settings_change_the_translation() -> None:
    """If they did not, the comparisons above would prove nothing."""
    shapes = ("t5, one head", "t5", "marian, one head", "m2m_100, one head")
    usual = [_translate(shape, 3, {})[1] for shape in shapes]
    for name, settings in SETTINGS.items():
        if name not in ("as they are", "stops early"):
            assert [_translate(shape, 3, settings)[1] for shape in shapes] != usual, name


def test_settings_for_sampling_leave_the_distribution_of_the_next_token_unchanged() -> None:
    """Many models of the Hub come with such settings. The pages show what the model computes."""
    model = opened("t5, one head")
    for_sampling = {"do_sample": True, "temperature": 0.5, "top_k": 3, "top_p": 0.4}
    model.library_model.generation_config.update(**for_sampling)
    logits = torch.randn(1, model.library_model.config.vocab_size)
    restricted = model.restrict(torch.tensor([[_ids(model)["bos_id"], 5]]), logits.clone())
    assert torch.equal(restricted, logits)


def test_beam_search_finds_other_and_more_probable_translations() -> None:
    gains = []
    for shape in ("t5", "marian", "marian, one head", "m2m_100, one head"):
        _, greedy_search = _translate(shape, 1, {})
        _, beam_search = _translate(shape, 4, {})
        for by_greedy, by_beam in zip(greedy_search, beam_search, strict=True):
            gains.append(
                by_beam.log_prob / len(by_beam.ids) - by_greedy.log_prob / len(by_greedy.ids)
            )
    assert sum(gain > 0.01 for gain in gains) > len(gains) / 2


@torch.inference_mode()
@pytest.mark.parametrize("beam", BEAMS)
def test_log_probabilities_are_those_of_the_model(beam: int) -> None:
    model = opened("mbart")
    src, src_mask, _ = batch(model)
    ids = _ids(model)
    for row, translation in enumerate(best_translations(model, src, beam=beam, **ids)):
        tgt = torch.tensor([[ids["bos_id"], *translation.ids[:-1]]])
        log_probs = model(src[[row]], tgt, src_mask[[row]])[0].log_softmax(dim=-1)
        expected = log_probs[range(len(translation.ids)), list(translation.ids)]
        close(translation.log_probs, expected, torch.float64)


@pytest.fixture(scope="module", params=["marian", "nllb"])
def model(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> TranslationModel:
    folder = tmp_path_factory.mktemp("hub") / request.param
    return load_transformer(save_folder(request.param, folder, init_std=0.3))


@pytest.mark.parametrize("beam", BEAMS[1:])
@pytest.mark.usefixtures("short_texts")
def test_the_tree_shows_the_search_that_found_the_translation(
    model: TranslationModel, beam: int
) -> None:
    text = "I see a cat."
    src = model.tokenizer.encode_ids([text])[0]
    nodes = beam_tree(model.model, model.tokenizer, src, beam=beam)
    [best] = model.translate([text], beam=beam)

    winners = [node for node in nodes if node.best]
    assert [node.token for node in winners] == list(best.ids)
    assert all(node.in_beam for node in winners)
    log_probs = list(best.log_probs)
    if model.tokenizer.special_ids.get("first_id") is not None:
        # the search gives the language token, which is forced, the probability 1
        log_probs[0] = 0.0
    assert winners[-1].score == pytest.approx(sum(log_probs) / len(best.ids), abs=1e-4)

    for step in range(1, 1 + max(node.step for node in nodes)):
        column = [node for node in nodes if node.step == step]
        assert [node.slot for node in column] == [*range(len(column))]
        scores = [node.score for node in column]
        assert scores == sorted(scores, reverse=True)
        before = {node.slot: node for node in nodes if node.step == step - 1}
        for node in column[:beam]:
            assert step == 1 or before[node.parent].in_beam


def _with_two_eos(folder: Path, bias: float) -> tuple[TranslationModel, list[int]]:
    """Return a model that ends with EOS or with another token, and a source.

    Args:
        folder: where the model is saved.
        bias: makes the other token more probable.
    """

    def change(settings: dict[str, Any]) -> None:
        settings["eos_token_id"] = [settings["eos_token_id"], OTHER_EOS]
        settings |= {"sequence_bias": [[[OTHER_EOS], bias]], "min_length": 4}

    save_folder("marian", folder, init_std=0.3)
    change_json(folder / "generation_config.json", change)
    t = load_transformer(folder)
    return t, t.tokenizer.encode_ids(["I see a cat."])[0]


@pytest.mark.usefixtures("short_texts")
def test_a_folder_may_name_several_tokens_that_end_a_translation(tmp_path: Path) -> None:
    t, src = _with_two_eos(tmp_path / "marian", bias=8.0)
    for beam in (1, 3):
        trace = t.trace("I see a cat.", beam=beam)
        assert trace.tgt_ids[-1] == OTHER_EOS
        assert not trace.truncated
    steps = decode_steps(t.model, torch.tensor([src]), **t.tokenizer.special_ids)
    written = [int(token) for token, _ in steps]
    assert written.index(OTHER_EOS) == len(written) - 1


@pytest.mark.usefixtures("short_texts")
def test_the_tree_continues_no_hypothesis_after_any_eos(tmp_path: Path) -> None:
    t, src = _with_two_eos(tmp_path / "marian", bias=6.0)
    nodes = beam_tree(t.model, t.tokenizer, src, beam=3)
    n_ended = 0
    for step in range(1, max(node.step for node in nodes)):
        kept = [node.token for node in nodes if node.step == step and node.in_beam]
        ended = [token for token in kept if token in (t.tokenizer.eos_id, OTHER_EOS)]
        assert len(kept) - len(ended) == 3
        n_ended += len(ended)
    assert n_ended


@pytest.mark.usefixtures("short_texts")
def test_all_ways_to_decode_follow_the_same_rules(model: TranslationModel) -> None:
    src = torch.tensor(model.tokenizer.encode_ids(["I see a cat."]))
    ids = model.tokenizer.special_ids
    [expected] = greedy(model.model, src, **ids)
    assert greedy(ModifiedTransformer(model.model), src, **ids)[0].ids == expected.ids
    assert model.translate(["I see a cat."])[0].ids == expected.ids
    assert sample(model.model, src, top_k=1, **ids).ids == expected.ids
    forbidden = model.model.library_model.generation_config.bad_words_ids or []
    drawn = [sample(model.model, src, temperature=3.0, seed=seed, **ids) for seed in range(5)]
    for [id] in forbidden:
        assert not any(id in hypothesis.ids for hypothesis in [expected, *drawn])
