"""Interventions: change one thing in a model or a sentence, and measure what the translation loses.

Heads are ablated, source tokens are hidden, activations are patched. Start with ``ablation``, then
``leave_one_out``.
"""
