"""Everything that one forward pass computed, with the tokens that it was computed from.

Start with ``base`` and ``tracing``, then ``transformer``.
"""
