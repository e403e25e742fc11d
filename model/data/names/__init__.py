"""Names for sentences that are to be copied: lists of real ones, and three ways to invent more."""
