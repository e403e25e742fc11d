"""The kinds of operations in a profile, and their shares of the time."""

import pytest

from benchmarks.profiles import shares_of_kinds


def test_each_kind_has_its_share_the_largest_first() -> None:
    times = [("aten::dropout", 1.0), ("aten::addmm", 4.0), ("aten::mm", 2.0), ("aten::zeros", 1.0)]
    shares = shares_of_kinds(times)
    assert shares == {"matrix products": 0.75, "dropout": 0.125, "the rest": 0.125}
    assert next(iter(shares)) == "matrix products"


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("aten::_softmax", "softmax and loss"),
        ("aten::scaled_dot_product_attention", "attention"),
        ("aten::native_layer_norm", "layer norm"),
        ("aten::_to_copy", "copies and casts"),
        ("aten::embedding", "embedding"),
        ("aten::linalg_vector_norm", "sums, products, norms"),
        ("aten::addmm", "matrix products"),  # and no sum: the first kind counts
    ],
)
def test_an_operation_is_of_the_first_kind_that_its_name_has(operation: str, kind: str) -> None:
    assert shares_of_kinds([(operation, 3.0)]) == {kind: 1.0}
