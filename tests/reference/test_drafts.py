"""A translation with a draft equals plain greedy decoding, however coarse the draft is."""

import pytest
import torch

from model.decoding.draft import Drafter
from model.decoding.greedy import greedy
from model.lessons.drafts import (
    BITS,
    DraftedTranslation,
    coarse_writer,
    rounded,
    translate_with_draft,
)
from model.transformer.masks import padding_mask
from tests.conftest import tiny_model


@pytest.fixture(scope="module")
def model(tokenizer):
    return tiny_model(tokenizer, seed=1, tie_embeddings=False)


def _drafted(model, tokenizer, text, n_bits):
    [ids] = tokenizer.encode_ids([text])
    return translate_with_draft(model, tokenizer, ids, n_bits=n_bits)


@pytest.mark.parametrize("n_bits", BITS)
def test_the_result_is_the_greedy_translation(model, tokenizer, pairs, n_bits):
    for text, _ in pairs[:5]:
        src = torch.tensor(tokenizer.encode_ids([text]))
        [expected] = greedy(model, src, **tokenizer.special_ids)
        drafted = _drafted(model, tokenizer, text, n_bits)
        assert drafted.ids == expected.ids
        assert drafted.ids[: drafted.n_kept] == drafted.draft[: drafted.n_kept]


def test_a_draft_that_is_wrong_from_its_beginning_is_corrected(
    model, tokenizer, pairs, monkeypatch
):
    text = pairs[0][0]
    exact = _drafted(model, tokenizer, text, 16).ids
    for n_kept in (0, 1):
        draft = [*exact]
        draft[n_kept] = tokenizer.unk_id  # which is never written
        monkeypatch.setattr(Drafter, "write", lambda *_, draft=draft: draft)
        drafted = _drafted(model, tokenizer, text, 16)
        assert drafted.n_kept == n_kept
        assert drafted.ids == exact


def test_a_fine_draft_is_kept_whole_and_a_coarse_one_only_in_part(model, tokenizer, pairs):
    text = pairs[0][0]
    fine = _drafted(model, tokenizer, text, 16)
    assert fine.draft == fine.answers == fine.ids
    coarse = _drafted(model, tokenizer, text, 3)
    assert coarse.n_kept < len(coarse.draft)
    assert coarse.draft != coarse.ids


@pytest.mark.parametrize("n_bits", [16, 3])
def test_an_answer_is_the_next_token_after_the_draft_before_it(model, tokenizer, pairs, n_bits):
    text = pairs[0][0]
    drafted = _drafted(model, tokenizer, text, n_bits)
    src = torch.tensor(tokenizer.encode_ids([text]))  # (1, S)
    src_mask = padding_mask(src, tokenizer.pad_id)
    assert len(drafted.answers) == len(drafted.draft)
    with torch.inference_mode():
        memory = model.encode(src, src_mask)
        for position, answer in enumerate(drafted.answers):
            read = torch.tensor([[tokenizer.bos_id, *drafted.draft[:position]]])
            logits = model.decode(read, memory, src_mask)[0, -1]  # (V,)
            assert int(logits.argmax()) == answer


@pytest.mark.parametrize(
    ("draft", "answers", "ids", "n_kept", "n_passes"),
    [
        ((5, 6, 7, 2), (5, 6, 7, 2), (5, 6, 7, 2), 4, 1),  # kept whole
        (
            (5, 6, 7, 2),
            (5, 8, 7, 2),
            (5, 8, 9, 9, 2),
            1,
            4,
        ),  # the check writes 8, then one pass each: 9, 9, 2
        ((5, 6), (5, 2), (5, 2), 1, 1),  # the check itself writes the last token
        ((5, 6), (7, 6), (7, 8, 2), 0, 3),  # as many passes as without a draft
    ],
)
def test_tokens_before_the_first_difference_are_kept(draft, answers, ids, n_kept, n_passes):
    drafted = DraftedTranslation(draft, answers, ids)
    assert drafted.n_kept == n_kept
    assert drafted.n_passes == n_passes


@pytest.mark.parametrize("n_bits", [8, 4, 2])
def test_a_rounded_row_has_few_numbers_and_each_is_near(n_bits):
    weight = torch.randn(7, 501, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    weight[3] = 0
    coarse = rounded(weight, n_bits)
    m = 2 ** (n_bits - 1) - 1
    steps = weight.abs().amax(dim=1) / m  # (7,)
    for row, exact, step in zip(coarse, weight, steps, strict=True):
        assert len(row.unique()) <= 2 * m + 1
        assert (row - exact).abs().max() <= step / 2 + 1e-12
    assert coarse[3].count_nonzero() == 0


def test_the_exact_model_keeps_its_weights(model):
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    coarse_writer(model, 3)
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, before[name])


def test_a_shared_matrix_is_rounded_once_for_reading_and_for_writing(tokenizer):
    tied = tiny_model(tokenizer, seed=1)
    writer = coarse_writer(tied, 3)
    assert writer.model.unembed.weight is writer.model.tgt_embedding.tokens.weight
    assert torch.equal(writer.model.unembed.weight, rounded(tied.unembed.weight, 3))


def test_bits_that_no_draft_has_are_refused(model):
    with pytest.raises(ValueError, match="7"):
        coarse_writer(model, 7)
