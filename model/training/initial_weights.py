"""Start a training run with the weights of a finished model instead of random weights."""

from dataclasses import dataclass, replace

from model.checkpoint.architectures import AnyConfig
from model.nn.encoder_decoder import Model
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.translation_model import load


@dataclass(frozen=True)
class InitialWeights:
    """A finished model whose weights are the initial weights of a new training run."""

    model: Model
    tokenizer: ByteLevelTokenizer
    description: str  # the model's name, its steps, and the command that trained it

    def fits(self, config: AnyConfig) -> bool:
        """Return whether ``config`` is the architecture of these weights, apart from dropout."""
        return replace(config, dropout=self.model.config.dropout) == self.model.config


def read_initial_weights(folder: str) -> InitialWeights:
    """Read the weights and the tokenizer of a finished model.

    Raises:
        ValueError: the model is one of the Hugging Face Hub. Its tokenizer cannot be trained here.
    """
    source = load(folder)
    if not isinstance(source.tokenizer, ByteLevelTokenizer):
        raise ValueError(
            f"the model in {source.folder} is one of the Hugging Face Hub, and its tokenizer "
            "cannot be trained here: begin with a model that was trained here"
        )
    steps = source.training.get("steps", 0)
    command = source.training.get("command", "unknown")
    description = f"{source.name}, {steps:,} steps of: {command}"
    return InitialWeights(source.model, source.tokenizer, description)
