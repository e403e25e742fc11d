"""Shared by all networks: hooks that record, ablate and patch; seeds; dropout.

Start with ``hooks``.
"""
