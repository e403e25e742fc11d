"""What a figure tells its worksheet."""

import re

import pytest

from tests.ui.drawn import Page
from tests.ui.test_provenance import GIVEN


@pytest.mark.parametrize(
    ("attention", "cells", "named"),
    [
        ("encoder_self", "weights", "encoder_self"),
        ("cross", "weights", "cross"),
        ("cross", "contributions", None),
    ],
)
def test_a_map_names_its_attention_if_its_cells_say_where_the_model_looks(attention, cells, named):
    page = Page("explorer", **GIVEN | {"attention": attention, "cells": cells})
    [bar] = re.findall('<details class="figure-bar"[^>]* data-name="map"[^>]*>', page.html)
    found = re.search(' data-attention="(.*?)"', bar)
    assert (found and found[1]) == named
