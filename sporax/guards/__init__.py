"""What can a captured function read? Guards for all of it, and what is found by following code."""
