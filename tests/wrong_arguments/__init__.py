"""Valid calls of all public operations, layers, optimizers, transforms and data sets, one argument
of which is replaced by a wrong one: the call is accepted, or its error teaches. `python -m
tests.wrong_arguments` runs all of them."""
