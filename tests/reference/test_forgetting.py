"""What is left of a token in the last state, against differences of two runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from model.checkpoint.checkpoint import save_checkpoint
from model.lessons.from_rnn.forgetting import influence_on_last, similarity_to_last
from model.recurrent.cells import run_cell
from model.recurrent.config import RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.translation_model import RecurrentTranslationModel, load
from tests.tolerance import assert_same


@pytest.fixture(scope="module", params=["seq2seq", "bahdanau"])
def t(request, tokenizer, tmp_path_factory) -> RecurrentTranslationModel:
    torch.manual_seed(0)
    config = RecurrentConfig(
        arch=request.param, vocab_size=tokenizer.vocab_size, d_model=6, d_hidden=7
    )
    folder = tmp_path_factory.mktemp("recurrent") / request.param
    save_checkpoint(folder, RecurrentEncoderDecoder(config), tokenizer, {})
    found = load(folder)
    assert isinstance(found, RecurrentTranslationModel)
    return found


def test_similarity_by_hand() -> None:
    states = np.array([[1.0, 0], [1, 1], [0, -3], [0, 2]])
    expected = [0, 1 / math.sqrt(2), -1, 1]
    assert similarity_to_last(states).tolist() == pytest.approx(expected, abs=1e-12)
    # A state of length 0 is like no other: there is no angle, and no division by 0 either.
    states = np.array([[0, 0], [3, 4]], dtype=np.float32)
    assert similarity_to_last(states).tolist() == [0, 1]
    assert similarity_to_last(states[::-1]).tolist() == [0, 0]


def test_influence_is_what_moving_every_number_of_a_token_does(t) -> None:
    trace = t.trace("The cat sleeps.", target="Le chat dort.")
    cell = t.model.encoder.forwards.double()
    ids = torch.tensor([[token.id for token in trace.src]])
    x = (t.model.tokens(ids) * 6**0.5).detach().double()
    real = torch.ones_like(ids, dtype=torch.bool)
    step, norms = 1e-6, []
    with torch.no_grad():
        for s in range(len(trace.src)):
            total = 0.0
            for i in range(6):
                moved = []
                for sign in (1, -1):
                    nudged = x.clone()
                    nudged[0, s, i] += sign * step
                    moved.append(run_cell(cell, nudged, real)[0, -1])
                total += float(((moved[0] - moved[1]) / (2 * step)).square().sum())
            norms.append(math.sqrt(total))
    cell.float()
    expected = np.array(norms) / max(norms)
    assert_same(influence_on_last(t, trace), expected, ulps=64)  # eight steps, one after another
