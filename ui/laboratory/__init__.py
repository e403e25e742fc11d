"""The laboratory of the page "Learning": a tiny Transformer that learns before one's eyes."""
