"""Read files from unknown sources safely, and replace files completely or not at all.

Start with ``json_file``.
"""
