"""All architectures by name: from the numbers in a configuration to a model."""

from dataclasses import fields
from typing import Any

from msgspec import convert

from model.nn.encoder_decoder import Config, Model
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.transformer.config import CONVERTED_ONLY, ModelConfig
from model.transformer.transformer import Transformer

AnyConfig = ModelConfig | RecurrentConfig
TRANSFORMER = "transformer"
ARCHS: tuple[str, ...] = (TRANSFORMER, *RECURRENT_ARCHS)


def new_model(config: AnyConfig) -> Model:
    """An untrained model of this architecture."""
    if isinstance(config, RecurrentConfig):
        return RecurrentEncoderDecoder(config)
    return Transformer(config)


def config_to_json(config: Config) -> dict[str, Any]:
    """A configuration as JSON values; fields of converted models only where they differ."""
    ours = {name: getattr(ModelConfig, name) for name in CONVERTED_ONLY}
    return {k: v for k, v in vars(config).items() if k not in ours or v != ours[k]}


def read_architecture(values: Any) -> AnyConfig:
    """JSON values as a configuration, or ValueError; without ``arch`` it is a Transformer's."""
    if not isinstance(values, dict):
        raise ValueError(f"an architecture is a table of numbers, not {values!r}")
    arch = values.get("arch", TRANSFORMER)
    if arch not in ARCHS:
        raise ValueError(f"unknown architecture {arch!r}; known are {ARCHS}")
    kind: type[AnyConfig] = ModelConfig if arch == TRANSFORMER else RecurrentConfig
    known = {"arch", *(field.name for field in fields(kind))}
    if unknown := sorted(values.keys() - known):
        raise ValueError(f"unknown architecture keys {unknown}; known are {sorted(known)}")
    return convert(values, kind)
