"""Save and load a trained model as a folder, with snapshots of its weights during training.

Start with ``checkpoint``.
"""
