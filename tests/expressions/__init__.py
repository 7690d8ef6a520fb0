"""Random expressions over masks, casts, constants, powers, reductions and edge values: the same
numbers on NumPy, from the interpreter and from compiled programs.

IEEE 754 says what each operation gives, so NumPy is the reference: NaN, infinities, signs of zero,
comparisons, masks and whole numbers must be equal. Denormal numbers are zero, see
docs/differences.md. Rounded numbers may differ by rounding, which is measured: the reference is
computed in float64, too.
"""
