"""Files of others, read with care, replaced whole or not at all. Start with ``json_file``."""
