"""What can be done with the attention maps of one sentence.

Start with ``view``.
"""
