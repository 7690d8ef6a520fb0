"""Random numbers from all distributions, and dropout."""
