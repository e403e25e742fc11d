"""English words that carry grammar rather than meaning.

A translation may do without a word of its own for them, so that no written token need look at
them. Contractions are listed without their apostrophe.
"""

ENGLISH_FUNCTION_WORDS = frozenset(
    word
    for line in (
        # articles, pronouns, question words
        "a an the this that these those my your his her its our their mine yours ours theirs",
        "i you he she it we they me him us them who whom whose which what where when why how there",
        "myself yourself himself herself itself ourselves themselves one ones here",
        # conjunctions, prepositions
        "and or but nor so yet if than then because as while though although until unless since",
        "before after of to in on at by for from with without into onto about over under up down",
        "out off through between among along away back",
        # auxiliary verbs, light verbs
        "is are was were be been being am do does did doing done have has had having can could",
        "will would shall should may might must ought let lets get got gets going go goes",
        "went gone",
        "come comes came take takes took make makes made put set give like used",
        # negation, degree, quantity
        "not no dont doesnt didnt cant couldnt wont wouldnt isnt arent wasnt werent hasnt havent",
        "im ive youre youve theyre hes shes its thats whats lets ill id",
        "just only also too very much many more most some any each every all both few little own",
        "same other another such even still already again ever never always please",
    )
    for word in line.split()
)
