"""Follow the documents in `docs/` step by step, and check their links."""
