"""Measure the heads on a corpus, and their importance by gradient and by ablation.

Source: Michel et al. 2019, "Are Sixteen Heads Really Better than One?", sections 2 to 4.
"""

import json
import time
from collections.abc import Iterator, Sequence

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
from model.corpora.pairs import References
from model.decoding.batch import translate_batch
from model.decoding.modified import ModifiedTransformer
from model.evaluation.scoring import score
from model.faithfulness.corpus import Report
from model.heads.analysis_file import Analysis, PruningPoint
from model.heads.statistics import head_statistics
from model.interventions.ablation import ablations_of
from model.nn.attention_model import AttentionConfig
from model.nn.hooks import Ablations, HeadAblation, Hooks
from model.trace.transformer import Trace
from model.transformer.heads import KINDS, Head, Kind, all_heads, attention_names
from model.transformer.masks import padding_mask
from model.translation_model import TranslationModel

IdPair = tuple[list[int], list[int]]  # token ids of source and target, with special tokens
N_POINTS = 16  # points of a pruning curve, without the first one
DECIMALS = 5  # decimals of every stored number


def gradient_importance(t: TranslationModel, pairs: Sequence[IdPair]) -> dict[Head, float]:
    """Return I_h = E |dL / dξ_h|: the sensitivity of the loss L to a gate ξ_h on each head h.

    Args:
        t: the model; its weights get no gradient.
        pairs: ids of source and target, each BOS ... EOS. E is the mean over them.

    Returns:
        For every head, in nats; L is the loss summed over the tokens of a sentence.
    """
    config = t.config
    paths = attention_names(config.n_layers)
    total = torch.zeros(len(paths), config.n_heads, device=t.model.device)
    for pair in pairs:
        gates = torch.ones(len(paths), config.n_heads, device=t.model.device, requires_grad=True)
        ablations = {path: HeadAblation(gate) for path, gate in zip(paths, gates, strict=True)}
        loss = -_label_log_probs(t, [pair], ablations).sum()
        (slope,) = torch.autograd.grad(loss, gates)
        total += slope.abs()
    return dict(zip(all_heads(config), (total / len(pairs)).flatten().tolist(), strict=True))


@torch.inference_mode()
def mean_log_prob(
    t: TranslationModel, pairs: Sequence[IdPair], ablations: Ablations, *, batch_size: int = 50
) -> float:
    """Return the mean log-probability of a target token, in nats, with some heads ablated.

    Args:
        t: the model.
        pairs: ids of source and target, each BOS ... EOS.
        ablations: which heads are ablated, and how.
        batch_size: pairs in a batch.
    """
    total = 0.0
    n_tokens = 0
    # sort by length to reduce padding
    ordered = sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1]))
    for start in range(0, len(ordered), batch_size):
        log_probs = _label_log_probs(t, ordered[start : start + batch_size], ablations)
        total += log_probs.double().sum().item()
        n_tokens += log_probs.numel()
    return total / n_tokens


def removal_order(importance: dict[Head, float]) -> list[Head]:
    """Return all heads, from the least to the most important."""
    return sorted(importance, key=lambda head: (importance[head], head))


def random_order(config: AttentionConfig) -> list[Head]:
    """Return all heads in random order, with a fixed seed."""
    heads = all_heads(config)
    order = np.random.default_rng(0).permutation(len(heads))
    return [heads[n] for n in order]


def by_kind(config: AttentionConfig, values: dict[Head, float]) -> dict[Kind, list[list[float]]]:
    """Arrange the values of all heads by kind of attention, layer and head.

    ``values`` is in the order of ``all_heads``.
    """
    table = np.reshape([*values.values()], (len(KINDS), config.n_layers, config.n_heads))
    return dict(zip(KINDS, table.tolist(), strict=True))


def _label_log_probs(t: TranslationModel, pairs: Sequence[IdPair], ablations: Ablations) -> Tensor:
    """Return the log-probabilities of all N target tokens of a batch, without padding: (N,).

    Args:
        t: the model and its tokenizer.
        pairs: token ids of B sources and targets, with special tokens.
        ablations: by the path of an attention; without any, all heads are on.
    """
    pad_id = t.tokenizer.pad_id
    batch = make_batch(pairs, pad_id).to(t.model.device)
    mask = padding_mask(batch.src, pad_id)
    logits = t.model(batch.src, batch.tgt, mask, hooks=Hooks(ablations=ablations))  # (B, T, V)
    is_token = batch.labels != pad_id  # (B, T)
    return -F.cross_entropy(logits[is_token], batch.labels[is_token], reduction="none")


class Analyser:
    """Measures the heads of one model on sentences with their first reference translations.

    Args:
        t: the model.
        references: each source with its reference translations.
        report: called with what is being measured, how much of it is done, and how much there is.
    """

    def __init__(self, t: TranslationModel, references: References, report: Report) -> None:
        self.t = t
        self.references = references
        self.report = report
        self.sources = list(references)
        self.first_targets = [targets[0] for targets in references.values()]
        source_ids = t.tokenizer.encode_ids(self.sources)
        target_ids = t.tokenizer.encode_ids(self.first_targets, "target")
        self.pairs = list(zip(source_ids, target_ids, strict=True))

    def traces(self) -> Iterator[Trace]:
        """Yield the trace of each sentence. All traces together would need gigabytes."""
        for n, (source, target) in enumerate(zip(self.sources, self.first_targets, strict=True)):
            self.report("statistics", n, len(self.sources))
            yield self.t.trace(source, target=target)

    def by_removal(self) -> tuple[dict[Head, float], dict[Head, float]]:
        """Measure what the model loses without each head.

        Returns:
            For every head the lost BLEU, and the lost log-probability in nats per token. A negative
            number means that the model is better without the head.
        """
        bleu = self._bleu([])
        log_prob = mean_log_prob(self.t, self.pairs, {})
        lost_bleu = {}
        lost_log_prob = {}
        heads = all_heads(self.t.config)
        for n, head in enumerate(heads):
            self.report("heads ablated", n, len(heads))
            ablations = ablations_of(self.t.config, [head], "zero")
            lost_bleu[head] = bleu - self._bleu([head])
            lost_log_prob[head] = log_prob - mean_log_prob(self.t, self.pairs, ablations)
        return lost_bleu, lost_log_prob

    def pruning_curve(self, name: str, order: Sequence[Head]) -> list[PruningPoint]:
        """Return BLEU after each removal of one more head, in a given order.

        Args:
            name: of the order, for the report.
            order: all heads; the first one is removed first.
        """
        curve = []
        for n in range(N_POINTS + 1):
            self.report(f"pruning, {name}", n, N_POINTS + 1)
            n_removed = round(len(order) * n / N_POINTS)
            bleu = self._bleu(order[:n_removed])
            curve.append(PruningPoint(n_removed, round(bleu, 2)))
        return curve

    def _bleu(self, removed: Sequence[Head]) -> float:
        """Return the BLEU of all sentences without some heads, by greedy decoding."""
        ablations = ablations_of(self.t.config, removed, "zero")
        ablated = ModifiedTransformer(self.t.model, ablations=ablations)
        hypotheses = translate_batch(ablated, self.t.tokenizer, self.sources)
        texts = [self.t.decode(hypothesis) for hypothesis in hypotheses]
        return score(texts, list(self.references.values())).bleu


def analyse(
    t: TranslationModel,
    references: References,
    *,
    alignments: Sequence[AlignedPair] = (),
    report: Report = lambda *_: None,
) -> Analysis:
    """Measure all heads on held-out sentences.

    Args:
        t: the model.
        references: each source with its reference translations.
        alignments: aligned pairs for the error rates; without any they are not measured.
        report: see ``Analyser``.
    """
    start = time.perf_counter()
    analyser = Analyser(t, references, report)

    # 1. Measure where the heads look.
    statistics = head_statistics(analyser.traces())

    # 2. Measure the importance of each head.
    report("gradients", 0, 1)
    gradient = gradient_importance(t, analyser.pairs)
    lost_bleu, lost_log_prob = analyser.by_removal()
    importance = {"gradient": gradient, "lost_bleu": lost_bleu, "lost_log_prob": lost_log_prob}

    # 3. Measure how many heads can be removed together.
    orders = {
        "gradient": removal_order(gradient),
        "removal": removal_order(lost_log_prob),
        "random": random_order(t.config),
    }
    curves = {name: analyser.pruning_curve(name, order) for name, order in orders.items()}

    # 4. Measure how well the heads align words.
    alignment = None
    if alignments:
        report("alignment", 0, 1)
        alignment = measure_alignment(t, alignments)

    # 5. Collect all results. Convert them to JSON and back, which rounds every number.
    analysis = {
        "checkpoint": t.name,
        "model": fingerprint(t.model),
        "n_parameters": t.n_parameters,
        "sentences": len(references),
        "statistics": statistics,
        "importance": {name: by_kind(t.config, values) for name, values in importance.items()},
        "pruning": curves,
        "alignment": alignment,
        "seconds": round(time.perf_counter() - start),
    }
    text = encode(analysis)
    rounded = json.loads(text, parse_float=lambda number: round(float(number), DECIMALS))
    return convert(rounded, Analysis)
