"""Faithfulness of maps: does it cost much to hide the tokens that a map points at?

Start with ``occlusion``.
"""
