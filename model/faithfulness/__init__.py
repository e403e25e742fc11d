"""Faithfulness of maps: does the model need the tokens that a map marks as most important?

Start with ``occlusion``.
"""
