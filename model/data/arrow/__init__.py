"""A corpus that memory cannot hold: in Arrow files, of which a training reads part after part.

``python -m model.store_corpus`` makes such files (``store``); ``stored_pairs`` reads them.
"""
