"""Texts: the interface in each language, and texts of visitors and models as HTML."""
