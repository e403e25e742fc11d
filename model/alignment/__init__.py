"""Compare attention with hand-made word alignments: error rates, and the best-aligning head.

Start with ``gold``, then ``error_rate``.
"""
