"""Translation models that can be looked into: ``from model import load``."""

from model.checkpoint import list_checkpoints
from model.checkpoint_error import CheckpointError
from model.reading import InputError
from model.recurrent_trace import RecurrentTrace
from model.trace import AttentionMaps, Trace
from model.translation_model import RecurrentTranslationModel, TranslationModel, load

__all__ = [
    "AttentionMaps",
    "CheckpointError",
    "InputError",
    "RecurrentTrace",
    "RecurrentTranslationModel",
    "Trace",
    "TranslationModel",
    "list_checkpoints",
    "load",
]
