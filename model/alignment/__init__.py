"""Compare attention with hand-made word alignments: error rates, and the head that aligns best.

Start with ``gold``, then ``error_rate``.
"""
