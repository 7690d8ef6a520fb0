#!/bin/sh
# Prints the newest Python of this machine that sporax supports; with an argument, one of that
# version: find_python.sh 3.11
for version in ${1:-3.14 3.13 3.12 3.11}; do
    for python in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python3; do
        if "$python" -c 'import venv, ensurepip' 2>/dev/null; then
            command -v "$python"
            exit
        fi
    done
done
echo "This machine has no Python ${1:-3.11 to 3.14} with venv. Name one: make PYTHON=..." >&2
exit 1
