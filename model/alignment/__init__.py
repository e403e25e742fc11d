"""How far attention agrees with word alignments made by hand: links, error rates, who aligns best.

Start with ``gold``, then ``error_rate``.
"""
