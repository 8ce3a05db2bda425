"""What words mean to each other: a table made from WordNet, and short lists of words that carry logic."""
