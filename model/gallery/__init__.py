"""Prepared examples. Each shows one phenomenon that was found and checked in a model.

Start with ``phenomena``.
"""
