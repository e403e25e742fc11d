"""Score translations with BLEU and chrF, by sentence length and against other models.

Start with ``scoring``.
"""
