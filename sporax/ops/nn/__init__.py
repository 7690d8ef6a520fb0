"""What the layers of networks compute."""
