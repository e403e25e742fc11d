"""The parts of the explorer and of the first page. Start with ``attention_map``."""
