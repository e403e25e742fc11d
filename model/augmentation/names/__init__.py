"""Names: lists of real names, rules to invent names, and spellings for each pair of languages.

``../replaced_names.py`` puts them into sentences.

``train.json`` holds the names that a training puts into sentences. ``test.json`` holds other names,
with which a trained model is measured. ``slots.json`` holds countries, cities and the like in three
languages, ``quantities.json`` the words of prices, times and dates. A file such as ``en-fr.json``
holds what belongs to one pair of languages.
"""
