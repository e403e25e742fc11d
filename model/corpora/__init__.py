"""Sentence pairs: read from files, checked, split, and put into batches. Start with ``corpus``."""
