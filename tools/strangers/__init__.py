"""Run the tests of libraries that are written for MindSpore, under MindSpore and under sporax.

    python -m tools.strangers [NAME...] --into FOLDER [--source NAME=GIT_DIRECTORY]
    python -m tools.strangers [NAME...] --into FOLDER --mindspore PYTHON --record

`libraries.csv` lists the libraries. FOLDER, which must be outside the repository, gets their files,
an environment for each, and the verdicts so far: the command continues where it ended, and needs no
network once it has run. Under sporax, those tests run that pass under MindSpore by the records in
`tests/recorded/libraries`; `--record` updates these and the pages `docs/libraries.md`.
"""
