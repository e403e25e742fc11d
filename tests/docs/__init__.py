"""The documents in `docs/`: followed as they are written, and their links."""
