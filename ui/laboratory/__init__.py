"""The laboratory of the page "Learning": a tiny Transformer learns while one watches."""
