"""An analysis is whole or not, whichever one thing it lacks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from model.heads.analysis import _is_whole

SHIPPED = Path(__file__).parents[2] / "checkpoints" / "en-fr" / "analysis.json"
LACKING: dict[str, Callable[[Any], object]] = {
    "a head of the statistics": lambda a: a["statistics"]["cross"][1].pop(),
    "a layer of the statistics": lambda a: a["statistics"]["decoder_self"].pop(),
    "a head of an importance": lambda a: a["importance"]["lost_bleu"]["encoder_self"][0].pop(),
    "a layer of an importance": lambda a: a["importance"]["gradient"]["cross"].pop(),
    "a head of the rates": lambda a: a["alignment"]["rates"]["norms AWO"]["heads"][3].pop(),
    "a layer of the rates": lambda a: a["alignment"]["rates"]["weights AWI"]["layers"].pop(),
    "a point of a curve": lambda a: a["pruning"]["random"].pop(),
    "the place of a point": lambda a: a["pruning"]["removal"][2].update(removed=7),
}


@pytest.mark.parametrize("what", LACKING)
def test_one_that_lacks_something_is_not_whole(what):
    analysis = json.loads(SHIPPED.read_text("utf-8"))
    assert _is_whole(analysis, 4, 8)
    assert _is_whole(analysis | {"alignment": None}, 4, 8)
    assert not _is_whole(analysis, 3, 8)
    assert not _is_whole(analysis, 4, 7)
    LACKING[what](analysis)
    assert not _is_whole(analysis, 4, 8)
