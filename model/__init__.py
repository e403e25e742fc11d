"""A translation Transformer that can be looked into: ``from model import load``."""

from model.checkpoint import CheckpointError, list_checkpoints
from model.trace import AttentionMaps, InputError, Trace
from model.translation_model import TranslationModel, load

__all__ = [
    "AttentionMaps",
    "CheckpointError",
    "InputError",
    "Trace",
    "TranslationModel",
    "list_checkpoints",
    "load",
]
