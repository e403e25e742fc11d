"""What every network here is built with: the tape that looks inside, seeds, dropout.

Start with ``tape``.
"""
