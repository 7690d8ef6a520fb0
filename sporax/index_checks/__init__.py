"""Whether indices lie in what they index: `ranges` declares, `checks` records and raises."""
