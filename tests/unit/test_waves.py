"""Rotation and waves against the paper's formula, written out number by number."""

from __future__ import annotations

import math

import pytest
import torch

from model.lessons.positions.rotation import rotation
from model.lessons.positions.waves import (
    bits,
    doubling_pairs,
    similarity,
    similarity_at,
    wavelengths,
)
from model.transformer.positional import positional_encoding

D_MODEL = 14


@pytest.mark.parametrize("k", [-9, -1, 0, 1, 5, 100])
def test_m_k_is_a_rotation_of_every_pair_and_nothing_else(k: int) -> None:
    m_k = rotation(k, D_MODEL)
    assert m_k.shape == (D_MODEL, D_MODEL)
    for row in range(D_MODEL):
        for column in range(D_MODEL):
            angle = k / 10000 ** (2 * (row // 2) / D_MODEL)
            block = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
            expected = block[row % 2][column % 2] if row // 2 == column // 2 else 0.0
            assert float(m_k[row, column]) == pytest.approx(expected, abs=1e-12)


def test_wavelengths_are_where_the_wave_begins_again() -> None:
    for i, length in enumerate(wavelengths(D_MODEL).tolist()):
        assert length == pytest.approx(2 * math.pi * 10000 ** (2 * i / D_MODEL))


def test_similarity_is_every_dot_product() -> None:
    waves = positional_encoding(11, D_MODEL).tolist()
    table = similarity(11, D_MODEL).tolist()
    for p in range(11):
        for other in range(11):
            expected = sum(a * b for a, b in zip(waves[p], waves[other], strict=True))
            assert table[p][other] == pytest.approx(expected, abs=1e-6)


def test_similarity_at_an_offset_is_the_sum_of_cosines() -> None:
    offsets = torch.arange(-5, 6)
    for k, value in zip(offsets.tolist(), similarity_at(offsets, D_MODEL).tolist(), strict=True):
        expected = sum(math.cos(k / 10000 ** (2 * i / D_MODEL)) for i in range(D_MODEL // 2))
        assert value == pytest.approx(expected)


def test_bits_are_pythons() -> None:
    for position, row in enumerate(bits(70, 7).int().tolist()):
        assert "".join(map(str, reversed(row))) == f"{position:07b}"


@pytest.mark.parametrize("d_model", [2, 4, 66, 256])
def test_doubling_pairs_exist_and_get_longer(d_model: int) -> None:
    pairs = doubling_pairs(d_model, 8)
    assert pairs == sorted(set(pairs))
    assert pairs[0] == 0
    assert pairs[-1] < d_model // 2


def test_each_of_them_is_twice_as_long_as_the_one_before() -> None:
    """As nearly as there is one: in a wide model there is one very near."""
    d_model = 2_000_000
    lengths = wavelengths(d_model)[doubling_pairs(d_model, 13)]
    assert (lengths / lengths[0]).tolist() == pytest.approx([2.0**n for n in range(13)], rel=2e-5)
