"""Files that somebody else may have written or torn: read with care, replaced whole or not at all.

Start with ``json_file``.
"""
