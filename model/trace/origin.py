"""The checkpoint that a trace comes from."""

from dataclasses import dataclass

from model.corpora.pairs import Languages


@dataclass(frozen=True)
class Origin:
    """A description of the checkpoint that a trace comes from."""

    name: str  # of the checkpoint's folder
    # of source and target; None if a language is not known
    languages: Languages
    n_parameters: int  # number of parameters of the model
    mark: str  # fingerprint of the weights; it changes when the model is trained further
    card: str  # the checkpoint's README; empty if it has none
