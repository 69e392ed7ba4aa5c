"""Review of a person's completed turn: whether it may be, when it is due, and what is learned from it."""
