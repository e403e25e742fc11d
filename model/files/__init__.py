"""Read files that others wrote with care, and replace files whole or not at all.

Start with ``json_file``.
"""
