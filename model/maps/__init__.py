"""Measures and views of the attention maps of one sentence.

Start with ``view``.
"""
