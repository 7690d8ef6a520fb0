"""Memory of programs, from their jaxprs."""
