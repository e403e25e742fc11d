"""Work of more than a moment: one piece at a time, for all visitors of a server."""
