"""The parts of the explorer and of the first page. Start with ``shown_map``."""
