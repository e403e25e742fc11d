"""Another model's weights to begin with."""

from dataclasses import dataclass, replace

from model.checkpoint.architectures import AnyConfig
from model.nn.encoder_decoder import Model
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.translation_model import load


@dataclass(frozen=True)
class Beginning:
    """What a training begins with."""

    model: Model
    tokenizer: ByteLevelTokenizer
    told: str  # whose weights these are, and how they were made

    def fits(self, config: AnyConfig) -> bool:
        """Whether this is its architecture, dropout apart."""
        return replace(config, dropout=self.model.config.dropout) == self.model.config


def read_beginning(folder: str) -> Beginning:
    """Read a finished model; ValueError if its tokenizer is one that no training here can learn."""
    begun = load(folder)
    if not isinstance(begun.tokenizer, ByteLevelTokenizer):
        raise ValueError(
            f"the model in {begun.folder} came from elsewhere, with a tokenizer that is "
            "not trained here: begin with one that was trained here, or with none"
        )
    steps, command = begun.training.get("steps", 0), begun.training.get("command", "unknown")
    told = f"{begun.name}, {steps:,} steps of: {command}"
    return Beginning(begun.model, begun.tokenizer, told)
