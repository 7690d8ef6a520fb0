"""Transform functions: lifting, differentiation, vectorization, control flow."""
