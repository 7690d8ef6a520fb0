"""What the engine does, for people: `explain`, and the log of captures and compilations."""
