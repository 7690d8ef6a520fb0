"""Record MindSpore 2.10's settings and their initial values on a CPU:

    python tools/record_settings.py > tests/recorded/settings.json

Read-only settings, and settings that are parts of others, are left out.
"""

import json

from mindspore import context
from mindspore._c_expression import ms_ctx_param

if __name__ == "__main__":
    names = {n for n in dir(ms_ctx_param) if not n.startswith("_")} - {"name", "value"}
    results = {}
    for name in sorted(names | set(context._context().setters)):
        try:
            value = context.get_context(name)
            context.set_context(**{name: value})
            results[name] = json.loads(json.dumps(value))
        except (TypeError, ValueError, RuntimeError):
            continue
    print(json.dumps(results, indent=1))
