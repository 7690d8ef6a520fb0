"""The recorders: by library and module of this package, the functions, which are their names.

A recorder gets its library (of `SPORAX`: {library: interpreter}) and its parts, and returns or
yields what is written: {file: content}. `checkpoint_*` write and check files elsewhere.
"""

MINDSPORE = {
    "audio": "audio",
    "binary_dtypes": "binary_dtypes",
    "cases": "cells cells_documents cells_grad cells_transforms checks constants data_rows float8"
    " flops library_cases metrics networks obfuscation rewrite scripts seeded steps training updates",
    "checkpoints": "checkpoints checkpoint_check",
    "datasets": "image_sets pipelines text vision",
    "names": "classes ext_names multitype ops_names overloads parameters settings signatures",
    "module_names": "module_names",
    "numbers": "expressions numpy numpy_scalars primitive_calls private_calls promotion",
    "optimizers": "layers optimizers",
    "printing": "printing prints",
    "rank_checkpoints": "rank_checkpoints",
    "tensors": "indexing tensor",
}
TORCH = {
    "binary_dtypes": "binary_dtypes_torch",
    "layers_torch": "in_place mint_layers voices",
    "torch_files": "torch_files",
}
SPORAX = {
    "checkpoints": "checkpoint_write",
    "generated": "generated",
    "migrate": "migrate",
    "parity": "parity primitives",
}
LIBRARIES = {"mindspore": MINDSPORE, "torch": TORCH, "sporax": SPORAX}

# name -> (library, module)
RECORDERS = {
    name: (library, module)
    for library, modules in LIBRARIES.items()
    for module, names in modules.items()
    for name in names.split()
}
