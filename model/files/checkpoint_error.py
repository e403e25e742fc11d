"""The errors that checkpoints raise."""


class CheckpointError(ValueError):
    """A checkpoint cannot be used; the message says why, and names one remedy."""


class NoHeadsError(CheckpointError):
    """A recurrent model was given, but only a Transformer has attention heads."""
