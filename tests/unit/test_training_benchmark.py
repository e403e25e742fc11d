"""The batches on which the training of several models is measured."""

from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import torch

from benchmarks import training
from benchmarks.peers import marian
from benchmarks.training import our_training, quick_precisions, random_batches
from model.corpora.batches import make_batch
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.transformer.config import ModelConfig

# PyTorch says that a norm before each sublayer is slower at inference.
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")


@pytest.fixture
def shipped_tokenizer(shipped_checkpoint: Path) -> ByteLevelTokenizer:
    return ByteLevelTokenizer.load(shipped_checkpoint / "tokenizer.json")


def test_there_are_three_different_batches_of_sentences_with_8_to_16_tokens(
    shipped_tokenizer,
) -> None:
    batches = random_batches(shipped_tokenizer)
    assert len(batches) == 3
    assert len({tuple(batch.src[0].tolist()) for batch in batches}) == 3
    for batch in batches:
        lengths = (batch.src != shipped_tokenizer.pad_id).sum(dim=1)
        assert (lengths.min(), lengths.max()) == (8, 16)  # 6 to 14 tokens between bos and eos
        assert batch.src.shape[0] == 341  # sentences: 8,192 tokens, 24 in an average pair
        assert set(batch.src[:, 0].tolist()) == {shipped_tokenizer.bos_id}
        words = set(batch.src.flatten().tolist()) - set(shipped_tokenizer.special_ids.values())
        assert max(words) >= shipped_tokenizer.vocab_size - 20
        assert 10 <= min(words) < 20


def test_each_call_takes_the_next_batch_and_then_the_first_again() -> None:
    step = training.each(["a", "b"], lambda batch: batch)
    assert [step() for _ in range(5)] == ["a", "b", "a", "b", "a"]


def test_bfloat16_is_measured_only_where_the_training_chooses_it(monkeypatch, capsys) -> None:
    chosen = torch.float32, "no instructions"
    monkeypatch.setattr(training, "choose_precision", lambda *_: chosen)
    assert quick_precisions() == [torch.float32]
    assert "no instructions" in capsys.readouterr().out
    chosen = torch.bfloat16, "it is fast"
    monkeypatch.setattr(training, "choose_precision", lambda *_: chosen)
    assert quick_precisions() == [torch.float32, torch.bfloat16]


def test_a_usual_step_learns_a_batch(shipped_tokenizer, tmp_path) -> None:
    torch.manual_seed(0)
    sizes = ModelConfig(
        vocab_size=shipped_tokenizer.vocab_size, d_model=8, n_heads=2, n_layers=1, dropout=0
    )
    batch = make_batch([([2, 40, 50, 3], [2, 60, 70, 3])], shipped_tokenizer.pad_id)
    model = training.TorchTransformer(sizes, pad_id=shipped_tokenizer.pad_id).eval()
    step = training.usual_step(
        model, lambda m, b: m(b.src, b.tgt), torch.float32, shipped_tokenizer.pad_id
    )
    assert model.training  # with dropout
    losses = [step(batch) for _ in range(9)]
    assert losses[0] > losses[4] > losses[8]
    ours = our_training(sizes, shipped_tokenizer, tmp_path, torch.float32)
    assert ours.train_step(batch) is not None


@torch.no_grad()
def test_padding_changes_nothing_in_marian() -> None:
    sizes = ModelConfig(vocab_size=31, d_model=8, n_heads=2, n_layers=1, d_ff=8, max_length=9)
    torch.manual_seed(0)
    model = marian(sizes, pad_id=0, eos_id=3).eval()
    target = [2, 6, 3]
    alone = make_batch([([2, 4, 5, 3], target)], 0)
    padded = make_batch([([2, 4, 5, 3], target), ([2, 4, 5, 6, 7, 8, 3], target)], 0)
    logits = training._marian_logits(model, padded)[:1]
    torch.testing.assert_close(logits, training._marian_logits(model, alone))


def test_tokens_per_second_are_those_of_an_average_batch_in_the_median_time(
    monkeypatch, capsys
) -> None:
    seconds = {
        "ours": [0.5, 0.4, 9.0],
        "Marian": [1.0, 0.6, 2.0],
        "nn.Transformer": [0.8, 0.8, 0.8],
    }
    batches = [SimpleNamespace(n_tokens=n) for n in (1000, 2000, 3000)]
    reported: list[tuple[object, ...]] = []
    monkeypatch.setattr(training, "ByteLevelTokenizer", Mock())
    monkeypatch.setattr(training, "ModelConfig", Mock())
    for name in ("our_training", "marian", "TorchTransformer", "usual_step"):
        monkeypatch.setattr(training, name, Mock())
    monkeypatch.setattr(training, "random_batches", lambda _: batches)
    monkeypatch.setattr(training, "quick_precisions", lambda: [torch.bfloat16])
    monkeypatch.setattr(training, "in_turns", lambda *_: seconds)
    monkeypatch.setattr(training, "report", lambda *values: reported.append(values))
    training.main()
    assert reported == [("training, bfloat16", seconds)]
    assert capsys.readouterr().out.splitlines() == [
        "ours: 4,000 tokens per second",  # 2,000 tokens in 0.5 s
        "Marian: 2,000 tokens per second",
        "nn.Transformer: 2,500 tokens per second",
        "ours is 1.60 times as fast as the faster peer",  # 0.8 s / 0.5 s
        "",
    ]
