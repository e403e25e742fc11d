"""Score translations: BLEU and chrF, by sentence length, and compared with other models.

Start with ``scoring``.
"""
