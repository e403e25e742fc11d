"""What a recurrent decoder keeps: choosing hypotheses chooses their states."""

from __future__ import annotations

import pytest
import torch

from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.recurrent.decoder import RecurrentCache
from model.recurrent.model import RecurrentEncoderDecoder
from model.transformer.masks import padding_mask

V, PAD = 31, 0


def test_before_the_first_token_there_is_nothing_to_choose() -> None:
    cache = RecurrentCache()
    assert cache.select(torch.tensor([0, 0])) is cache
    assert (cache.state, cache.source, cache.length) == (None, None, 0)


@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
@pytest.mark.parametrize("arch", RECURRENT_ARCHS)
@torch.no_grad()
def test_chosen_rows_go_on_as_if_they_had_been_decoded_alone(arch: str, cell: str) -> None:
    torch.manual_seed(0)
    config = RecurrentConfig(arch=arch, vocab_size=V, d_model=14, d_hidden=23, cell=cell)  # type: ignore[arg-type]
    model = RecurrentEncoderDecoder(config).eval()
    src, tgt = torch.randint(3, V, (5, 7)), torch.randint(3, V, (5, 4))
    mask = padding_mask(src, PAD)
    memory = model.encode(src, mask)
    rows = torch.tensor([3, 0, 3])
    cache = model.new_cache()
    model.decode(tgt[:, :3], memory, mask, cache=cache)
    cache.select(rows)
    assert cache.length == 3
    found = model.decode(tgt[rows, 3:], memory[rows], mask[rows], cache=cache)
    expected = model.decode(tgt[rows], memory[rows], mask[rows])[:, 3:]
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
