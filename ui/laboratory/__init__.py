"""The laboratory of the page "Learning": watch a tiny Transformer learn."""
