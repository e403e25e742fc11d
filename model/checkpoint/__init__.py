"""A trained model as a folder, and its weights at some steps. Start with ``checkpoint``."""
