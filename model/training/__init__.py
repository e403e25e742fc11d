"""Train a model: sections 5.3 and 5.4 of the paper, and newer methods.

Start with ``trainer``, then ``loss`` and ``optimizer``. The top of ``model/train.py`` lists the
main files in the order of a training.
"""
