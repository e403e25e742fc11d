"""Find the step of a training run at which a translation is almost learned."""

from collections.abc import Mapping
from math import log

from model.trace.next_tokens import perplexity
from model.trace.transformer import Trace

# With this share, the snapshots of en-fr-small write words of the language that do not yet mean the
# sentence: "Elle lui a écrit la plage parce qu'il était la porte." With a half they still stutter.
_SHARE = 0.75


def almost_learned_step(readings: Mapping[int, Trace]) -> int:
    """Return the first step at which three quarters of the way to a translation are done.

    The way is the fall of the log-perplexity of the trained model's translation, from the first to
    the last step. If it did not fall, or is not a number because the training has diverged, the
    result is the last step.

    Args:
        readings: for each step, from the first to the last, the snapshot's trace of the trained
            model's translation.
    """
    losses = {step: log(perplexity(trace)) for step, trace in readings.items()}
    steps = list(losses)
    first = losses[steps[0]]
    last = losses[steps[-1]]
    if last >= first:
        return steps[-1]
    almost = first + _SHARE * (last - first)
    return next((step for step in steps if losses[step] <= almost), steps[-1])
