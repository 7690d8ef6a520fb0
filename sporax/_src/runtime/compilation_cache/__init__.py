"""A cache of compiled programs in private files, authenticated with the user's key."""
