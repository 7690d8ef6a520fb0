"""An interpreter of jaxprs on NumPy, for programs that are not worth compiling."""
