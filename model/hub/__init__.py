"""Translation models of the Hugging Face Hub, run with the library transformers.

Start with ``families``, the tables of names; then ``folder`` recognises a folder, ``opening`` loads
it, and ``model`` shows it with the interface of our own models. ``transformers`` is imported only
when such a folder is opened.
"""
