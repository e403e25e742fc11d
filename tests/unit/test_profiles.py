"""The kinds of operations in a profile, and their shares of the time."""

from itertools import count
from types import SimpleNamespace

import pytest
import torch

from benchmarks import profiles
from benchmarks.profiles import shares_of_kinds


def test_each_kind_has_its_share_the_largest_first() -> None:
    times = [("aten::dropout", 1.0), ("aten::addmm", 4.0), ("aten::mm", 2.0), ("aten::zeros", 1.0)]
    shares = shares_of_kinds(times)
    # (4 + 2) / 8, and 1 / 8 twice
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


def test_a_training_and_a_translation_are_measured_in_seconds_and_operations(
    monkeypatch, capsys
) -> None:
    calls: list[object] = []

    def multiply(given: object) -> None:
        calls.append(given)
        torch.ones(10, 20) @ torch.ones(20, 30)  # 2 * 10 * 20 * 30 operations

    saved: dict[str, dict[str, object]] = {}
    clock = count(step=2.0)  # two seconds pass between two looks at the clock
    t = SimpleNamespace(trace=multiply)
    steps = SimpleNamespace(train_step=multiply)
    monkeypatch.setattr(profiles, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    monkeypatch.setattr(profiles, "_LARGE", 8)
    monkeypatch.setattr(profiles, "SENTENCES", ("I see.",))
    monkeypatch.setattr(
        profiles,
        "ByteLevelTokenizer",
        SimpleNamespace(load=lambda _: SimpleNamespace(vocab_size=9)),
    )
    monkeypatch.setattr(profiles, "quick_precisions", lambda: [torch.bfloat16])
    monkeypatch.setattr(profiles, "our_training", lambda *_: steps)
    monkeypatch.setattr(profiles, "random_batches", lambda _: ["a", "b", "c"])
    monkeypatch.setattr(profiles, "load_transformer", lambda _: t)
    monkeypatch.setattr(
        profiles, "save_results", lambda name, results: saved.update({name: results})
    )
    monkeypatch.setattr(torch, "set_num_threads", calls.append)
    profiles.main()

    training = "profile of 3 training steps, bfloat16"
    translation = "profile of a translation and its trace, 2 words"
    # Each is done once before it is measured, then with a clock and then with a profiler: twice the
    # three batches, and six times the sentence. The app translates with one thread.
    assert calls == ["a", "b", "c"] * (1 + 2 + 2) + [1] + ["I see."] * (1 + 6 + 6)
    for name in (training, translation):
        shares = saved[name].pop("shares")
        assert sum(shares.values()) == pytest.approx(1.0)
        # six products in two seconds; one of 8 rows and columns in two seconds
        assert saved[name] == {"flops": 6 * 12_000 / 2, "flops of one large product": 2 * 8**3 / 2}
    lines = capsys.readouterr().out.splitlines()
    assert f"{training}: 1000 milliseconds" in lines
    assert f"{translation}: 333 milliseconds" in lines
    assert f"  {shares['matrix products']:6.1%}  matrix products" in lines
