"""Padding changes nothing if its mask hides it."""

import numpy as np
import pytest
import torch

from model.lessons.masks.padded_batch import padding_effect
from model.nn.hooks import Hooks
from model.transformer.masks import flip, no_mask, padding_mask


def test_padding_has_the_weights_that_the_encoder_gives_with_the_same_mask(t):
    """The masks hide all padding, or nothing, or only the second token."""
    ids = [token.id for token in t.tokenizer.encode("I see a cat.")]
    src = torch.tensor([ids + [t.tokenizer.pad_id] * 3])
    for hidden, mask in (
        (range(len(ids), 99), padding_mask(src, t.tokenizer.pad_id)),
        ((), no_mask(1, src.shape[1])),
        ((1,), flip(no_mask(1, src.shape[1]), {(0, 1)})),
    ):
        effect = padding_effect(t, "I see a cat.", 3, hidden=hidden)
        records = {}
        with torch.inference_mode():
            t.model.encode(src, mask, hooks=Hooks(records))
        expected = records["encoder.1.self.weights"][0, :, : len(ids)].numpy()
        np.testing.assert_allclose(effect.weights[1], expected, atol=1e-10)
        np.testing.assert_allclose(
            effect.share[1], expected[:, :, len(ids) :].sum(axis=2).mean(axis=1), atol=1e-10
        )
        assert effect.visible.tolist() == mask[0, 0, 0].tolist()
        assert effect.tokens[len(ids) :] == ("<pad>",) * 3
    with pytest.raises(ValueError, match="sees no key"):
        padding_effect(t, "I see a cat.", 3, hidden=range(99))
    # Padding stops at the maximum length of the model.
    assert len(padding_effect(t, "I see.", 10**6, hidden=()).tokens) == t.config.max_length
