"""What every network here is built with: the hooks that look inside, seeds, dropout.

Start with ``hooks``.
"""
