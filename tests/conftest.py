"""Fixtures of all tests: a tiny untrained model in which no two sizes are equal."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

from model import Trace, TranslationModel, load
from model.checkpoint.checkpoint import save_checkpoint
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.tokenizers.tokenizer import Tokenizer
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer

# Every run draws the same examples, so that a new failure always means a change of the code. To
# draw new examples, set HYPOTHESIS_PROFILE=default.
settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

PAIRS = Path(__file__).parent / "data" / "pairs.tsv"


def pytest_xdist_auto_num_workers() -> int:
    """Return one more than the number of cores, because browser tests often wait."""
    return 1 + (os.cpu_count() or 1)


class ByFile(LoadFileScheduling):
    """Give each file to one worker.

    All files of the browser tests go to two workers, each of which starts one server.
    """

    def _split_scope(self, nodeid: str) -> str:
        name = nodeid.removeprefix("tests/browser/test_")
        if name == nodeid:
            return super()._split_scope(nodeid)
        return (
            # Two halves of the files, which take the same time. One worker for all browser tests
            # would still be busy when all others have ended.
            f"browser {name < 'm'}"
        )


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByFile:
    """Distribute the tests for `pytest -n`.

    xdist can do this for groups that tests name, but xdist 3.8 ignores them under pytest 9.2.
    """
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests more time than pyproject.toml gives to the others."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(1800))


@pytest.fixture(scope="session")
def pairs() -> list[tuple[str, str]]:
    """Return the sentence pairs of ``tests/data/pairs.tsv``."""
    lines = PAIRS.read_text(encoding="utf-8").splitlines()
    return [(source, target) for source, target in (line.split("\t") for line in lines)]


def change_json(path: Path, change: Callable[[Any], object]) -> None:
    """Change the values of a JSON file in place."""
    values = json.loads(path.read_text(encoding="utf-8"))
    change(values)
    path.write_text(json.dumps(values), encoding="utf-8")


def options(folder: Path, words: str, *more_words: str, corpus: Path = PAIRS) -> list[str]:
    """Return the words of a ``model.train`` command for a tiny model.

    Args:
        folder: folder of the checkpoint.
        words: options, separated by spaces. Without ``--arch`` among them, the model is a
            Transformer.
        more_words: options that may contain spaces.
        corpus: file of sentence pairs.
    """
    sizes = "--vocab-size 300 --d-model 16 --token-budget 300 --warmup 3"
    if "--arch" not in words:
        sizes += " --n-heads 2 --n-layers 1 --d-ff 32"
    words = f"{sizes} --threads 1 --device cpu --precision float32 {words}"
    return ["--corpus", str(corpus), "--out", str(folder), *words.split(), *more_words]


@pytest.fixture(scope="session")
def tokenizer(pairs: list[tuple[str, str]]) -> ByteLevelTokenizer:
    """Return a tokenizer with a small vocabulary, learned from the pairs."""
    return ByteLevelTokenizer.train((text for pair in pairs for text in pair), vocab_size=433)


def tiny_model(tokenizer: Tokenizer, *, seed: int = 0, **settings: Any) -> Transformer:
    """Return a Transformer with 2 layers, 3 heads, d_head 22 and d_ff 37: no two axes are equal."""
    torch.manual_seed(seed)
    sizes = {"d_model": 66, "n_heads": 3, "n_layers": 2, "d_ff": 37, "max_length": 61}
    config = ModelConfig(vocab_size=tokenizer.vocab_size, **sizes | settings)
    return Transformer(config).eval()


def post_norm_model(tokenizer: Tokenizer) -> Transformer:
    """Return a model like ``tiny_model``, but with post-norm, and with no bias that is zero.

    Source embedding, target embedding and output have separate matrices.
    """
    model = tiny_model(tokenizer, norm="post", tie_embeddings=False)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter, std=0.3)
    return model


def save_recurrent(checkpoints: Path, tokenizer: ByteLevelTokenizer) -> None:
    """Save an untrained recurrent model of each architecture, such as ``en-fr-seq2seq``."""
    for seed, arch in enumerate(RECURRENT_ARCHS):
        torch.manual_seed(seed)
        cell = "lstm" if arch == "luong" else "gru"
        sizes = {"vocab_size": tokenizer.vocab_size, "d_model": 14, "d_hidden": 23}
        config = RecurrentConfig(arch=arch, cell=cell, max_length=61, **sizes)
        model = RecurrentEncoderDecoder(config)
        save_checkpoint(checkpoints / f"en-fr-{arch}", model, tokenizer, {})


@pytest.fixture(scope="session")
def tiny_checkpoint(
    tokenizer: ByteLevelTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return the folder of an untrained model in the checkpoint format."""
    folder = tmp_path_factory.mktemp("checkpoints") / "tiny"
    save_checkpoint(folder, tiny_model(tokenizer), tokenizer, {})
    return folder


@pytest.fixture(scope="module")
def t(tiny_checkpoint: Path) -> TranslationModel:
    """Return the model of ``tiny_checkpoint``."""
    return load(tiny_checkpoint)


@pytest.fixture(scope="module")
def trace(t: TranslationModel) -> Trace:
    """Return the trace of a sentence and a given translation."""
    return t.trace("I see a cat.", target="Je vois un chat.")


@pytest.fixture(scope="module")
def short_texts() -> Iterator[None]:
    """Limit a translation to the source's length plus 5: an untrained model does not stop."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("model.decoding.greedy.EXTRA_TOKENS", 5)
        patch.setattr("ui.state.limits.EXTRA_TOKENS", 5)
        yield


@pytest.fixture
def sayings_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read one file of the pairs written for this project: to read all of them takes seconds."""
    monkeypatch.setattr("model.augmentation.hand_written.TIMES_PER_EPOCH", {"sayings": 8})


@pytest.fixture(scope="session")
def shipped_checkpoint() -> Path:
    """Return the folder of the model that the app shows first."""
    return Path(__file__).parent.parent / "checkpoints" / "en-fr"
