"""The catalogue of all heads, known from a corpus."""
