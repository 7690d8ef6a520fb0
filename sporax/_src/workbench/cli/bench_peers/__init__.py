"""The processes of `sporax bench`, which also run where sporax is not installed."""
