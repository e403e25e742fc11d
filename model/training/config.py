"""How a model is trained: each setting with its default, its range and its meaning."""

from dataclasses import MISSING, dataclass, field, fields
from typing import Any

_MANY, _SOME, _SHARE = (0, 10**9), (1, 10**9), (0, 1)


def _setting(default: Any, range_: tuple[float, float], meaning: str) -> Any:
    return field(default=default, metadata={"range": range_, "meaning": meaning})


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How a model is trained; all of it is an option, and written into the checkpoint.

    Raises:
        ValueError: a setting is out of its range.
    """

    steps: int = _setting(MISSING, _SOME, "updates of the whole run")
    # However many processes share it.
    token_budget: int = _setting(
        8192, _SOME, "source and target positions of a batch, padding included"
    )
    # Mean loss of the shipped Transformer's architecture in steps 200 to 299, the same batches:
    # 3.75 with 0.008 and 0.001 as the two rates, 3.36 with 0.005 and 0.003. Of Bahdanau's network
    # in steps 400 to 499: 3.12 with 0.002 and 0.001, 2.80 with 0.002 and 0.003.
    muon_lr: float = _setting(
        0.005, _SHARE, "peak learning rate of the blocks' matrices; a recurrent net wants 0.002"
    )
    adamw_lr: float = _setting(
        3e-3, _SHARE, "peak learning rate of AdamW, for embeddings, biases and norms"
    )
    warmup: int = _setting(100, _MANY, "steps until the peak")
    cooldown: float = _setting(
        0.6, (1e-6, 1), "last share of the run, in which the rates fall to zero"
    )
    label_smoothing: float = _setting(0.1, (0, 0.999), "epsilon_ls")
    # Provilkov et al. 2020 measured +0.7 BLEU on IWSLT English-French and +2.4 on English-Chinese
    # with 0.1, on both sides.
    bpe_dropout: float = _setting(
        0.05, _SHARE, "probability of missing a merge in the source (0: always the same subwords)"
    )
    # "Tom" stands in every eleventh sentence of Tatoeba: a model trained without this kept 12 % of
    # the names that it had never seen, and 59 % of the numbers; 61 % and 74 % after 700 more steps
    # with it.
    copying: float = _setting(
        0.6,
        _SHARE,
        "share of the pairs with the same name or number on both sides that get another",
    )
    # A hundred thousand sentences have but 919 pairs with a digit, and few say a name first.
    made_sentences: float = _setting(
        0.08, (0, 10), "sentences with names and numbers made of templates, for each of the corpus"
    )
    # In two sentences of fra-eng "it" could stand for either of two nouns.
    agreement: float = _setting(
        0.08, (0, 10), "made sentences in which one word decides another, for each of the corpus"
    )
    # Small letters cost the model that had never seen such sources 13 BLEU; 0.6 after those steps.
    as_typed: float = _setting(
        0.25, _SHARE, "share of the sources in small letters, without the final sign, or both"
    )
    # Two in a row cost the model that had only seen single ones 5 BLEU, four 24.
    joined: float = _setting(
        0.1, _SHARE, "share of the examples that hold two to four sentences (Kondo et al. 2021)"
    )
    # At step n at most (1 + n) / (10 + n), so that the average does not come late at first.
    ema_decay: float = _setting(
        0.998, _SHARE, "decay of the running average of the weights, which is what is shipped"
    )
    max_grad_norm: float = _setting(
        1.0, (1e-9, 10**9), "longest gradient that is followed at its full length"
    )
    eval_every: int = _setting(400, _SOME, "steps between two looks at the dev set")
    save_every: int = _setting(200, _SOME, "steps between two saved states")
    seed: int = _setting(1, _MANY, "of everything random")

    def __post_init__(self) -> None:
        for setting in fields(self):
            value, (low, high) = getattr(self, setting.name), setting.metadata["range"]
            if not low <= value <= high:  # NaN is in no range
                raise ValueError(f"{setting.name} must be from {low:,} to {high:,}, got {value!r}")
