"""Translation models that return every number they compute: ``from model import load``."""

import model.stopped_import  # noqa: F401 - before PyTorch, which takes seconds

# isort: split
from model.checkpoint.checkpoint import list_checkpoints
from model.files.checkpoint_error import CheckpointError
from model.pictures.show import show
from model.trace.loading import load_trace
from model.trace.recurrent import RecurrentTrace
from model.trace.tracing import InputError
from model.trace.transformer import AttentionMaps, Trace
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
    "load_trace",
    "show",
]
