"""Simulate how colours look with normal colour vision, and without one kind of cone."""

import tomllib
from pathlib import Path

import numpy as np

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"

# Linear RGB as it is seen without one kind of cone. Source: Machado, Oliveira, Fernandes 2009, "A
# Physiologically-based Model for Simulation of Color Vision Deficiency", severity 1.
VISIONS = {
    "all cones": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# Source: Ottosson 2020, "A perceptual color space for image processing".
CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
OKLAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def settings_of_theme(name: str) -> dict:
    return tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"][name]


def linear(colour: str) -> np.ndarray:
    """Return "#rrggbb" as linear red, green and blue."""
    sign = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(sign <= 0.04045, sign / 12.92, ((sign + 0.055) / 1.055) ** 2.4)


def luminance(colour: str) -> float:
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])
