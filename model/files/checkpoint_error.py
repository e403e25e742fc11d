"""The errors about checkpoints."""


class CheckpointError(ValueError):
    """A checkpoint cannot be used. The message says why, and names one remedy."""


class NoHeadsError(CheckpointError):
    """A recurrent model has no attention heads, and a Transformer is needed."""
