"""How many heads a model can lose before its translations suffer."""

from model.heads.analysis_file import PruningPoint, heads_to_spare


def _curve(*bleu: float):
    return [PruningPoint(3 * n, value) for n, value in enumerate(bleu)]


def test_heads_are_spared_as_long_as_nearly_all_of_the_score_is_kept():
    just = 0.95 * 40
    assert heads_to_spare(curve := _curve(40, 39, just, just - 0.01, 2)) == (curve[0], curve[2])
    for bleu in ((40, 30, 20), (40,), (0, 0, 0)):
        assert heads_to_spare(_curve(*bleu)) is None
