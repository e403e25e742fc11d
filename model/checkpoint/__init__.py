"""Save and load a trained model as a folder, with its weights at some steps.

Start with ``checkpoint``.
"""
