"""From random weights to a model: sections 5.3 and 5.4 of the paper, and what came since.

Start with ``trainer``, then ``loss`` and ``optimizer``.
"""
