"""Operations of neural network layers."""
