"""A trained model as a folder, and the weights of some steps of its training.

Start with ``checkpoint``.
"""
