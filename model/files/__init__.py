"""Read files from unknown sources safely, and replace files completely or not at all.

Start with ``json_file``. What a file or a folder is that nobody can read here: ``file_format``,
``folder_format``.
"""
