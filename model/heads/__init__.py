"""What is known of each head: measured over a corpus, and what it is called for.

Start with ``analysis``, which calls the others.
"""
