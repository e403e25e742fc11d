"""Recurrent predecessors of the Transformer: Sutskever et al., Bahdanau et al., Luong et al.

Start with ``cells``, end with ``model``.
"""
