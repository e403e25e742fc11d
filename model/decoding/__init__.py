"""How a translation is written, token by token.

Read ``greedy`` first, then ``beam``. ``fused`` is the same Transformer in fewer steps.
"""
