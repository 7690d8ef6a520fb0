"""Maps each sporax module that opens files to the loaders that read through it."""

import ast
import re
from pathlib import Path

import sporax

_CALLS = re.compile(
    r"(^|\.)(open|read_bytes|read_text|ZipFile|SoundFile|safe_open|opened_plain|check_regular)$|"
    r"(^|\.)(fromfile|memmap|_manager\.restore)$|untrusted_file\.(opened|content)$|"
    r"^(content|np\.load)$"
)
_WORDS = re.compile(
    r"\b(open|read_bytes|read_text|ZipFile|SoundFile|safe_open|opened_plain|check_regular|fromfile|"
    r"memmap|restore|opened|content|load)\("
)

# in place of loaders: why a module needs none
NOT_OF_STRANGERS = {
    "its own": "files that are part of sporax",
    "system": "files of the system",
    "writes": "files that are written, or read through another module",
    "verdict": "names, of which only those of known faults count",
    "signed": "not read further without the user's key; tests/cli/test_pack.py has its rows",
    "requests": "bodies of requests; tests/serving/test_serve.py mutates them",
    "token": "one line, of the user's own file; tests/serving/test_serve.py has its rows",
    "key": "the user's own key; tests/io/test_strange_files.py has its rows",
}
_IMAGES = "ImageFolder", "VOC Segmentation", "Coco @instances.json Stuff", "Manifest"
_RECORDS = "MindRecord, everything", "MindRecord, its database", "MindRecord, appended"

READERS = {
    "installation": ("its own",),
    "versions": ("its own",),
    "workbench/cli/serve": ("token",),
    "workbench/serving/application": ("requests",),
    "workbench/cli/check": ("sporax check",),
    "mindspore/compat/alias": ("its own",),
    "mindspore/compat/class_modules": ("its own",),
    "mindspore/compat/device_memory": ("system",),
    "mindspore/compat/module_names": ("its own",),
    "mindspore/compat/refused_names": ("its own",),
    "runtime/compilation_cache/folder": ("compile cache",),
    "runtime/compilation_cache/packed_file": ("signed",),
    "runtime/compilation_cache/user_key": ("key",),
    "runtime/engine/packing": ("its own",),
    "core/heap": ("system",),
    "core/memory_limits": ("system",),
    "core/promotion": ("its own",),
    "core/settings": ("its own",),
    "data/config": ("config.load",),
    "data/file_set": ("Mnist", "Cifar10", *_IMAGES),
    "data/image_sets/generated": ("RandomDataset",),
    "data/image_sets/listed": ("its own", "Flickr @flickr/token.txt"),
    "data/line_reader": ("LineReader",),
    "data/mindrecord_converters": ("Cifar10ToMR", "Cifar100ToMR", "MnistToMR", "ImageNetToMR"),
    "data/mindrecord_encryption": (
        "MindRecord, encrypted, a.mindrecord", "MindRecord, encrypted, a.mindrecord.db"),
    "data/mindrecord_file": _RECORDS,
    "data/serialization": ("deserialize",),
    "data/sound_files": ("YesNo", "sounds of other formats"),
    "data/sound_sets": ("its own", "GTZAN"),
    "data/text/sentence_piece": ("SentencePiece",),
    "data/text_lines": ("TextFile lines/a.txt", "Vocab.from_file", "CsvToMR", "JiebaTokenizer"),
    "data/tfrecord": ("TFRecord and schema",),
    "data/tfrecord_file": ("TFRecord", "TFRecord GZIP", "TFRecord ZLIB", "TFRecordToMR"),
    "data/translation_corpora": ("IWSLT2016 iwslt2016", "IWSLT2017 iwslt2017"),
    "data/vision/auto_augment": ("its own",),
    "data/vision/format_conversion": ("Decode PNG", "Decode WEBP", "read_image TIFF"),
    "data/vision/image_files": ("read_file", "read_image PNG"),
    "data/vision/video": ("read_video moving.mp4", "DecodeVideo silent.mp4", "frames silent.mp4",
                          "read_video_timestamps silent.mp4", "read_video matroska"),
    
    "diagnosis/error_index": ("its own",),
    "diagnosis/rules": ("its own",),
    "runtime/engine/verification/admission": ("system", "verdict"),
    "capture/guards/library_rules": ("its own",),
    "insight/dashboard": ("its own",),
    "insight/graph_page": ("its own",),
    "insight/flame_graph": ("its own",),
    "insight/run_files": ("RunRecord",),
    "insight/timeline": ("writes",),
    "io/atomic_write": ("writes",),
    "io/ckpt_file": ("ckpt", "load_segmented_checkpoints", "load_checkpoint_async"),
    "io/mindir_file": ("graphs of MindSpore",),
    "io/graph_file_2": ("graphs", "graphs, called"),
    "io/program_file": ("graphs", "graphs, called", "graphs, verified", "reproducers"),
    "io/verified_file": ("graphs, verified", "reproducers"),
    "io/npz_file": ("ModuleRun.load", "convert npz"),
    "io/safetensors_file": ("safetensors", "unified_safetensors", "load_torch safetensors"),
    "io/torch_file": ("load_torch torch.pth", "load_torch torch_legacy.pth"),
    "io/untrusted_file": ("ckpt",),
    "ops/memory/placement": ("Tensor.offload",),
    "workbench/pages/frame": ("its own",),
    "parallel/redundancy": ("parse_hccl_file",),
    "parallel/strategy_file": ("transform_checkpoints, ckpt", "transform_checkpoints, json",
                               "merge_pipeline_strategys, json", "restore_group_info_list",
                               "get_parameter_redundancy, ckpt"),
    "train/boost/dim_reduce": ("DimReduce, a matrix",),
    "train/checkpoint_files": ("Checkpointer", "Checkpointer, orbax"),
    "train/dynamic_profiler": ("DynamicProfilerMonitor",),
    "train/recorder": ("recordings",),
    "train/interruption_callbacks": ("OnRequestExit",),
}  # fmt: skip


def _reads(node):
    if not isinstance(node, ast.Call) or not _CALLS.search(ast.unparse(node.func)):
        return False
    modes = [a.value for a in node.args[1:2] if isinstance(a, ast.Constant)]
    return not any(isinstance(mode, str) and set(mode) & {*"wxa"} for mode in modes)


def in_source():
    """Return the modules that open files for reading, without the folders that all share."""
    top, found = Path(sporax.__file__).parent, set()
    for path in top.rglob("*.py"):
        source = path.read_text("utf8")
        if _WORDS.search(source) and any(map(_reads, ast.walk(ast.parse(source)))):
            name = path.relative_to(top).with_suffix("").as_posix()
            found.add(name.removeprefix("_src/"))
    return found
