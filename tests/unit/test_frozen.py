"""What threads share cannot be changed by one of them; settings have names, not places."""

import importlib
import pkgutil
from dataclasses import is_dataclass

import pytest

import model
from model.data.augmentation import Shares
from model.lessons.learning.laboratory import Settings
from model.maps.view import ViewChoice
from model.recurrent.config import RecurrentConfig
from model.training.trainer import TrainingConfig
from model.transformer.config import ModelConfig

MODULES = [module.name for module in pkgutil.walk_packages(model.__path__, "model.")]
# They count on with every step of the one who made them.
OF_ONE_RUN = {"FusedCache", "RecurrentCache", "Progress"}


@pytest.mark.parametrize("name", MODULES)
def test_results_and_settings_are_frozen(name):
    found = vars(importlib.import_module(name)).values()
    classes = {c for c in found if isinstance(c, type) and is_dataclass(c)}
    own = {c for c in classes if c.__module__ == name and c.__name__ not in OF_ONE_RUN}
    assert {c.__name__ for c in own if not c.__dataclass_params__.frozen} == set()


@pytest.mark.parametrize(
    "kind", [ModelConfig, RecurrentConfig, TrainingConfig, Settings, Shares, ViewChoice]
)
def test_settings_are_given_by_name(kind):
    """Their order means nothing: one that is added may stand anywhere."""
    with pytest.raises(TypeError, match="takes 1 positional argument"):
        kind(3)
