"""The errors that checkpoints raise."""


class CheckpointError(ValueError):
    """A checkpoint cannot be used; the message says why, and names one remedy."""


class NotOfThePaperError(CheckpointError):
    """A model of the Hub was given, but the parts of our own Transformer are shown."""


class NoHeadsError(CheckpointError):
    """A recurrent model was given, but only a Transformer has attention heads."""
