"""The formulas of "Attention Is All You Need", and the code that computes each of them.

The README shows the same table. The lessons show a part's code beside its picture. The code is read
from the source files, so what a lesson shows is what the model runs.
"""

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

from model.lessons.cost import complexities
from model.transformer.attention import MultiHeadAttention, scaled_dot_product_attention
from model.transformer.embedding import Embedding
from model.transformer.feed_forward import FeedForward
from model.transformer.masks import causal_mask, padding_mask
from model.transformer.positional import frequencies, positional_encoding
from model.transformer.residual import Residual
from model.transformer.transformer import Transformer

_ROOT = Path(__file__).parents[1]
_PAPER = "https://arxiv.org/html/1706.03762v7"  # Vaswani et al. 2017, with an address per section


@dataclass(frozen=True)
class PaperPart:
    """One formula or method of the paper.

    Args:
        section: its number, as "3.2.1".
        files: where this project computes it, from the project's folder.
        pages: which pages show it, without the folder and the ending.
        equation: the number that the paper gives its formula, or None.
        code: the functions that a lesson shows, the most important one first.
    """

    section: str
    files: tuple[str, ...]
    pages: tuple[str, ...] = ()
    equation: int | None = None
    code: tuple[Callable[..., Any], ...] = ()


PARTS = {
    "stacks": PaperPart(
        "3.1",
        (
            "model/transformer/encoder.py",
            "model/transformer/decoder.py",
            "model/transformer/residual.py",
        ),
        ("architecture", "norms"),
        code=(Residual.forward,),
    ),
    "attention": PaperPart(
        "3.2.1",
        ("model/transformer/attention.py",),
        ("qkv", "scaling"),
        equation=1,
        code=(scaled_dot_product_attention,),
    ),
    "heads": PaperPart(
        "3.2.2",
        ("model/transformer/attention.py",),
        ("explorer", "heads"),
        code=(MultiHeadAttention.forward,),
    ),
    "masks": PaperPart(
        "3.2.3",
        ("model/transformer/masks.py",),
        ("masks",),
        code=(causal_mask, padding_mask),
    ),
    "feed_forward": PaperPart(
        "3.3",
        ("model/transformer/feed_forward.py",),
        ("norms",),
        equation=2,
        code=(FeedForward.forward,),
    ),
    "embeddings": PaperPart(
        "3.4",
        ("model/transformer/embedding.py",),
        ("architecture",),
        code=(Transformer.decode_states, Embedding.forward),
    ),
    "positions": PaperPart(
        "3.5",
        ("model/transformer/positional.py",),
        ("positions",),
        code=(positional_encoding, frequencies),
    ),
    "cost": PaperPart(
        "4",
        ("model/lessons/cost.py",),
        ("cost",),
        code=(complexities,),
    ),
    "subwords": PaperPart(
        "5.1",
        ("model/tokenizers/byte_level/tokenizer.py", "model/corpora/batches.py"),
    ),
    "training": PaperPart(
        "5.2",
        ("model/training/trainer.py", "model/train.py"),
        ("learning",),
    ),
    "optimizer": PaperPart(
        "5.3",
        ("model/training/optimizer.py",),
        ("learning",),
        equation=3,
    ),
    "regularisation": PaperPart(
        "5.4",
        ("model/nn/dropout.py", "model/training/loss.py"),
    ),
    "search": PaperPart(
        "6.1",
        ("model/decoding/beam.py", "model/evaluation/scoring.py"),
        ("explorer",),
    ),
}

# Lesson -> the parts of the paper whose code it shows, the most important part first.
LESSON_PARTS = {
    "qkv": ("attention", "heads"),
    "masks": ("masks",),
    "positions": ("positions",),
    "scaling": ("attention",),
    "norms": ("stacks", "feed_forward"),
    "cost": ("cost",),
    "architecture": ("embeddings",),
}


def paper_address(part: PaperPart) -> str:
    """Return the web address of a part: its equation, or its section if there is no equation.

    >>> paper_address(PARTS["attention"])
    'https://arxiv.org/html/1706.03762v7#S3.E1'
    >>> paper_address(PARTS["masks"])
    'https://arxiv.org/html/1706.03762v7#S3.SS2.SSS3'
    """
    first, *others = part.section.split(".")
    if part.equation is not None:
        return f"{_PAPER}#S{first}.E{part.equation}"
    levels = [f"S{first}"]
    for depth, number in enumerate(others, start=1):
        levels.append(f"{'S' * (depth + 1)}{number}")
    return f"{_PAPER}#{'.'.join(levels)}"


@dataclass(frozen=True)
class Code:
    """The source lines of one function."""

    text: str  # without the docstring, which the lesson replaces
    file: str  # from the project's folder
    first_line: int  # of the function in the file
    last_line: int


def code_of(function: Callable[..., Any]) -> Code:
    """Return the source of a function without its docstring.

    >>> print(code_of(padding_mask).text)
    def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
        return (ids != pad_id)[:, None, None, :]
    """
    plain = inspect.unwrap(function)
    lines, first_line = inspect.getsourcelines(plain)
    file = Path(inspect.getfile(plain)).relative_to(_ROOT).as_posix()
    code = dedent("".join(lines)).splitlines()

    definition = ast.parse("\n".join(code)).body[0]
    assert isinstance(definition, ast.FunctionDef)
    if ast.get_docstring(definition) is not None:
        docstring = definition.body[0]
        del code[docstring.lineno - 1 : docstring.end_lineno]
    return Code("\n".join(code), file, first_line, first_line + len(lines) - 1)
