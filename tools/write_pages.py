"""Write the sources of the documentation from the live objects: Markdown for Sphinx.

    python tools/write_pages.py FOLDER

Names come from the registry of operations and the packages' own lists, signatures and texts from
the objects at run time. README and the pages of `docs` are copied unchanged, in the same folders,
so that links between them stay valid. `make docs` builds everything.
"""

import functools
import importlib
import inspect
import re
import shutil
import sys
import types
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
import sporax  # noqa: E402
from sporax import Tensor, nn  # noqa: E402
from sporax._src.diagnosis import error_index  # noqa: E402
from sporax._src.mindspore.compat.class_modules import module_of  # noqa: E402
from sporax.ops import __all__ as OPS  # noqa: E402
from sporax.ops.declare import FUNCTIONS, MINT, PRIMITIVES  # noqa: E402
from tools import own_examples, raised_rules  # noqa: E402


@dataclass
class Group:
    """A part of the interface: the folder of its pages, its title, and its names."""

    folder: str
    title: str
    chinese: str
    names: Callable  # gives {name as users write it, without `mindspore.`: object}


def _public(path, home):
    """The public names of a module, below the path that users import it by."""

    def names():
        module = importlib.import_module(home)
        listed = getattr(module, "__all__", None) or [
            n for n, value in vars(module).items() if module_of(value) == home
        ]
        value = {n: getattr(module, n) for n in listed if not n.startswith("_")}
        value = {n: x for n, x in value.items() if not isinstance(x, types.ModuleType)}
        return {f"{path}.{n}" if path else n: x for n, x in value.items()}

    return names


def _both(*groups):
    return lambda: {name: value for names in groups for name, value in names().items()}


def _functions():
    others = {n: getattr(sporax.ops, n) for n in OPS if n not in {*FUNCTIONS, *PRIMITIVES}}
    items = {**FUNCTIONS, **{n: x for n, x in others.items() if not inspect.isclass(x)}}
    return {f"ops.{n}": x for n, x in items.items() if not n.startswith("_")}


def _primitives():
    others = {n: getattr(sporax.ops, n) for n in OPS if n not in {*FUNCTIONS, *PRIMITIVES}}
    items = {**PRIMITIVES, **{n: x for n, x in others.items() if inspect.isclass(x)}}
    return {f"ops.{n}": x for n, x in items.items()}


def _methods():
    names = [n for n in dir(Tensor) if not n.startswith("_")]
    return {"Tensor": Tensor} | {f"Tensor.{n}": inspect.getattr_static(Tensor, n) for n in names}


def _mint():
    sporax.mint.exported()  # imports the layers and optimizers
    return {f"mint.{n}": value for n, value in MINT.items()}


def _numpy():
    module = sporax.numpy
    return {f"numpy.{n}": getattr(module, n) for n in dir(module)}


_LISTS = "sporax._src.optim.experimental"
GROUPS = [
    Group("mindspore", "Top level", "顶层接口", _public("", "sporax")),
    Group("Tensor", "Tensor, method by method", "Tensor 的方法", _methods),
    Group("nn", "Layers, losses, cells", "神经网络层、损失函数", _public("nn", "sporax.nn")),
    Group("ops", "Operations: functions", "算子：函数", _functions),
    Group("primitives", "Operations: primitives", "算子：Primitive 类", _primitives),
    Group("mint", "mint", "mint 接口", _mint),
    Group("numpy", "numpy", "numpy 接口", _numpy),
    Group("optim", "Optimizers", "优化器", _public("nn", "sporax._src.optim")),
    Group(
        "experimental", "Optimizers with param_groups", "优化器（experimental）",
        _both(_public("experimental.optim", _LISTS),
              _public("experimental.optim.lr_scheduler", f"{_LISTS}.lr_scheduler")),
    ),
    Group(
        "initializer", "Initializers", "参数初始化",
        _public("common.initializer", "sporax._src.initializers"),
    ),
    Group("train", "Training, metrics, callbacks", "训练与指标", _public("train", "sporax.train")),
    Group(
        "dataset", "Data", "数据",
        _both(_public("dataset", "sporax.data"), _public("dataset.config", "sporax.data.config"),
              _public("dataset.transforms", "sporax.data.transforms"),
              _public("dataset.vision", "sporax.data.vision")),
    ),
    Group("amp", "Mixed precision", "混合精度", _public("amp", "sporax._src.amp")),
    Group(
        "distribution", "Probability distributions", "概率分布",
        _public("nn.probability.distribution", "sporax.nn.probability.distribution"),
    ),
    Group(
        "communication", "Communication", "通信",
        _public("communication", "sporax._src.devices.distributed"),
    ),
    Group(
        "parallel", "Several devices", "多个设备", _public("parallel", "sporax.parallel"),
    ),
    Group("insight", "Looking inside", "查看网络内部", _public("insight", "sporax.insight")),
]  # fmt: skip

_SPECIAL_FIRST = [*GROUPS[1:], GROUPS[0]]  # the top level keeps names that are in no other group

TUTORIAL = {  # in English and, under docs/zh, in Chinese
    "tutorial/1_tensor": "张量",
    "tutorial/2_network": "网络",
    "tutorial/3_train": "训练",
    "tutorial/4_debug": "调试",
    "tutorial/5_devices": "多个设备",
    "tutorial/6_deploy": "部署",
    "from_mindspore": "从 MindSpore 迁移",
    "from_pytorch": "从 PyTorch 迁移",
    "how_it_works": "工作原理：几百行的小引擎",
    "verified": "每个程序都先核对，再使用",
}
GUIDES = {  # the other pages of `docs`, by topic, in the order in which they are read
    ("What there is", "概览"): {"features": "功能一览", "cookbook": "实用代码"},
    ("Coming from elsewhere", "迁移"): {
        "migrating": "搬运 PyTorch 网络的工具",
        "libraries": "为 MindSpore 编写的库",
        "differences": "与 MindSpore 的差异",
        "coverage": "覆盖范围",
        "conformance": "MindSpore 自己的测试",
        "ours": "sporax 独有的名称",
    },
    ("Networks and derivatives", "网络与求导"): {
        "derivatives": "怎样检查导数",
        "replaying": "逐位重算某一个训练步",
        "insight": "查看网络内部：结构、计算图、耗时",
    },
    ("Compilation and graphs", "编译与静态图"): {
        "graph_syntax": "jit 里可以写什么",
        "explain": "什么时候编译，为什么",
        "graphs": "计算图与导出",
        "serving": "用 HTTP 提供计算图",
    },
    ("Several devices", "多个设备"): {
        "devices": "多个设备与多个进程",
        "scaling": "从一台机器到多台：启动、计数与时间模型",
    },
    ("Speed", "性能"): {
        "performance": "性能测量",
        "profiles": "逐个操作的耗时",
        "../bench/README": "怎样测量",
    },
    ("Errors", "报错"): {
        "error_index": "错误索引：原因与解决方法",
    },
    ("Robustness", "可靠性"): {
        "versions": "版本，以及各版本的已知错误",
        "faults": "故障、线程与长时间运行",
        "mutations": "文件的变异测试",
        "wrong_arguments": "错误的参数",
        "../SECURITY": "安全：哪些文件可以放心打开",
    },
    ("How it is built", "内部设计"): {
        "engine": "引擎一页概览与术语表",
        "design": "各部分的设计",
        "decisions/README": "每个决定与测量",
        "../CONTRIBUTING": "参与开发",
        "../CHANGELOG": "变更记录",
    },
}
# pages that also exist under docs/zh
TRANSLATED = [*TUTORIAL, "features", "cookbook", "error_index", "libraries"]


# which names there are --------------------------------------------------------------------------


@functools.cache
def entries():
    """{group's folder: {family: {name: object}}}."""
    items, seen = {}, set()
    for group in _SPECIAL_FIRST:
        items[group.folder] = families = defaultdict(dict)
        for name, item in sorted(group.names().items(), key=lambda n: (n[0].lower(), n[0])):
            if name not in seen:
                families[_family(item, group.folder)][name] = item
        seen.update(group.names())
    return {folder: dict(sorted(families.items())) for folder, families in items.items()}


@functools.cache
def homes():
    """{id of a class: the name of its page}, in the most specific group."""
    homes_of = {}
    for group in _SPECIAL_FIRST:
        for name, item in group.names().items():
            if inspect.isclass(item):
                homes_of.setdefault(id(item), name)
    return homes_of


def _family(value, folder):
    """The last name of an object's module, which is the topic of a page."""
    home = module_of(getattr(value, "fget", value)) or ""
    if isinstance(value, sporax._src.core.dtype.Type):
        home = "sporax._src.core.dtype"
    if not home.startswith("sporax."):
        return folder
    return home.rpartition(".")[2]


def title_of(family, items):
    """Return the title of a page of names: the topic, which is the name of a file, and the first
    words of that file's description."""
    topic = family.replace("_", " ").strip().capitalize()
    homes = Counter(module_of(getattr(item, "fget", item)) for item in items.values())
    home = next((home for home, _ in homes.most_common() if home in sys.modules), None)
    words = re.split(r"[,:;.(`]", _sentence(sys.modules[home]) if home else "")[0].strip()
    if not words or len(words) > 60:
        return topic
    if topic.lower() in words.lower():
        return words
    return f"{topic}: {words[0].lower()}{words[1:]}"


@functools.cache
def faces():
    """{id of a declaration: the names of all its faces}."""
    spellings = defaultdict(list)
    for group in GROUPS:
        for name, item in group.names().items():
            for one in getattr(item, "overloads", [item]):
                declaration = getattr(one, "declaration", None)
                if declaration is not None and name not in spellings[id(declaration)]:
                    spellings[id(declaration)].append(name)
    return spellings


# one name ---------------------------------------------------------------------------------------


def entry(name, value):
    """The description of one name, as a directive of Sphinx's Python domain."""
    if isinstance(value, property):
        return _directive("property", name, _text(value.fget))
    if inspect.isclass(value):
        return _class(name, value)
    if callable(value) and not isinstance(value, type):
        kind = "method" if name.startswith("Tensor.") else "function"
        several = [_signature(f, kind) for f in getattr(value, "overloads", [value])]
        text = _text(value, name) + _raises(value) + _others(name, value)
        return _directive(kind, name, text, several)
    return _directive("data", name, _text(value) if isinstance(value, sporax.Type) else repr(value))


def _directive(kind, name, text, signatures=("",), depth=3):
    fence = ":" * depth
    short = name.rpartition(".")[2]
    more = "".join(f"\n\nOr `{short}{s}`.\n" for s in signatures[1:])
    return f"{fence}{{py:{kind}}} mindspore.{name}{signatures[0]}\n{text}{more}\n{fence}\n"


def _class(name, value):
    home = homes()[id(value)]
    if home != name:
        same = f"The same as {_link(home)}."
        return _directive("class", name, same, [_signature(value, "class")])
    text = _text(value, name)
    called = _call_of(value)
    if called:
        text += f"\n\nCalled as `{value.__name__}(...){called}`.\n"
    members = [_member(name, n, x, value) for n, x in vars(value).items() if _is_told(n, x)]
    members = [] if value is Tensor else members  # they are a separate group
    text += _raises(value) + _others(name, value)
    inside = "\n".join([text, *members])
    return _directive("class", name, inside, [_signature(value, "class")], 4)


def _is_told(name, value):
    function = getattr(value, "__func__", getattr(value, "fget", value))
    return not name.startswith("_") and inspect.isfunction(function) and function.__doc__


def _member(owner, name, value, owner_class):
    full = f"{owner}.{name}"
    if isinstance(value, property):
        return _directive("property", full, _text(value.fget))
    function = getattr(value, "__func__", value)
    kind = {classmethod: "classmethod", staticmethod: "staticmethod"}.get(type(value), "method")
    text = _text(function) + _raises(function, owner_class)
    return _directive(kind, full, text, [_signature(function, kind)])


def _call_of(value):
    """The arguments of a call of the class's instances."""
    method = value.__call__ if issubclass(value, sporax.ops.Primitive) else None
    if issubclass(value, nn.Cell) and value.construct is not nn.Cell.construct:
        method = value.construct
    if method is None or not inspect.isfunction(method):
        return ""
    return _signature(method, "method")


def _others(name, value):
    """The other faces of the same operation."""
    same = {
        other
        for one in getattr(value, "overloads", [value])
        for other in faces().get(id(getattr(one, "declaration", None)), ())
    } - {name}
    links = ", ".join(map(_link, sorted(same)))
    return f"\n\nAlso as {links}.\n" if links else ""


_INDEX, _INDEX_ZH = "../../docs/error_index.md", "../../docs/zh/error_index.md"


def _raises(value, owner=None):
    """The rules that the source may raise, in both languages, with links to the error index."""
    said = defaultdict(dict)
    for rule in raised_rules.raised(value, owner):
        said[rule.sentence(), rule.sentence("zh")][rule.error] = rule.entry
    lines = []
    for (english, chinese), errors in said.items():
        links = [f"[{error}]({_INDEX}#{entry})" for error, entry in errors.items()]
        chinese = f"[{error_index.escaped(chinese)}]({_INDEX_ZH}#{next(iter(errors.values()))})"
        lines.append(f"- {', '.join(links)}: {error_index.escaped(english)}. {chinese}")
    return "\n\n**Raises**\n\n" + "\n".join(lines) + "\n" if lines else ""


def _link(name, shown=None):
    return f"{{py:obj}}`{shown or name} <mindspore.{name}>`"


def _text(value, name=""):
    """The docstring, with each example as a separate block, which calls the object of this name."""
    text = own_examples.rewritten(name, value, inspect.getdoc(value) or "")
    return re.sub(
        r"^>>> .*?(?=\n\n(?!>>>)|\Z)", lambda m: f"```pycon\n{m[0]}\n```", text, flags=re.M | re.S
    )


def _signature(value, kind):
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except ValueError:
        return "()"
    if kind == "method" and parameters:
        parameters = parameters[1:]
    shown = [
        p.replace(annotation=p.empty, default=p.default if p.default is p.empty else _Shown(p))
        for p in parameters
    ]
    return str(inspect.Signature(shown))


class _Shown:
    """A default as source text."""

    def __init__(self, parameter):
        text = repr(parameter.default)
        self.text = text if re.fullmatch(r"[\w.,'\"()\[\] +-]*", text) else "..."

    def __repr__(self):
        return self.text


# pages ------------------------------------------------------------------------------------------


def pages():
    """{path: text} of all generated pages, and of the pages copied beside them."""
    texts = {}
    for group in GROUPS:
        families = entries()[group.folder]
        for family, items in families.items():
            title = f"{title_of(family, items)} ({group.folder})"
            texts[f"api/{group.folder}/{family}.md"] = _page(title, items)
        texts[f"api/{group.folder}/index.md"] = _index(group, families)
    for page in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "bench" / "README.md"]:
        texts[str(page.relative_to(ROOT))] = page.read_text("utf8")
    texts["docs/error_index.md"] = error_index.page("en")
    texts["docs/zh/error_index.md"] = error_index.page("zh")
    decisions = sorted(path.stem for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    texts["docs/decisions/README.md"] += "\n" + _toctree(decisions)
    for path, text in texts.items():
        texts[path] = text + _parts(path, text)
    texts["index.md"] = _landing("README.md", _contents())
    texts["zh.md"] = _landing("README.zh.md", _chinese()).replace(
        "# sporax", "# sporax 中文首页", 1
    )
    return texts


def _page(title, items):
    homes = {module_of(getattr(x, "fget", x)) for x in items.values()} - {None}
    sentences = {_sentence(sys.modules[home]) for home in homes if home in sys.modules}
    parts = [f"# {title}", *sorted(sentences)]
    return "\n\n".join([*parts, *[entry(name, value) for name, value in items.items()]])


def _sentence(module):
    return (inspect.getdoc(module) or "").split("\n\n")[0]


def _index(group, families):
    lines = [f"# {group.title}", ""]
    for family, items in families.items():
        links = ", ".join(_link(n, n.rpartition(".")[2]) for n in items)
        lines += [f"[{title_of(family, items)}]({family}.md)", f": {links}", ""]
    titled = (f"{title_of(family, items)} <{family}>" for family, items in families.items())
    return "\n".join([*lines, _toctree(titled)])


def _parts(path, text):
    """The navigation to the pages in the folder named after a page, in the order of its links."""
    folder = Path(path).stem
    parts = dict.fromkeys(re.findall(rf"\]\(({folder}/\w+)\.md\)", text))
    return "\n" + _toctree(parts) if parts else ""


def _toctree(paths, caption=""):
    options = [f":caption: {caption}"] if caption else [":hidden:"]
    return "\n".join(["```{toctree}", *options, "", *paths, "```", ""])


_PICTURES = re.compile(r"<p>\n(?:<img .*>\n)+</p>\n")
_PICTURE = re.compile(r'<img src="(.*?)" alt="(.*?)" width=.*>')


def _landing(file, contents):
    """A README whose pictures and contents follow the first paragraphs."""
    text = (ROOT / file).read_text("utf8")
    text = text.replace("](README.zh.md)", "](zh.md)").replace("](README.md)", "](index.md)")
    pictures = "\n".join(f"![{says}]({file})\n" for file, says in _PICTURE.findall(text))
    first, rest = _PICTURES.sub("", text).split("\n## ", 1)
    return f"{first}\n:::{{container}} pictures\n{pictures}:::\n\n{contents}\n## {rest}"


def _path(name, folder="docs"):
    """The site path of a page, from its name below `docs`."""
    return name.removeprefix("../") if name.startswith("../") else f"{folder}/{name}"


def _contents():
    api = [(f"api/{group.folder}/index", group.title) for group in GROUPS]
    parts = [("Tutorial", [_path(name) for name in TUTORIAL])]
    parts += [(topic, [_path(name) for name in guides]) for (topic, _), guides in GUIDES.items()]
    shown = [(topic, [(path, "") for path in paths]) for topic, paths in parts]
    parts.append(("Interface", [f"{title} <{path}>" for path, title in api]))
    parts.append(("中文", ["中文首页 <zh>", *[_path(name, "docs/zh") for name in TRANSLATED]]))
    hidden = [_toctree(paths, caption).replace(":caption", ":hidden:\n:caption")
              for caption, paths in parts]  # fmt: skip
    return _topics([*shown, ("Interface", api)]) + "\n".join(hidden)


def _chinese():
    """The table of contents in Chinese."""
    counts = [sum(map(len, entries()[group.folder].values())) for group in GROUPS]
    api = [
        (f"api/{group.folder}/index", f"{group.chinese}（{count}）")
        for group, count in zip(GROUPS, counts, strict=True)
    ]
    topics = [("教程", TUTORIAL), *((topic, names) for (_, topic), names in GUIDES.items())]
    guides = [
        (topic, [(_path(name, "docs/zh"), chinese) if name in TRANSLATED
                 else (_path(name), f"{chinese}（英文）") for name, chinese in names.items()])
        for topic, names in topics
    ]  # fmt: skip
    last = "\n按字母排列的全部名称见[总索引](genindex)。\n"
    return _topics([*guides, ("接口", api)]) + last


def _topics(parts):
    """Lists of links side by side, each below its topic: [(topic, [(page, words or "")])]."""
    lists = [
        "\n".join([f"**{topic}**", "", *[f"- [{words}]({path}.md)" for path, words in links], ""])
        for topic, links in parts
    ]
    return "\n".join(
        ["::::{container} topics", *[f":::{{container}}\n{x}:::" for x in lists], "::::", ""]
    )


def write(folder):
    """All pages, and the files beside them that they link to."""
    texts = pages()
    for path, text in texts.items():
        for words, link in re.findall(r"\[([^\]]+)\]\(([\w./-]+)\)", text):
            source = (ROOT / path).parent.joinpath(link).resolve()
            if source.is_dir():  # which no page can link to
                text = text.replace(f"[{words}]({link})", words)
            elif source.is_file() and (beside := str(source.relative_to(ROOT))) not in texts:
                (folder / beside).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, folder / beside)
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
