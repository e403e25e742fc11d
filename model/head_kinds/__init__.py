"""What a head is called for: where it looks over many sentences, along which relations of grammar.

Start with ``kinds``; ``syntax`` measures what an analysis lacks.
"""
