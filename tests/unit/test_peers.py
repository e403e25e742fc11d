"""The models of well-known libraries that benchmarks compare with ours."""

import pytest
import torch

from benchmarks.peers import TorchTransformer, marian
from model.transformer.config import ModelConfig

# PyTorch says that a norm before each sublayer is slower at inference.
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")

PAD = 0
SIZES = ModelConfig(
    vocab_size=31, d_model=12, n_heads=3, n_layers=2, d_ff=20, max_length=17, dropout=0.0
)
TGT = torch.tensor([[3, 4, 5]])
SRC = torch.tensor([[6, 7, 8, 9]])


@pytest.fixture
def plain() -> TorchTransformer:
    torch.manual_seed(0)
    return TorchTransformer(SIZES, pad_id=PAD).eval()


def test_marian_has_our_sizes_and_returns_every_map() -> None:
    model = marian(SIZES, pad_id=PAD, eos_id=2).eval()
    with torch.no_grad():
        answer = model(input_ids=SRC, decoder_input_ids=TGT, output_attentions=True)
    assert answer.logits.shape == (1, 3, 31)
    maps = answer.encoder_attentions, answer.decoder_attentions, answer.cross_attentions
    assert [len(layers) for layers in maps] == [2, 2, 2]
    assert [layers[0].shape for layers in maps] == [(1, 3, 4, 4), (1, 3, 3, 3), (1, 3, 3, 4)]
    assert model.config.forced_eos_token_id is None  # it may write as long as ours


@torch.no_grad()
def test_padding_changes_nothing_in_the_plain_transformer(plain: TorchTransformer) -> None:
    padded = torch.tensor([[6, 7, 8, 9, PAD, PAD]])
    torch.testing.assert_close(plain(SRC, TGT), plain(padded, TGT))


@torch.no_grad()
def test_the_plain_transformer_sees_no_later_token_and_the_order(plain: TorchTransformer) -> None:
    logits = plain(SRC, TGT)
    assert logits.shape == (1, 3, 31)
    changed = plain(SRC, torch.tensor([[3, 4, 9]]))
    torch.testing.assert_close(changed[:, :2], logits[:, :2])
    assert not torch.allclose(changed[:, 2], logits[:, 2])
    changed = plain(SRC, torch.tensor([[9, 4, 5]]))  # an earlier one, which both others see
    assert not torch.allclose(changed[:, 1], logits[:, 1])
    assert not torch.allclose(changed[:, 2], logits[:, 2])
    assert not torch.allclose(plain(SRC.flip(1), TGT), logits)
