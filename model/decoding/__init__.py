"""How a translation is written, token by token.

Start with ``greedy``, then ``beam``; ``fused`` is the same Transformer in fewer steps.
"""
