"""What all networks here share: the hooks that look inside, seeds and dropout.

Start with ``hooks``.
"""
