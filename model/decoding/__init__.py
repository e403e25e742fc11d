"""How a translation is written, token by token: ``greedy``, then ``beam``; ``fused`` is the same
Transformer in fewer steps."""
