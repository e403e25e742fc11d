"""What is said of a checkpoint that cannot be used."""


class CheckpointError(ValueError):
    """A checkpoint that cannot be used; the message says why and what to do."""


class NoHeadsError(CheckpointError):
    """A recurrent model where a Transformer is asked for."""
