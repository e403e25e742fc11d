"""Faithfulness of maps: does the model need the tokens with the largest cells of a map?

Start with ``occlusion``.
"""
