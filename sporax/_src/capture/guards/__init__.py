"""Guards for everything that a captured function can read.

In reading order: `guard_types` (a guard for each form of state), `snapshot` (many guards, checked
and restored at once), `dependence` (follows the function's code), `bytecode_names` and
`attribute_reads` (what code reads), `module_origins` (which modules' code is followed).
"""
