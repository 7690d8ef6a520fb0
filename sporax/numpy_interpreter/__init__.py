"""How does a program run that is not worth compiling? Its jaxpr is interpreted on NumPy."""
