"""How far a map can be believed: does hiding the tokens that it points at cost what it says?"""
