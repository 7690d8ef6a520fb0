"""`mindspore.nn.transformer.layers`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.private_functions import _args_type_validator_check as _args_type_validator_check
from sporax._src.mindspore.compat.private_functions import _valid_type_checks as _valid_type_checks
from sporax._src.mindspore.compat.private_functions import _valid_value_checks as _valid_value_checks

