"""The dtypes; written by tools/write_stubs.py."""

from sporax._src.core.dtype import Bool as Bool
from sporax._src.core.dtype import Complex as Complex
from sporax._src.core.dtype import Float as Float
from sporax._src.core.dtype import Int as Int
from sporax._src.core.dtype import UInt as UInt

bfloat16: Float
bool_: Bool
byte: Int
cdouble: Complex
cfloat: Complex
complex128: Complex
complex64: Complex
double: Float
float16: Float
float32: Float
float64: Float
float8_e4m3fn: Float
float8_e5m2: Float
half: Float
int16: Int
int32: Int
int64: Int
int8: Int
intc: Int
intp: Int
long: Int
short: Int
single: Float
ubyte: UInt
uint16: UInt
uint32: UInt
uint64: UInt
uint8: UInt
uintc: UInt
uintp: UInt
ushort: UInt
