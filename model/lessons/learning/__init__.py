"""The laboratory: a tiny Transformer learns a toy task in a minute; start with ``laboratory``."""
