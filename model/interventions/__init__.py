"""Interventions: change one component of a model or a sentence, and measure the effect.

Heads are ablated, source tokens are hidden, activations are patched. Start with ``ablation``, then
``leave_one_out``.
"""
