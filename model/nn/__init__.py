"""Code that all networks share: hooks that record, ablate and patch; seeds; dropout.

Start with ``hooks``.
"""
