"""Compare attention with word alignments made by hand: error rates, and which head aligns best.

Start with ``gold``, then ``error_rate``.
"""
