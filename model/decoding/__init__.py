"""Decoding: generate a translation token by token.

Read ``greedy`` first, then ``beam``. ``fused`` is the same Transformer in fewer steps.
"""
