"""The laboratory: a tiny Transformer learns a toy task in a minute. Start with ``laboratory``."""
