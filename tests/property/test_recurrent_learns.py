"""Each recurrent architecture can learn a small corpus by heart, with the training command."""

import pytest

from model import load
from model.data.corpus import read_corpus, split_corpus
from model.evaluation.evaluation import evaluate
from model.recurrent.config import RECURRENT_ARCHS
from model.train import main
from tests.conftest import PAIRS


@pytest.mark.slow
@pytest.mark.parametrize("arch", RECURRENT_ARCHS)
def test_by_heart(arch, tmp_path):
    sizes = "--vocab-size 400 --d-model 48 --d-hidden 64 --token-budget 1500"
    settings = "--steps 400 --warmup 20 --cooldown 0.3 --dropout 0 --bpe-dropout 0 --ema-decay 0.9"
    how = f"--arch {arch} --threads 1 --device cpu --precision float32 --label-smoothing 0"
    words = f"{sizes} {settings} {how}".split()
    assert main(["--corpus", str(PAIRS), "--out", str(tmp_path), *words]) == 0
    learned: dict[str, list[str]] = {}
    for source, target in split_corpus(read_corpus(str(PAIRS)).pairs).train:
        learned.setdefault(source, []).append(target)
    t = load(tmp_path)
    assert evaluate(t.model, t.tokenizer, learned).bleu > 90
