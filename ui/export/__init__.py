"""What can be taken away: pictures, and the shown numbers as files that say what they are."""
