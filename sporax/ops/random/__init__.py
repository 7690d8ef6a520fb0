"""Random numbers of every law, and dropout."""
