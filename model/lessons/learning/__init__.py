"""Tasks that a tiny Transformer learns in a minute; start with ``toy_tasks``."""
