"""Answers from packages: by a language model under guard, or from canonical claims alone."""
