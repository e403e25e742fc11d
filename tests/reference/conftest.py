"""The tiny model in float64: two ways to compute the same differ by less than 1e-10."""

from pathlib import Path

import pytest
import torch

from model import TranslationModel
from model.nn.hooks import Hooks
from model.transformer.masks import padding_mask
from model.translation_model import load_transformer


def in_float64(t: TranslationModel) -> TranslationModel:
    """Return the same model in float64."""
    return TranslationModel(t.folder, t.model.double(), t.tokenizer, t.training)


@pytest.fixture(scope="session")
def t(tiny_checkpoint: Path) -> TranslationModel:
    """Return the model of all tests of this folder; no test changes it.

    Biases begin as 0, and gains of norms as 1. With random values, code that ignores them, or
    counts them twice, gives other results.
    """
    t = load_transformer(tiny_checkpoint)
    torch.manual_seed(1)
    with torch.no_grad():
        for p in t.model.parameters():
            if p.dim() == 1:
                p += 0.3 * torch.randn_like(p)
    return in_float64(t)


@torch.inference_mode()
def log_probs_of(t, trace, *, ids=None, hidden=(), ablations=None) -> torch.Tensor:
    """Return (T, V) of a slow run with a different source or with ablated heads."""
    src = torch.tensor([ids or [token.id for token in trace.src]])
    mask = padding_mask(src, t.tokenizer.pad_id).clone()
    mask[..., list(hidden)] = False
    tgt = torch.tensor([trace.tgt_ids[:-1]])
    return t.model(src, tgt, mask, hooks=Hooks(ablations=ablations or {}))[0].log_softmax(dim=-1)


def logits_of(model, src, tgt, src_mask, tgt_mask):
    memory = model.encode(src, src_mask)
    return model.unembed(model.decode_states(tgt, memory, src_mask, tgt_mask=tgt_mask))
