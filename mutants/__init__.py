"""Small faults put into `model/`, to see whether the tests notice them."""
