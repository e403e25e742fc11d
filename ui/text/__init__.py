"""Words: the interface's by language, a visitor's as HTML, a model's as tokens."""
