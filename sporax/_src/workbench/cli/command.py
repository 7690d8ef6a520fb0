"""The `sporax` command."""

import argparse
import contextlib
import os
import signal
import sys

import jax

from sporax import __version__
from sporax._src.core.units import bytes_of_text
from sporax._src.devices.sharding.mesh import Mesh
from sporax._src.installation import as_installed
from sporax._src.mindspore.compat import MINDSPORE_VERSION
from sporax._src.workbench.cli.bench import bench
from sporax._src.workbench.cli.check import check
from sporax._src.workbench.cli.convert import convert
from sporax._src.workbench.cli.doctor import doctor
from sporax._src.workbench.cli.errors import errors
from sporax._src.workbench.cli.job_key import VARIABLE
from sporax._src.workbench.cli.launch import PORT, launch
from sporax._src.workbench.cli.lint import KINDS, lint
from sporax._src.workbench.cli.pack import pack, use
from sporax._src.workbench.cli.replay import replay
from sporax._src.workbench.cli.run import run_module, run_script
from sporax._src.workbench.cli.serve import serve
from sporax._src.workbench.cli.verify import verify_file, verify_script

_SHTAB = "pip install 'sporax[completion]'"
_PIPE_CLOSED = 128 + signal.SIGPIPE if hasattr(signal, "SIGPIPE") else 1


class _Command(argparse.ArgumentParser):
    """A parser for a command or subcommand, whose help ends with examples, one per line."""

    def __init__(self, *args, examples=(), **options):
        lines = ["examples:", *(f"  {one}" for one in examples)] if examples else []
        super().__init__(*args, epilog="\n".join(lines), formatter_class=_KeepsLines, **options)


class _Version(argparse.Action):
    """Prints the version, as the command of that name does."""

    def __call__(self, parser, namespace, values, option_string=None):
        parser.exit(_version(None))


class _KeepsLines(argparse.HelpFormatter):
    """Wraps single-line text and leaves multi-line text unchanged."""

    def _fill_text(self, text, width, indent):
        return text if "\n" in text else super()._fill_text(text, width, indent)


def main(arguments=None):
    """Run the command with `arguments`, by default `sys.argv[1:]`; return the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        code = options.action(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe has ended, such as 'head'
        os.dup2(os.pipe()[1], sys.stdout.fileno())  # takes what is left in the buffer
        return _PIPE_CLOSED
    return code


def _parser():
    parser = _Command("sporax", description="MindSpore programs on JAX/XLA.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(required=True, metavar="command")

    for add in (
        _add_run,
        _add_pack,
        _add_launch,
        _add_check,
        _add_lint,
        _add_convert,
        _add_verify,
        _add_plan,
        _add_replay,
        _add_serve,
        _add_watch,
        _add_doctor,
        _add_errors,
        _add_bench,
    ):
        add(commands)
    _add_completion(commands, parser)
    version = commands.add_parser("version", help="print the version")
    version.set_defaults(action=_version)
    return parser


def _add_run(commands):
    run = commands.add_parser(
        "run",
        help="run a MindSpore script as it is",
        usage="sporax run [--mesh data=8] [--packed FILE] script.py [arguments]\n"
        "       sporax run [--mesh data=8] [--packed FILE] -m module [arguments]",
        description="Run a script, or with -m a module, in which 'import mindspore' is sporax.",
        examples=[
            "sporax run train.py --epochs 3",
            "sporax run --mesh data=8 train.py",
            "sporax run --packed train.packed train.py",
        ],
    )
    _add_mesh(run, "several devices")
    _completes_files(
        run.add_argument("--packed", metavar="FILE", help="take programs from a file of 'pack'")
    )
    _add_key(run, "that signed it")
    _add_script(run)
    run.set_defaults(action=lambda options: _run(run, options))


def _add_pack(commands):
    packing = commands.add_parser(
        "pack",
        help="run a script and keep its compiled programs in a file",
        usage="sporax pack [--output FILE] [--key FILE] script.py [arguments]\n"
        "       sporax pack [--output FILE] [--key FILE] -m module [arguments]",
        description="Run a script or a module, compile all of its programs, compare each once with "
        "the interpreter, and write them to a file. 'sporax run --packed' starts from it on "
        "machines with the same versions, devices and processor. The file is code, and signed "
        "with your key; for machines that do not share your home folder, sign it with a key in a "
        "file that they have.",
        examples=[
            "sporax pack train.py --epochs 1",
            "sporax pack --output train.packed --key cluster.key train.py",
            "sporax run --packed train.packed --key cluster.key train.py",
        ],
    )
    _completes_files(
        packing.add_argument("--output", metavar="FILE", help="by default the script's, .packed")
    )
    _add_key(packing, "to sign with, written if it is missing")
    _add_script(packing)
    packing.set_defaults(action=lambda options: _pack(packing, options))


def _add_key(parser, which):
    _completes_files(
        parser.add_argument("--key", metavar="FILE", help=f"the file of a key {which}")
    )


def _add_check(commands):
    checking = commands.add_parser(
        "check",
        help="list the MindSpore names in a program that sporax lacks",
        description="Read Python files and notebooks, without running them, and name each use of a "
        "name of MindSpore's that would fail here. Methods of Tensors and Cells (x.argmax()) are "
        "not checked.",
        examples=["sporax check train.py src"],
    )
    paths = checking.add_argument("paths", nargs="+", metavar="path", help="a file or a folder")
    _completes_files(paths)
    checking.set_defaults(action=lambda options: check(options.paths))


def _add_replay(commands):
    replaying = commands.add_parser(
        "replay",
        help="compute a step of a recorded training again",
        description="Run the script of a recording of train.Recorder up to its first step, restore "
        "the state before the requested step, and compute that step. Without a step, print the "
        "number of the last one and a hash of all batches and losses. The exit code is 1 if the "
        "loss differs from the recorded one.",
        examples=[
            "sporax replay runs/a",
            "sporax replay runs/a --step 1817",
            'sporax replay runs/a --until "loss > 10" --break',
        ],
    )
    _completes_files(replaying.add_argument("recording", help="the folder of a recording"))
    which = replaying.add_mutually_exclusive_group()
    which.add_argument("--step", type=_count, help="the number of the step, from 1")
    which.add_argument("--until", metavar="CONDITION", help="the first step for which this holds")
    replaying.add_argument(
        "--break", dest="breaks", action="store_true", help="call breakpoint() before the step"
    )
    replaying.add_argument(
        "--changed", action="store_true", help="although the script has changed since"
    )
    replaying.set_defaults(action=replay)


def _add_serve(commands):
    serving = commands.add_parser(
        "serve",
        help="serve an exported graph over HTTP",
        description="Serve the function in a file of 'export' until Ctrl-C: POST /predict takes "
        "and returns JSON or NumPy's .npz, / describes it. Requests that wait share a run. On an "
        "address other than 127.0.0.1, requests need a token.",
        examples=[
            "sporax serve net.mindir",
            "sporax serve net.mindir --host 0.0.0.0 --port 8000 --token token.txt",
        ],
    )
    _completes_files(serving.add_argument("file", help="a file of 'export'"))
    serving.add_argument("--host", default="127.0.0.1", help="the address; by default 127.0.0.1")
    serving.add_argument("--port", type=_port, default=0, help="by default one that is free")
    _completes_files(
        serving.add_argument("--token", metavar="FILE", help="with the token that requests need")
    )
    for name, default, help in (
        ("batch", 32, "rows of a run, which requests share"),
        ("waiting", 256, "requests that may wait"),
        ("megabytes", 64, "of a request"),
    ):
        serving.add_argument(
            f"--{name}", type=_count, default=default, help=f"the most {help}; by default {default}"
        )
    serving.set_defaults(action=serve)


def _add_doctor(commands):
    examining = commands.add_parser(
        "doctor",
        help="check the installation: versions, devices, cache, threads",
        description="Versions, devices, threads, oneDNN, kept programs, extras and settings, and "
        "some steps of a training. The exit code is 1 where something does not work.",
    )
    examining.set_defaults(action=lambda _: doctor())


def _add_errors(commands):
    explaining = commands.add_parser(
        "errors",
        help="explain an error: cause, remedy, and code that works",
        description="Print the entry of the error index that the last line of an error names; "
        "without a name, list all. In Chinese where the locale or SPORAX_LANG=zh asks for it.",
        examples=["sporax errors", "sporax errors shape-broadcast"],
    )
    explaining.add_argument("name", nargs="?", help="of the entry, such as shape-broadcast")
    explaining.set_defaults(action=lambda options: errors(options.name))


def _add_bench(commands):
    measuring = commands.add_parser(
        "bench",
        help="measure how fast sporax is here, beside PyTorch and MindSpore",
        description="Measure small operations and steps of training, in dynamic mode and under "
        "jit, in about four minutes, beside PyTorch and MindSpore where this Python has them or "
        "another one is named. Each is a process of its own; they take turns, one at a time.",
        examples=[
            "sporax bench",
            "sporax bench --rows MLP,GPT --torch ~/torch/bin/python",
            "sporax bench --seconds 5 --json here.json",
        ],
    )
    measuring.add_argument(
        "--rows",
        metavar="NAMES",
        default="",
        help="names, such as MLP,GPT; an unknown one lists all",
    )
    measuring.add_argument(
        "--seconds", type=_seconds, default=1.0, help="for each case of a library; 1 by default"
    )
    for name, library in ("torch", "PyTorch"), ("mindspore", "MindSpore"):
        python = measuring.add_argument(
            f"--{name}", metavar="PYTHON", help=f"an interpreter that has {library}"
        )
        _completes_files(python)
    _completes_files(
        measuring.add_argument("--json", metavar="FILE", help="write all that is measured there")
    )
    measuring.set_defaults(action=lambda options: bench(measuring, options))


def _add_completion(commands, parser):
    completing = commands.add_parser(
        "completion",
        help="print a script for completion in a shell",
        description="Print the script by which a shell completes the commands and options of "
        f"sporax ({as_installed(_SHTAB)}).",
        examples=['eval "$(sporax completion bash)"'],
    )
    completing.add_argument("shell", choices=["bash", "zsh"])
    completing.set_defaults(action=lambda options: _completion(parser, options.shell))


def _add_lint(commands):
    linting = commands.add_parser(
        "lint",
        help="list differing defaults and graph pitfalls in a script",
        description="Read Python files and notebooks, without running them, and list "
        + "; ".join(KINDS.values()) + ". The exit status is 1 where something is found.",
        examples=["sporax lint train.py --skip differs"],
    )  # fmt: skip
    linting.add_argument("paths", nargs="+", metavar="path", help="a file or a folder")
    linting.add_argument(
        "--skip", action="append", default=[], choices=[*KINDS], help="leave one kind out"
    )
    linting.add_argument(
        "--ported",
        action="store_true",
        help="list what differs from PyTorch also in files that do not import torch",
    )
    linting.set_defaults(action=lambda options: lint(options.paths, options.skip, options.ported))


def _add_convert(commands):
    converting = commands.add_parser(
        "convert",
        help="convert a file of weights: .pth, .pt, .safetensors, .ckpt, .npz",
        description="Write the weights of one file into another; the endings say which formats. "
        "Each tensor's old and new name are printed. No code of a file is run.",
        examples=["sporax convert resnet.pth resnet.ckpt --to mindspore"],
    )
    _completes_files(converting.add_argument("source", metavar="in", help="the file to read"))
    _completes_files(converting.add_argument("target", metavar="out", help="the file to write"))
    converting.add_argument(
        "--to", choices=["mindspore", "pytorch"], help="name parameters as its layers do"
    )
    converting.add_argument(
        "--name", dest="names", metavar="OLD=NEW", action="append", default=[],
        help="rename one tensor; 'OLD=' leaves it out",
    )  # fmt: skip
    converting.add_argument("--key", help="the entry of a .pth file that holds the weights")
    converting.add_argument("--force", action="store_true", help="replace 'out' if it is there")
    converting.set_defaults(action=convert)


def _add_verify(commands):
    verifying = commands.add_parser(
        "verify",
        help="compare compiled programs with the interpreter",
        usage="sporax verify script.py [arguments]\n"
        "       sporax verify -m module [arguments]\n"
        "       sporax verify file",
        description="Run a script (a folder, or a name that ends in .py) or a module, compare each "
        "compiled program with the interpreter at each run, and say at the end what was found. Of "
        "any other file, a reproducer that a warning named or an exported graph (.mindir, "
        ".stablehlo): whether this jaxlib computes what is expected. The exit code is 1 where a "
        "program is wrong.",
        examples=[
            "sporax verify train.py --epochs 1",
            "sporax verify vmap-0123456789ab.reproducer",
            "sporax verify net.mindir",
        ],
    )
    _add_script(verifying)
    verifying.set_defaults(action=lambda options: _verify(verifying, options))


def _add_plan(commands):
    planning = commands.add_parser(
        "plan",
        help="plan the memory of a training step before it runs",
        usage="sporax plan [--memory 24GB] script.py [arguments]\n"
        "       sporax plan [--memory 24GB] -m module [arguments]",
        description="Run a script or a module up to its first training step, print the peak of its "
        "memory, what it consists of and the largest batch that fits, and end there: nothing of "
        "the step is computed. The exit code is 1 if there is no plan.",
        examples=["sporax plan train.py", "sporax plan --memory 24GB train.py --batch 64"],
    )
    planning.add_argument(
        "--memory", type=_memory, help="of the device, such as 24GB; by default this machine's"
    )
    _add_script(planning)
    planning.set_defaults(action=lambda options: _plan(planning, options))


def _add_watch(commands):
    watching = commands.add_parser(
        "watch",
        help="show trainings that insight.RunRecord records, live",
        description="Serve a page, on this machine alone, of curves, gradients, activations and "
        "images of one or more runs, which follows them until Ctrl-C; or write it to a file.",
        examples=["sporax watch runs", "sporax watch runs/a runs/b --html runs.html"],
    )
    runs = watching.add_argument(
        "runs", nargs="+", metavar="run_dir", help="a run's folder, or one with such folders in it"
    )
    _completes_files(runs)
    watching.add_argument(
        "--port", type=_port, default=0, help="of the page; by default one that is free"
    )
    watching.add_argument("--seconds", type=float, help="end after so many seconds")
    _completes_files(
        watching.add_argument("--html", metavar="FILE", help="write the page to a file instead")
    )
    watching.set_defaults(action=_watch)


def _add_launch(commands):
    launching = commands.add_parser(
        "launch",
        help="run a MindSpore script as several processes",
        usage="sporax launch -n N [--hosts a,b] [--mesh data=8] script.py [arguments]\n"
        "       sporax launch -n N [--hosts a,b] [--mesh data=8] -m module [arguments]",
        description="Run a script as N ranks, which communicate as with msrun or mpirun. With "
        "several hosts, run the same command on each of them: they share the ranks, and the first "
        f"has the coordinator. All need the same job key: the text in {VARIABLE}, else the file "
        "~/.local/state/sporax/job_key, which is written if it does not exist. Hosts that do not "
        "share a home folder need a copy of it.",
        examples=[
            "sporax launch -n 4 train.py",
            "sporax launch -n 8 --hosts a,b train.py",
            "scp -p a:.local/state/sporax/job_key ~/.local/state/sporax/",
        ],
    )
    launching.add_argument("-n", type=_count, required=True, help="the number of ranks, in all")
    launching.add_argument(
        "--hosts", default="", help="names or addresses of the hosts, with commas between them"
    )
    launching.add_argument(
        "--host-index", type=int, help="this host's place among them, from 0 on; found by its name"
    )
    launching.add_argument(
        "--port",
        type=_count,
        help=f"of the coordinator; {PORT} with several hosts, where the next one is used as well",
    )
    launching.add_argument(
        "--no-bind",
        action="store_true",
        help="let all ranks use all processor cores, where each could have its own",
    )
    _add_mesh(launching, "the devices of all ranks")
    _add_script(launching)
    launching.set_defaults(action=lambda options: _launch(launching, options))


def _add_mesh(parser, which):
    parser.add_argument(
        "--mesh", metavar="AXES", help=f"run on {which}, e.g. data=8 or data=4,model=2"
    )


def _add_script(parser):
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help="a module, no script")
    script = parser.add_argument("script", nargs="?", help="the script")
    _completes_files(script)
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="what the script finds in sys.argv"
    )


def _completes_files(argument):
    """Make shells complete file names for the argument; the function names are shtab's."""
    argument.complete = {"bash": "_shtab_compgen_files", "zsh": "_files"}


def _completion(parser, shell):
    try:
        import shtab
    except ImportError:
        parser.error(f"'completion' needs the package 'shtab': {as_installed(_SHTAB)}")
    print(shtab.complete(parser, shell))
    return 0


def _count(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a positive whole number, but got {text!r}")
    return int(text)


def _seconds(text):
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"must be a positive number of seconds, but got {text!r}")
    return seconds


def _memory(text):
    try:
        return bytes_of_text("--memory", text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _port(text):
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 65535, but got {text!r}")
    return int(text)


def _launch(parser, options):
    if not options.module and options.script is None:
        parser.error("a script, or '-m' and a module, must be given")
    command = ["-m", *options.module] if options.module else [options.script, *options.arguments]
    if options.mesh is not None:
        command = ["--mesh", options.mesh, *command]
    hosts = tuple(host for host in options.hosts.split(",") if host)
    bind = not options.no_bind
    return launch(options.n, command, hosts, options.host_index, options.port, bind)


def _run(parser, options):
    if options.script is None and not options.module:
        parser.error("a script, or '-m' and a module, must be given")
    if options.packed is not None and (code := use(options.packed, options.key)):
        return code
    try:
        mesh = _mesh(options)
    except ValueError as error:
        parser.error(str(error))
    with mesh:
        if options.module:
            return run_module(options.module[0], options.module[1:])
        return run_script(options.script, options.arguments)


def _pack(parser, options):
    if options.script is None and not options.module:
        parser.error("a script, or '-m' and a module, must be given")
    return pack(options)


def _mesh(options):
    """Return the Mesh that a script runs on; a null context if none is given."""
    if options.mesh is None:
        return contextlib.nullcontext()
    return Mesh.parse(options.mesh)


def _watch(options):
    from sporax._src.workbench.cli.watch import watch  # imports the dashboard

    return watch(options.runs, options.port, options.seconds, options.html)


def _verify(parser, options):
    if options.module:
        return verify_script(None, options.module[0], options.module[1:])
    path = options.script or parser.error("a script, a file, or '-m' and a module, must be given")
    if path.endswith(".py") or os.path.isdir(path):
        return verify_script(path, None, options.arguments)
    return verify_file(path)


def _plan(parser, options):
    if options.script is None and not options.module:
        parser.error("a script, or '-m' and a module, must be given")
    from sporax._src.workbench.cli.plan import plan  # imports the networks' layers

    module, *arguments = options.module or (None, *options.arguments)
    return plan(options.script, module, arguments, options.memory)


def _version(_):
    python = ".".join(map(str, sys.version_info[:3]))
    print(f"sporax {__version__} (follows MindSpore {MINDSPORE_VERSION}; jax {jax.__version__}, "
          f"Python {python})")  # fmt: skip
    return 0
