"""From a corpus to batches: sentence pairs, the vocabulary, and what a training makes of them.

Start with ``corpus``, then ``tokenizer`` and ``batches``.
"""
