"""The settings of a training run, each with its default, its range and its help text.

``model.training.options`` makes an option of ``python -m model.train`` out of each field.
"""

from dataclasses import MISSING, dataclass, field, fields
from typing import Any

# Ranges of settings: smallest and largest value
_COUNT = (0, 10**9)
_POSITIVE = (1, 10**9)
_SHARE = (0, 1)
_PER_SENTENCE = (0, 10)


def _setting(default: Any, *, between: tuple[float, float], help: str) -> Any:
    """Return a dataclass field with a default, a range and a help text.

    Args:
        default: MISSING makes the setting a required one.
        between: smallest and largest value.
        help: what ``--help`` says.
    """
    return field(default=default, metadata={"range": between, "help": help})


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The settings of a training run. Each setting is stored in the checkpoint.

    Raises:
        ValueError: a setting is out of its range.
    """

    steps: int = _setting(MISSING, between=_POSITIVE, help="updates of the whole training")
    token_budget: int = _setting(
        8192,
        between=_POSITIVE,
        help="source and target positions of a batch, padding included, for all processes together",
    )

    # Learning rates of Muon and AdamW. These pairs gave the following mean losses on the same
    # batches. Shipped Transformer architecture, steps 200 to 299: 3.75 with (0.008, 0.001), 3.36
    # with (0.005, 0.003). Bahdanau's network, steps 400 to 499: 3.12 with (0.002, 0.001), 2.80 with
    # (0.002, 0.003).
    muon_lr: float = _setting(
        0.005,
        between=_SHARE,
        help="peak learning rate of Muon, for the blocks' matrices; recurrent networks need 0.002",
    )
    adamw_lr: float = _setting(
        3e-3,
        between=_SHARE,
        help="peak learning rate of AdamW, for embeddings, biases and norms",
    )
    warmup: int = _setting(
        100, between=_COUNT, help="steps until the learning rates reach the peak"
    )
    cooldown: float = _setting(
        0.6,
        between=(1e-6, 1),
        help="share of the steps, at the end, in which the learning rates fall to zero",
    )
    label_smoothing: float = _setting(
        0.1,
        between=(0, 0.999),
        help="epsilon_ls: probability that the targets give to all tokens alike",
    )

    # Provilkov et al. 2020 measured +0.7 BLEU on IWSLT English-French and +2.4 on English-Chinese,
    # with dropout 0.1 on both sides.
    bpe_dropout: float = _setting(
        0.05,
        between=_SHARE,
        help="probability of skipping a merge in the source; 0 always gives the same subwords",
    )

    # "Tom" occurs in one of eleven sentences of Tatoeba. A model trained without this setting
    # copied 12 % of the names and 59 % of the numbers that it had not seen. After 700 more steps
    # with this setting it copied 61 % and 74 %.
    copying: float = _setting(
        0.6,
        between=_SHARE,
        help="share of the pairs with the same name or number on both sides that get a new one",
    )

    # Among a hundred thousand sentences, only 919 pairs have a digit, and few begin with a name.
    made_sentences: float = _setting(
        0.08,
        between=_PER_SENTENCE,
        help="sentences with names and numbers, made from templates, per sentence of the corpus",
    )

    # Only two sentences of fra-eng have an "it" that could refer to either of two nouns.
    agreement: float = _setting(
        0.08,
        between=_PER_SENTENCE,
        help="made sentences in which one word decides another, per sentence of the corpus",
    )

    # All misspelled sentences of users were translated correctly once their spelling was corrected.
    sloppy: float = _setting(
        0.1,
        between=_SHARE,
        help="share of the English sources without apostrophes, with chat words or misspelled",
    )

    # A model trained without this setting lost 13 BLEU on lower-case sources, and only 0.6 after
    # 700 more steps with it.
    as_typed: float = _setting(
        0.25,
        between=_SHARE,
        help="share of the sources in lower case, without the final punctuation, or both",
    )

    # A model trained only on single sentences lost 5 BLEU on two joined sentences, and 24 on four.
    joined: float = _setting(
        0.1,
        between=_SHARE,
        help="share of the examples that hold two to four sentences (Kondo et al. 2021)",
    )

    ema_decay: float = _setting(
        0.998,
        between=_SHARE,
        help="largest decay of the running average of the weights, which is what is saved",
    )
    max_grad_norm: float = _setting(
        1.0, between=(1e-9, 10**9), help="gradients with a larger norm are scaled down to it"
    )
    eval_every: int = _setting(
        400, between=_POSITIVE, help="steps between two translations of the dev set"
    )
    save_every: int = _setting(200, between=_POSITIVE, help="steps between two saved states")
    seed: int = _setting(1, between=_COUNT, help="seed of all random numbers")

    def __post_init__(self) -> None:
        for setting in fields(self):
            value = getattr(self, setting.name)
            low, high = setting.metadata["range"]
            if not low <= value <= high:  # written so that NaN is refused, too
                raise ValueError(f"{setting.name} must be from {low:,} to {high:,}, got {value!r}")
