"""Prepared examples: each shows one phenomenon, found and checked in a model.

Start with ``phenomena``.
"""
