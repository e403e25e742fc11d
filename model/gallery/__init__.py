"""Prepared examples: each shows one thing, found in a model and checked on it.

Start with ``phenomena``.
"""
