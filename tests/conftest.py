"""What tests share: a tiny model, untrained, whose sizes are different primes where they can be."""

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

# Every run draws the same examples, so that a red one means a change and nothing else; to look for
# more: HYPOTHESIS_PROFILE=default.
settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

PAIRS = Path(__file__).parent / "data" / "pairs.tsv"


def pytest_xdist_auto_num_workers() -> int:
    """As many as there are cores, two at least: a page that waits for its turn goes on drawing."""
    return max(2, os.cpu_count() or 1)


class ByFile(LoadFileScheduling):
    """A file goes to one worker, and all files of the browser to two, each with a server."""

    def _split_scope(self, nodeid: str) -> str:
        name = nodeid.removeprefix("tests/browser/test_")
        if name == nodeid:
            return super()._split_scope(nodeid)
        return f"browser {name < 'h'}"  # half of their time: in one worker they would end last


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByFile:
    """For `pytest -n`; the groups of xdist 3.8 do not hold with pytest 9.2, and nothing says so."""
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests may take longer than pyproject.toml grants to the others."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(1800))


@pytest.fixture(scope="session")
def pairs() -> list[tuple[str, str]]:
    """The sentence pairs of ``tests/data/pairs.tsv``."""
    lines = PAIRS.read_text(encoding="utf-8").splitlines()
    return [(source, target) for source, target in (line.split("\t") for line in lines)]


def change_json(path: Path, change: Callable[[Any], object]) -> None:
    """Write a file again with changed values."""
    values = json.loads(path.read_text(encoding="utf-8"))
    change(values)
    path.write_text(json.dumps(values), encoding="utf-8")


def options(folder: Path, words: str, *more: str, corpus: Path = PAIRS) -> list[str]:
    """The words of ``model.train`` for a tiny model; a Transformer unless ``--arch`` is given."""
    sizes = "--vocab-size 300 --d-model 16 --token-budget 300 --warmup 3"
    if "--arch" not in words:
        sizes += " --n-heads 2 --n-layers 1 --d-ff 32"
    words = f"{sizes} --threads 1 --device cpu --precision float32 {words}"
    return ["--corpus", str(corpus), "--out", str(folder), *words.split(), *more]


@pytest.fixture(scope="session")
def tokenizer(pairs: list[tuple[str, str]]) -> ByteLevelTokenizer:
    """A small vocabulary learned from the pairs."""
    return ByteLevelTokenizer.train((text for pair in pairs for text in pair), vocab_size=433)


def tiny_model(tokenizer: Tokenizer, *, seed: int = 0, **settings: Any) -> Transformer:
    """2 layers, 3 heads, d_head 22, d_ff 37: every axis has a length of its own."""
    torch.manual_seed(seed)
    sizes = {"d_model": 66, "n_heads": 3, "n_layers": 2, "d_ff": 37, "max_length": 61}
    config = ModelConfig(vocab_size=tokenizer.vocab_size, **sizes | settings)
    return Transformer(config).eval()


def post_norm_model(tokenizer: Tokenizer) -> Transformer:
    """As ``tiny_model``, with post-norm and three matrices; no bias is left at zero."""
    model = tiny_model(tokenizer, norm="post", tie_embeddings=False)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter, std=0.3)
    return model


def save_recurrent(checkpoints: Path, tokenizer: ByteLevelTokenizer) -> None:
    """One untrained ancestor of each kind: the checkpoints ``en-fr-seq2seq`` and so on."""
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
    """Folder of an untrained model in the checkpoint format."""
    folder = tmp_path_factory.mktemp("checkpoints") / "tiny"
    save_checkpoint(folder, tiny_model(tokenizer), tokenizer, {})
    return folder


@pytest.fixture(scope="module")
def t(tiny_checkpoint: Path) -> TranslationModel:
    """The model of that folder."""
    return load(tiny_checkpoint)


@pytest.fixture(scope="module")
def trace(t: TranslationModel) -> Trace:
    """Of a sentence and a translation that is given."""
    return t.trace("I see a cat.", target="Je vois un chat.")


@pytest.fixture(scope="module")
def short_texts() -> Iterator[None]:
    """Five tokens more than the source, not fifty: an untrained model never comes to an end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("model.decoding.greedy.EXTRA_TOKENS", 5)
        patch.setattr("ui.state.limits.EXTRA_TOKENS", 5)
        yield


@pytest.fixture(scope="session")
def shipped_checkpoint() -> Path:
    """The folder of the model that the app opens with."""
    return Path(__file__).parent.parent / "checkpoints" / "en-fr"
