"""The weights of the one file, int8 numbers with scales, are close to those of the model."""

import torch

from model.one_file.weights import quantised


def test_the_largest_number_of_a_group_becomes_127_and_none_overflows() -> None:
    weight = torch.linspace(-3, 2, 2 * 300, dtype=torch.float32).reshape(2, 300)
    numbers, scales = quantised(weight)
    assert (numbers.dtype, scales.dtype) == (torch.int8, torch.float32)
    assert (numbers.shape, scales.shape) == ((2, 300), (2, 3))  # groups of 128, 128 and 44

    for row in range(2):
        for group, columns in enumerate(torch.arange(300).split(128)):
            stored = numbers[row, columns].int()
            assert stored.abs().max() == 127
            difference = weight[row, columns] - stored * scales[row, group]
            assert difference.abs().max() <= scales[row, group] * 0.5001


def test_a_row_of_zeros_stays_zero() -> None:
    numbers, scales = quantised(torch.zeros(1, 5))
    assert numbers.tolist() == [[0, 0, 0, 0, 0]]
    assert (scales > 0).all()
