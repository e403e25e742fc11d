"""What can be taken away: the shown numbers as files that say what they are."""
