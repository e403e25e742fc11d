"""How fast to learn at each step: warm up, go on, cool down."""

from __future__ import annotations


def learning_rate_factor(step: int, *, n_steps: int, warmup: int, cooldown: float) -> float:
    """Factor on the peak learning rate: a ramp up, a plateau, a ramp down to zero.

    The paper warms up in the same way and then decays with 1/√step. A plateau with a short
    cool-down ends at a lower loss, and a run can be made longer without starting again.

    Args:
        step: number of the step about to be taken, from 0.
        n_steps: steps of the whole run.
        warmup: steps until the peak is reached.
        cooldown: last share of the run, in (0, 1], over which the rate falls to zero.

    Returns:
        A factor in (0, 1].

    Source: Vaswani et al. 2017, section 5.3 (warm-up); Hägele et al. 2024 (plateau, cool-down).

    >>> [learning_rate_factor(s, n_steps=10, warmup=2, cooldown=0.4) for s in (0, 1, 5, 8, 9)]
    [0.5, 1.0, 1.0, 0.5, 0.25]
    """
    up = (step + 1) / warmup if warmup else 1.0
    down = (n_steps - step) / (cooldown * n_steps)
    return min(up, down, 1.0)
