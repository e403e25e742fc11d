"""The gallery: prepared examples, each of which shows one phenomenon in one head."""
