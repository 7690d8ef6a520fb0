"""`sporax verify`: compares the programs of a script or a file with the interpreter."""

import os
import sys

from sporax._src.runtime.engine.verification import switch
from sporax._src.runtime.engine.verification.report import report
from sporax._src.runtime.numpy_interpreter.interpretation import wait_for_others
from sporax._src.runtime.xla_kernels import jaxlib_faults
from sporax._src.versions import JAXLIB
from sporax._src.workbench.cli.run import run_module, run_script
from sporax.io import verified_file

_DIFFERS, _REFUSED = 1, 2


def verify_script(path, module, arguments):
    """Run a script or module, compare each program at each run, and print the findings; return the
    script's exit code, or 1 if that is 0 and a program is wrong."""
    os.environ["SPORAX_VERIFY"] = "always"  # for child processes
    switch.MODE = "always"
    try:
        code = run_module(module, arguments) if path is None else run_script(path, arguments)
    except SystemExit as error:
        code = error.code
    wrong = _print_report()
    if not isinstance(code, int | None):
        sys.exit(code)  # prints the code
    return code or int(wrong > 0)


def _print_report():
    """Print a summary of the comparisons; return the number of wrong programs."""
    wait_for_others()
    wrong = report.findings
    print(f"sporax verify: {report.compared} comparisons of programs with the interpreter, "
          f"{report.equal} equal, programs that are wrong: {len(wrong)}")  # fmt: skip
    for reason, count in sorted(report.left_out.items()):
        print(f"  not compared: {count}, {reason}")
    for finding in wrong:
        file = finding.no_file if finding.file is None else f"sporax verify {finding.file}"
        print(f"  wrong: {finding.who}: {finding.difference} ({file})")
    return len(wrong)


def verify_file(path):
    """Print whether this jaxlib computes what a file expects, and with which XLA options it does;
    return 0 if it does without options, 1 if not, 2 if the file cannot be read."""
    try:
        file = verified_file.load(path)
        for line in file.described:
            print("".join(c if c.isprintable() else "?" for c in line)[:500])  # untrusted
        differs = file.difference(jaxlib_faults.compiler_options())
        flags = os.environ.get("XLA_FLAGS", "")
        print(f"jaxlib {JAXLIB} here, {flags or 'no XLA_FLAGS'}: {_said(differs)}")
        for options in jaxlib_faults.safer_options() if differs else ():
            names = ", ".join(f"{name}={value!r}" for name, value in options.items())
            print(f"with {names}: {_said(file.difference(options))}")
    except (RuntimeError, ValueError) as error:
        print(f"sporax: {error}", file=sys.stderr)
        return _REFUSED
    return 0 if differs is None else _DIFFERS


def _said(differs):
    return "equal" if differs is None else f"differs, {differs}"
