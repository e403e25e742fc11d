"""Read files from unknown sources safely, and replace files whole or not at all.

Start with ``json_file``.
"""
