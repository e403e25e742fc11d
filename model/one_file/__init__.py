"""The explorer as one HTML file: JavaScript runs the model and shows every head.

``export.py`` packs a checkpoint. The scripts in ``web/one_file`` read like ``model/transformer``
and ``model/decoding/greedy``. ``python -m model.one_file`` writes the file.
"""
