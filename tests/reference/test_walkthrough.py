"""Lesson 1 equals PyTorch's multi-head attention; its worksheets equal its tensors."""

import math
from itertools import product

import pytest
import torch
from torch.nn import functional as F

from model.lessons.qkv.classroom import classroom_attention
from model.lessons.qkv.hand_calculation import calculate
from model.lessons.qkv.walkthrough import RESULTS, attention_of, walk
from model.transformer.heads import KINDS
from tests.tolerance import assert_same


def _pytorch(attention):
    """Return output and weights of PyTorch's function on the same numbers."""
    x, keys_from = (t.transpose(0, 1) for t in (attention.x, attention.keys_from))
    learned = attention.learned
    d_model = x.shape[-1]
    biases = torch.cat([learned[name].bias for name in ("w_q", "w_k", "w_v")])
    out, weights = F.multi_head_attention_forward(
        x, keys_from, keys_from, d_model, attention.n_heads, None, biases, None, None, False, 0.0,
        learned["w_o"].weight.T, learned["w_o"].bias, training=False,
        attn_mask=~attention.mask[0, 0], average_attn_weights=False, use_separate_proj_weight=True,
        q_proj_weight=learned["w_q"].weight.T, k_proj_weight=learned["w_k"].weight.T,
        v_proj_weight=learned["w_v"].weight.T,
    )  # fmt: skip
    return out.transpose(0, 1), weights


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_every_step_equals_pytorch(t, trace, kind, layer):
    attention = attention_of(t.model, trace, kind, layer)
    results = walk(attention)
    out, weights = _pytorch(attention)
    torch.testing.assert_close(results["attn_out"], out, rtol=0, atol=1e-10)
    torch.testing.assert_close(results["weights"], weights, rtol=0, atol=1e-10)
    d = attention.sizes["d_head"]
    torch.testing.assert_close(results["product"], d**0.5 * results["scores"], rtol=0, atol=1e-10)
    for name, head in product("qkv", range(attention.n_heads)):
        columns = results[f"{name}_flat"][..., head * d : (head + 1) * d]
        assert torch.equal(results[f"{name}_split"][:, :, head], columns)
        assert torch.equal(results[name][:, head], columns)
        assert torch.equal(
            results["merged"][..., head * d : (head + 1) * d], results["head_out"][:, head]
        )
    torch.testing.assert_close(results["head_out"], weights @ results["v"], rtol=0, atol=1e-10)


def test_the_shown_lines_of_code_compute_the_shown_numbers(t, trace):
    attention = attention_of(t.model, trace, "cross", 1)
    results = walk(attention)
    scope = {
        "torch": torch,
        "math": math,
        "mask": attention.mask,
        "norm": lambda x: x,
        "resid": attention.x,
        **attention.learned,
        **attention.sizes,
    }
    for name, result in RESULTS.items():
        if name == "keys_from":
            scope["keys_from"] = attention.keys_from  # the shown line is for self-attention
            continue
        exec(result.code, scope)
        left = result.code.split(" = ")[0]
        torch.testing.assert_close(scope[left], results[name], rtol=0, atol=1e-10)
        assert results[name].shape == tuple(attention.sizes[dim] for dim in result.dims)
    assert set(results) == set(RESULTS)


@pytest.mark.parametrize("kind", KINDS)
def test_the_worksheet_of_any_cell_gives_its_number(t, trace, kind):
    for attention in (attention_of(t.model, trace, kind, 1), classroom_attention(kind)):
        results = walk(attention)
        for name, tensor in results.items():
            cells = list(product(*map(range, tensor.shape[1:])))
            for cell in cells[:: max(1, len(cells) // 23)]:
                value, expected = calculate(attention, results, name, cell).value, tensor[0][cell]
                if tensor.dtype == torch.float64:
                    assert value == pytest.approx(expected.item(), abs=1e-10)
                else:
                    assert_same(value, expected, largest=10)


@pytest.mark.parametrize(
    ("name", "cell", "worksheet"),
    [
        ("x", (1, 4), ["x[1, 4] = 2"]),
        (
            "k_flat",
            (2, 4),
            [
                "k_flat[2, 4] = Σ_i keys_from[2, i] · W_K[i, 4] + b[4]",
                "    2 · 0",
                "  + 0 · 0",
                "  + 1 · 1",
                "  + 0 · 0",
                "  + 0 · 1",
                "  + 1 · 0",
                "  + 0   (b)",
                "  = 1",
            ],
        ),
        # column 1 of head 1 is column 1 · 3 + 1 of the wide matrix
        ("v_split", (2, 1, 1), ["v_split[2, 1, 1] = v_flat[2, 4]", "  = 0"]),
        ("k", (1, 0, 1), ["k[1, 0, 1] = k_split[0, 1, 1]", "  = 3"]),
        ("q", (1, 1, 0), ["q[1, 1, 0] = q_split[1, 1, 0]", "  3, changed by hand to", "  = 2"]),
        (
            "product",
            (1, 1, 2),
            [
                "product[1, 1, 2] = Σ_i q[1, 1, i] · k[1, 2, i]",
                "    2 · 3",
                "  + 0 · 1",
                "  + 0 · 0",
                "  = 6",
            ],
        ),
        (
            "scores",
            (1, 1, 2),
            [
                "scores[1, 1, 2] = product[1, 1, 2] / √d_head",
                "  = 6 / √3 = 6 / 1.7321",
                "  = 3.4641",
            ],
        ),
        (
            "masked_scores",
            (1, 1, 2),
            [
                "masked_scores[1, 1, 2]: mask[1, 2] = True",
                "  scores[1, 1, 2] stays",
                "  = 3.4641",
            ],
        ),
        (
            "weights",
            (0, 2, 0),
            [
                "weights[0, 2, 0] = exp(masked_scores[0, 2, 0]) / Σ_j exp(masked_scores[0, 2, j])",
                "    exp(1.7321) = 5.6522",
                "  + exp(0) = 1",
                "  + exp(1.7321) = 5.6522",
                "  Σ = 12.3045",
                "  5.6522 / 12.3045",
                "  = 0.4594",
            ],
        ),
        (
            "head_out",
            (0, 2, 1),
            [
                "head_out[0, 2, 1] = Σ_j weights[0, 2, j] · v[0, j, 1]",
                "    0.4594 · 0",
                "  + 0.0813 · 1",
                "  + 0.4594 · 0",
                "  = 0.0813",
            ],
        ),
        ("merged", (2, 1), ["merged[2, 1] = head_out[0, 2, 1]", "  = 0.0813"]),
    ],
)
def test_a_worksheet_is_written_like_a_calculation_on_paper(name, cell, worksheet):
    attention = classroom_attention("cross")
    results = walk(attention, {("q", 1, 1, 0): 2.0})
    assert calculate(attention, results, name, cell).lines == tuple(worksheet)


@pytest.mark.parametrize("number", [1000.0, -1000.0])
def test_a_worksheet_subtracts_the_largest_score_if_its_power_would_overflow(number):
    """e to the power of such a score overflows. After the subtraction the weights are right."""
    attention = classroom_attention("cross")
    results = walk(attention, {("q", 0, 2, 0): number, ("q", 0, 2, 1): number})
    for j, share in enumerate(results["weights"][0, 0, 2]):
        value = calculate(attention, results, "weights", (0, 2, j)).value
        assert_same(value, share, largest=1)
    scores = results["masked_scores"][0, 0, 2]
    shift = f"{'−' if number > 0 else '+'} {abs(scores.max()):.4f}"
    lines = calculate(attention, results, "weights", (0, 2, 0)).lines
    assert lines[1] == f"  exp(s) / Σ exp(s) = exp(s {shift}) / Σ exp(s {shift})"
    assert sum(line.startswith("  + exp(") for line in lines) == len(scores) - 1


def test_an_edited_number_changes_later_steps_and_no_earlier_step():
    attention = classroom_attention("encoder_self")
    before, after = walk(attention), walk(attention, {("q", 0, 1, 0): 5.0})
    assert torch.equal(before["q_flat"], after["q_flat"])
    assert after["q"][0, 0, 1, 0] == 5
    assert before["q"][0, 0, 1, 0] == 0
    assert torch.equal(before["weights"][0, 0, 0], after["weights"][0, 0, 0])
    assert not torch.equal(before["weights"][0, 0, 1], after["weights"][0, 0, 1])
    assert "changed by hand" in calculate(attention, after, "q", (0, 1, 0)).lines[1]


def test_the_classroom_example_has_the_numbers_computed_by_hand():
    """x of You, are, welcome is (1,0,2,0,1,0), (0,1,0,1,0,1), (2,0,1,0,0,1).

    q of head 1 takes input 1, inputs 2 + 5 and input 3: (1, 0+1, 2), (0, 1+0, 0), (2, 0, 1).
    k of head 1 takes the same inputs, so q kᵀ of You with itself is 1·1 + 1·1 + 2·2 = 6, of You
    with welcome 1·2 + 1·0 + 2·1 = 4, of are with welcome 0·2 + 1·0 + 0·1 = 0.

    q of head 2 takes inputs 2 + 5, input 4 and inputs 1 + 6: (1, 0, 1), (1, 1, 1), (0, 0, 3).
    k of head 2 takes inputs 1 + 6, inputs 3 + 5 and input 4: (1, 3, 0), (1, 0, 1), (3, 1, 0).
    q kᵀ: You looks for 1·1 = 1, 1·1 + 1·1 = 2, 1·3 = 3, and so on.
    """
    results = walk(classroom_attention("encoder_self"))
    assert results["q"][0].tolist() == [
        [[1, 1, 2], [0, 1, 0], [2, 0, 1]],
        [[1, 0, 1], [1, 1, 1], [0, 0, 3]],
    ]
    assert results["k"][0].tolist() == [
        [[1, 1, 2], [0, 1, 0], [2, 0, 1]],
        [[1, 3, 0], [1, 0, 1], [3, 1, 0]],
    ]
    assert results["v_flat"].tolist() == results["x"].tolist()  # W_V is the identity
    assert results["product"][0].tolist() == [
        [[6, 1, 4], [1, 1, 0], [4, 0, 5]],
        [[1, 2, 3], [4, 2, 4], [0, 3, 0]],
    ]


def test_the_cross_attention_of_the_classroom_example_is_that_computed_by_hand():
    """x of <bos>, De, rien is (1,0,0,1,0,0), (0,1,1,0,2,0), (1,0,1,1,0,1).

    Head 1: q = (1, 0, 0), (0, 1+2, 1), (1, 0, 1). With the keys of the source, (1,1,2), (0,1,0),
    (2,0,1): De with You 3·1 + 1·2 = 5, De with are 3·1 = 3, De with welcome 1·1 = 1.
    Head 2: q = (0, 1, 1), (1+2, 0, 0), (0, 1, 1+1). With the keys (1,3,0), (1,0,1), (3,1,0):
    De with welcome 3·3 = 9, rien with You 1·3 = 3, rien with are 2·1 = 2.
    """
    results = walk(classroom_attention("cross"))
    assert results["product"][0].tolist() == [
        [[1, 0, 2], [5, 3, 1], [3, 0, 3]],
        [[3, 1, 1], [3, 3, 9], [3, 2, 1]],
    ]
    # rien in head 1: e^(3/√3) = 5.652 twice and e^0 = 1, so 5.652 / 12.304 = 0.459 and 0.081.
    assert results["weights"][0, 0, 2].tolist() == pytest.approx([0.459, 0.081, 0.459], abs=5e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_output_of_the_classroom_example_is_that_computed_by_hand(kind):
    """W_O adds head 2 to head 1 in the first three numbers; the last three are head 2 alone."""
    results = walk(classroom_attention(kind))
    first, second = results["merged"][0, :, :3], results["merged"][0, :, 3:]
    torch.testing.assert_close(results["attn_out"][0], torch.cat((first + second, second), dim=1))


def test_a_hidden_score_is_minus_infinity_on_paper_too():
    attention = classroom_attention("decoder_self")
    results = walk(attention)
    assert calculate(attention, results, "masked_scores", (1, 0, 2)).lines[-1] == "  = −∞"
    assert calculate(attention, results, "masked_scores", (0, 0, 2)).value == -math.inf
    row = calculate(attention, results, "weights", (1, 0, 0)).lines
    assert [line.strip() for line in row if "∞" in line] == ["+ exp(−∞) = 0"] * 2
    assert calculate(attention, results, "weights", (0, 0, 2)).value == 0
    assert results["weights"][0, :, 0].tolist() == [[1, 0, 0], [1, 0, 0]]
    assert results["product"][0, 0, 1, 1] == 10  # De with itself: 3·3 + 1·1


@pytest.mark.parametrize(
    ("name", "cell", "one_line"),
    [
        ("q_flat", (1, 1), "0 · 0 + 1 · 1 + 1 · 0 + 0 · 0 + 2 · 1 + 0 · 0 = 3"),
        ("product", (0, 1, 0), "0 · 1 + 3 · 1 + 1 · 2 = 5"),
        ("scores", (0, 1, 0), "5 / √3 = 5 / 1.7321 = 2.8868"),
        ("weights", (0, 2, 0), "5.6522 / 12.3045 = 0.4594"),
        ("head_out", (0, 2, 1), "0.4594 · 0 + 0.0813 · 1 + 0.4594 · 0 = 0.0813"),
        ("q", (0, 1, 1), ""),  # copied, not computed
        ("merged", (1, 1), ""),
    ],
)
def test_a_calculation_fits_on_one_line_of_a_blackboard(name, cell, one_line):
    attention = classroom_attention("cross")
    assert calculate(attention, walk(attention), name, cell).one_line == one_line


def test_one_line_leaves_out_the_middle_of_a_long_sum(t, trace):
    attention = attention_of(t.model, trace, "cross", 1)
    calculation = calculate(attention, walk(attention), "product", (0, 1, 1))
    first, second, *_, last, result = [line.strip() for line in calculation.lines[1:]]
    assert calculation.one_line == f"{first} {second} + … {last} {result}"
