"""How good translations are: BLEU and chrF, by length, and beside other models.

Start with ``scoring``.
"""
