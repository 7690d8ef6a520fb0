"""`mindspore.ops`, as sporax has it; written by tools/write_stubs.py."""

from sporax import Tensor as Tensor
from sporax import constexpr as constexpr
from sporax import ops as P
from sporax import ops as array_ops
from sporax import ops as gen_extend_func
from sporax import ops as gen_ops_def
from sporax import ops as gen_ops_prim
from sporax import ops as linalg_ops
from sporax import ops as other_ops
from sporax._src.mindspore.compat import arg_dtype_cast as arg_dtype_cast
from sporax._src.mindspore.compat import arg_handler as arg_handler
from sporax._src.mindspore.compat import generated_functions as cpp_create_prim_instance_helper
from sporax._src.mindspore.compat import generated_functions as pyboost_inner_prim
from sporax._src.mindspore.compat.private_functions import ControlDepend as ControlDepend
from sporax._src.transforms.autodiff import *
from sporax.mint.ext_names import *
from sporax.ops import *
from sporax.ops import op_info_register as op_info_register
from sporax.ops import vm_impl_registry as vm_impl_registry
from sporax.train.data_sink import GetNext as GetNext

