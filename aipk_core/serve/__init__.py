"""The OpenAI-compatible server: packages in, checked answers out."""
