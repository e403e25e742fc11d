"""What happens without a head: it gives its mean output, whatever the sentence."""

from __future__ import annotations

from model.gallery.example import NOTHING, Found
from model.gallery.scene import Scene, words_of
from model.interventions.ablation import ablation_effect, ablations_of
from model.maps.view import ViewChoice
from model.transformer.heads import Head

_FREE = 0.05  # nats that a whole translation may lose or gain without a head that is not needed


def spared(scene: Scene, head: Head) -> Found:
    """The translation stays as it is, and as probable: how clear the head's map was nevertheless.

    The strength is the mean of the largest weight of each row.
    """
    text, lost = _without(scene, head)
    if text != scene.trace.target_text or abs(lost) > _FREE:
        return NOTHING
    weights = scene.view(ViewChoice(kind=head[0], rows="written")).heads[head[1:]]
    return Found(float(weights.max(axis=-1).mean()), lost=lost)


def needed(scene: Scene, head: Head) -> Found:
    """Other words are written, not only other signs: the log-probability that the first lose."""
    text, lost = _without(scene, head)
    same = words_of(text) == words_of(scene.trace.target_text)
    return NOTHING if same else Found(lost, lost=lost)


def _without(scene: Scene, head: Head) -> tuple[str, float]:
    """The translation without the head, and the log-probability that the first one has lost.

    Where the mean outputs were not measured, it is infinite.
    """
    if scene.means is None:
        return scene.trace.target_text, float("inf")
    t, trace = scene.t, scene.trace
    effect = ablation_effect(t, trace, ablations_of(t.config, [head], "mean", scene.means.means))
    return effect.text, float(trace.log_probs.sum() - effect.log_probs.sum())
