"""The tokenizer of a model from elsewhere: two SentencePiece models, and ids for their pieces.

SentencePiece itself is needed only where a file of its own is read (``spm_file``, at conversion).
Afterwards all is in ``tokenizer.json``, and a text is cut by ``normaliser`` and then ``unigram`` or
``merges``.
"""
