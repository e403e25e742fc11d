"""What is measured of heads on a corpus, and their importance: by gradient, and by ablating each.

Source: Michel et al. 2019, "Are Sixteen Heads Really Better than One?", sections 2 to 4.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from msgspec import convert
from msgspec.json import encode
from torch import Tensor
from torch.nn import functional as F

from model.alignment.cross_validation import measure_alignment
from model.alignment.gold import AlignedPair
from model.checkpoint.fingerprint import fingerprint
from model.corpora.batches import make_batch
from model.corpora.references import References
from model.decoding.batch import translate_batch
from model.decoding.modified import ModifiedTransformer
from model.evaluation.scoring import score
from model.heads.analysis_file import Analysis, PruningPoint
from model.heads.statistics import head_statistics
from model.interventions.ablation import ablations_of
from model.nn.hooks import Ablations, HeadAblation, Hooks
from model.trace.transformer import Trace
from model.transformer.config import ModelConfig
from model.transformer.heads import KINDS, Head, Kind, all_heads, attention_names
from model.transformer.masks import padding_mask
from model.translation_model import TranslationModel

IdPair = tuple[list[int], list[int]]
Report = Callable[[str, int, int], None]  # what is being done, how many of how many
POINTS = 16  # of a pruning curve, besides its beginning
DECIMALS = 5


def gradient_importance(t: TranslationModel, pairs: Sequence[IdPair]) -> dict[Head, float]:
    """I_h = E |dL / dξ_h|: how fast the loss of a sentence would change with a gate on the head.

    The mean over pairs of source and target ids, BOS ... EOS; L is the sum over a sentence's
    tokens, in nats. The weights get no gradient.
    """
    config = t.config
    paths = attention_names(config.n_layers)
    total = torch.zeros(len(paths), config.n_heads)
    for pair in pairs:
        gates = torch.ones(len(paths), config.n_heads, requires_grad=True)
        ablations = {path: HeadAblation(gate) for path, gate in zip(paths, gates, strict=True)}
        loss = -_label_log_probs(t, [pair], ablations).sum()
        (slope,) = torch.autograd.grad(loss, gates)
        total += slope.abs()
    return dict(zip(all_heads(config), (total / len(pairs)).flatten().tolist(), strict=True))


@torch.inference_mode()
def mean_log_prob(
    t: TranslationModel, pairs: Sequence[IdPair], ablations: Ablations, *, batch_size: int = 50
) -> float:
    """Mean log-probability of a given target's token, in nats, with some heads ablated."""
    total = n_tokens = 0.0
    ordered = sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1]))
    for start in range(0, len(ordered), batch_size):
        log_probs = _label_log_probs(t, ordered[start : start + batch_size], ablations)
        total += log_probs.double().sum().item()
        n_tokens += log_probs.numel()
    return total / n_tokens


def removal_order(importance: dict[Head, float]) -> list[Head]:
    """All heads, the least important first."""
    return sorted(importance, key=lambda head: (importance[head], head))


def random_order(config: ModelConfig) -> list[Head]:
    """All heads in an order that knows nothing about them."""
    heads = all_heads(config)
    order = np.random.default_rng(0).permutation(len(heads))
    return [heads[place] for place in order]


def by_kind(config: ModelConfig, values: dict[Head, float]) -> dict[Kind, list[list[float]]]:
    """The values of ``all_heads``, in their order, by kind of attention, layer and head."""
    table = np.reshape([*values.values()], (len(KINDS), config.n_layers, config.n_heads))
    return dict(zip(KINDS, table.tolist(), strict=True))


def _label_log_probs(t: TranslationModel, pairs: Sequence[IdPair], ablations: Ablations) -> Tensor:
    """Log-probabilities of all target tokens of a batch, padding left out: (N,)."""
    batch = make_batch(pairs, t.tokenizer.pad_id)
    mask = padding_mask(batch.src, t.tokenizer.pad_id)
    logits = t.model(batch.src, batch.tgt, mask, hooks=Hooks(ablations=ablations))
    real = batch.labels != t.tokenizer.pad_id
    return -F.cross_entropy(logits[real], batch.labels[real], reduction="none")


class Analyser:
    """Measures the heads of one model on some sentences, read with their first translations."""

    def __init__(self, t: TranslationModel, references: References, report: Report) -> None:
        self.t, self.references, self.report = t, references, report
        self.sources = list(references)
        self.first_targets = [first for first, *_ in references.values()]
        ids = t.tokenizer.encode_ids
        self.pairs = list(zip(ids(self.sources), ids(self.first_targets, "target"), strict=True))

    def traces(self) -> Iterator[Trace]:
        """Of all sentences, one after the other, for the statistics."""
        for n, (source, target) in enumerate(zip(self.sources, self.first_targets, strict=True)):
            self.report("statistics", n, len(self.sources))
            yield self.t.trace(source, target=target)

    def by_removal(self) -> tuple[dict[Head, float], dict[Head, float]]:
        """What is lost without each head: BLEU, and log-probability of a token in nats."""
        bleu, log_prob = self._bleu([]), mean_log_prob(self.t, self.pairs, {})
        lost_bleu, lost_log_prob = {}, {}
        heads = all_heads(self.t.config)
        for n, head in enumerate(heads):
            self.report("heads ablated", n, len(heads))
            ablations = ablations_of(self.t.config, [head], "zero")
            lost_bleu[head] = bleu - self._bleu([head])
            lost_log_prob[head] = log_prob - mean_log_prob(self.t, self.pairs, ablations)
        return lost_bleu, lost_log_prob

    def pruning_curve(self, name: str, order: Sequence[Head]) -> list[PruningPoint]:
        """BLEU with more and more heads removed, in this order."""
        curve = []
        for n in range(POINTS + 1):
            self.report(f"pruning, {name}", n, POINTS + 1)
            removed = round(len(order) * n / POINTS)
            curve.append(PruningPoint(removed, round(self._bleu(order[:removed]), 2)))
        return curve

    def _bleu(self, removed: Sequence[Head]) -> float:
        ablations = ablations_of(self.t.config, removed, "zero")
        ablated = ModifiedTransformer(self.t.model, ablations=ablations)
        found = translate_batch(ablated, self.t.tokenizer, self.sources)
        texts = [self.t.decode(hypothesis) for hypothesis in found]
        return score(texts, list(self.references.values())).bleu


def analyse(
    t: TranslationModel,
    references: References,
    *,
    alignments: Sequence[AlignedPair] = (),
    report: Report = lambda *_: None,
) -> Analysis:
    """All measures of all heads on held-out sentences; error rates where there are alignments."""
    start = time.perf_counter()
    analyser = Analyser(t, references, report)
    statistics = head_statistics(analyser.traces())
    report("gradients", 0, 1)
    gradient = gradient_importance(t, analyser.pairs)
    lost_bleu, lost_log_prob = analyser.by_removal()
    orders = {
        "gradient": removal_order(gradient),
        "removal": removal_order(lost_log_prob),
        "random": random_order(t.config),
    }
    curves = {name: analyser.pruning_curve(name, order) for name, order in orders.items()}
    if alignments:
        report("alignment", 0, 1)
    importance = {"gradient": gradient, "lost_bleu": lost_bleu, "lost_log_prob": lost_log_prob}
    found = {
        "checkpoint": t.name,
        "model": fingerprint(t.model),
        "n_parameters": t.n_parameters,
        "sentences": len(references),
        "statistics": statistics,
        "importance": {name: by_kind(t.config, values) for name, values in importance.items()},
        "pruning": curves,
        "alignment": measure_alignment(t, alignments) if alignments else None,
        "seconds": round(time.perf_counter() - start),
    }
    # through JSON, where every number is rounded to what is worth storing
    rounded = json.loads(encode(found), parse_float=lambda number: round(float(number), DECIMALS))
    return convert(rounded, Analysis)
