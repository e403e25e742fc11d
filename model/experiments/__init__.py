"""What one translation owes to each head and each token: taken out one by one, and measured.

Start with ``each_alone``, then ``contrast``.
"""
