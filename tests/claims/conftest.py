"""The shipped models in float64, so that results do not depend on the processor."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from model.corpora.batches import make_batch
from model.decoding.greedy import continue_from
from model.transformer.masks import padding_mask
from model.translation_model import AnyTranslationModel, TranslationModel, load

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"
LEAD = 0.02  # nats. Rounding changes a log-probability of these models by less than 0.0001.


@cache
def model_of(name: str) -> AnyTranslationModel:
    """Return a shipped model in float64."""
    t = load(CHECKPOINTS / name)
    return type(t)(t.folder, t.model.double(), t.tokenizer, t.training)


@pytest.fixture(scope="session")
def t() -> TranslationModel:
    """Return the model that the app shows first."""
    return model_of("en-fr")


@torch.inference_mode()
def written(
    t: AnyTranslationModel, texts: Sequence[str], *, right: Mapping[str, set[str]] | None = None
) -> list[str]:
    """Return greedy translations. At each step, the best token must lead the second by ``LEAD``.

    Args:
        t: a shipped model.
        texts: what it translates.
        right: text -> all of its right translations. Then two tokens may be nearly equally
            probable, if the second one leads to a right translation, too.
    """
    hypotheses = t.translate(texts)
    targets = [[t.tokenizer.bos_id, *hypothesis.ids] for hypothesis in hypotheses]
    pairs = list(zip(t.tokenizer.encode_ids(texts), targets, strict=True))
    batch = make_batch(pairs, t.tokenizer.pad_id)
    logits = t.model(batch.src, batch.tgt, padding_mask(batch.src, t.tokenizer.pad_id))
    best = logits.topk(2)
    real = batch.labels != t.tokenizer.pad_id
    assert torch.equal(best.indices[..., 0][real], batch.labels[real])
    lead = (best.values[..., 0] - best.values[..., 1]).where(real, torch.inf)
    for row, position in (lead <= LEAD).nonzero().tolist():
        second = {position: int(best.indices[row, position, 1])}
        other = t.decode(
            continue_from(t.decoder, batch.src[row : row + 1], second, **t.tokenizer.special_ids)
        )
        assert right is not None, f"a near tie: {texts[row]}"
        assert other in right[texts[row]], f"a near tie: {texts[row]}"
    return [t.decode(hypothesis) for hypothesis in hypotheses]


def training(name: str) -> dict[str, Any]:
    """Return the facts about the training of a shipped model."""
    values: dict[str, Any] = json.loads((CHECKPOINTS / name / "config.json").read_text("utf-8"))
    return dict(values["training"])
