"""Random programs: random Cells, compared between all ways to run them and with NumPy.

`writer` generates the source text of a Cell, `reference` runs the same text by NumPy in float64,
`ways` runs it by sporax in each of the ways that must agree.
"""
