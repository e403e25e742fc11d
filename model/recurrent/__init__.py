"""The models that the Transformer replaced: Sutskever et al., Bahdanau et al., Luong et al.

Start with ``cells``, end with ``model``.
"""
