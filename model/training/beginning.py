"""Another model's weights to begin with, or the mean of several, and what they had learned.

Trained from the same beginning for different ends, models have learned different things, and their
mean often knows most of both.

Source: Wortsman et al. 2022, section 2 (the uniform soup).
"""

import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from model.checkpoint.architectures import AnyConfig
from model.checkpoint.provenance import NOTHING, Before, whole_way
from model.data.byte_level.tokenizer import ByteLevelTokenizer
from model.nn.encoder_decoder import Model
from model.translation_model import AnyTranslationModel, load

NEXT = "; that one with those of "  # between a model and the one that it began with


@dataclass(frozen=True)
class Beginning:
    """What a training begins with."""

    model: Model
    tokenizer: ByteLevelTokenizer
    told: str  # whose weights these are
    before: Before  # what they have behind them

    def fits(self, config: AnyConfig) -> bool:
        """Whether this is its architecture, dropout apart."""
        return replace(config, dropout=self.model.config.dropout) == self.model.config


@torch.no_grad()
def read_beginning(folders: Sequence[str], *, new_vocabulary: bool) -> Beginning:
    """Read a finished model, or several of one architecture and one vocabulary.

    Each weight is the mean of theirs; who stands there twice counts twice. The first one's way is
    gone on with, but not with a new vocabulary, whose losses do not compare. ValueError where one
    cannot be read, does not fit the first one, or has a tokenizer that no training here can learn.
    """
    loaded = [load(folder) for folder in folders]
    tokenizers = [_tokenizer(one) for one in loaded]
    first = loaded[0]
    before = NOTHING if new_vocabulary else whole_way(first.training, first.history)
    begun = Beginning(copy.deepcopy(first.model), tokenizers[0], _told(loaded), before)
    for one, tokenizer in zip(loaded, tokenizers, strict=True):
        if not begun.fits(one.config) or tokenizer.bpe.to_str() != tokenizers[0].bpe.to_str():
            raise ValueError(
                f"no mean of {first.folder} and {one.folder}: they are built otherwise, or have "
                "other vocabularies"
            )
    for name, p in begun.model.named_parameters():
        p.copy_(torch.stack([one.model.get_parameter(name) for one in loaded]).mean(dim=0))
    return begun


def _tokenizer(begun: AnyTranslationModel) -> ByteLevelTokenizer:
    if not isinstance(begun.tokenizer, ByteLevelTokenizer):
        raise ValueError(
            f"the model in {begun.folder} came from elsewhere, with a tokenizer that is "
            "not trained here: begin with one that was trained here, or with none"
        )
    return begun.tokenizer


def _told(loaded: Sequence[AnyTranslationModel]) -> str:
    """The names of the models and how they were made, then those of what the first began with."""
    times = Counter(
        f"{one.name}, {one.training.get('steps', 0):,} steps of: "
        f"{one.training.get('command', 'unknown')}"
        for one in loaded
    )
    told = (f"{n} times {model}" if n > 1 else model for model, n in times.items())
    earlier = loaded[0].training.get("begun_with")
    return NEXT.join(filter(None, ["; their mean with ".join(told), earlier]))
