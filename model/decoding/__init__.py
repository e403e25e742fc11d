"""Decoding: generate a translation token by token.

Read ``greedy`` first, then ``beam``. ``fused`` is the same Transformer in fewer steps, and
``draft`` lets it write with 16-bit numbers.
"""
