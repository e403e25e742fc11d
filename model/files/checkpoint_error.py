"""The errors that checkpoints raise."""


class CheckpointError(ValueError):
    """The error for an unusable checkpoint; the message gives the reason and one remedy."""


class NotOfThePaperError(CheckpointError):
    """The error for a Hub model on a page that needs our own Transformer."""


class NoHeadsError(CheckpointError):
    """The error for a recurrent model where attention heads are needed."""
