"""How well a package answers: questions with gold answers, asked in several ways, and what became of them."""
