"""The table of all architectures, and the conversion of their configurations to and from JSON."""

from dataclasses import fields
from typing import Any

from msgspec import convert

from model.nn.encoder_decoder import Config, Model
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer

AnyConfig = ModelConfig | RecurrentConfig
TRANSFORMER = "transformer"
ARCHS: tuple[str, ...] = (TRANSFORMER, *RECURRENT_ARCHS)


def new_model(config: AnyConfig) -> Model:
    """Return an untrained model with this configuration."""
    if isinstance(config, RecurrentConfig):
        return RecurrentEncoderDecoder(config)
    return Transformer(config)


def config_to_json(config: Config) -> dict[str, Any]:
    """Return a configuration as JSON values."""
    return dict(vars(config))


def read_architecture(values: Any) -> AnyConfig:
    """Read a configuration from JSON values; a Transformer's if "arch" is missing.

    Raises:
        ValueError: they are not a table, name an unknown architecture or key, or a value is out of
            range.
    """
    if not isinstance(values, dict):
        raise ValueError(f"an architecture is a table of numbers, not {values!r}")
    arch = values.get("arch", TRANSFORMER)
    if arch not in ARCHS:
        raise ValueError(f"unknown architecture {arch!r}; known are {ARCHS}")
    config: type[AnyConfig] = ModelConfig if arch == TRANSFORMER else RecurrentConfig
    known = {"arch", *(field.name for field in fields(config))}
    unknown = sorted(values.keys() - known)
    if unknown:
        raise ValueError(f"unknown architecture keys {unknown}; known are {sorted(known)}")
    return convert(values, config)
