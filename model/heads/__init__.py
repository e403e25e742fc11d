"""What is known of each head, over a corpus and when it is changed.

Start with ``analysis``, which calls the others.
"""
