"""XLA's foreign-function interface from Python: a handler is a C function created by ctypes.

The structures follow `xla/ffi/api/c_api.h`, API 0.3, in `jaxlib/include`.
"""

import ctypes as c

import jax

API = (0, 3)
_EXECUTE, _METADATA, _INTERNAL = 3, 1, 13


def _struct(name, **fields):
    return type(name, (c.Structure,), {"_fields_": list(fields.items())})


_Head = {"size": c.c_size_t, "extensions": c.c_void_p}
_Extension = _struct("_Extension", size=c.c_size_t, type=c.c_int, next=c.c_void_p)
_Version = _struct("_Version", **_Head, major=c.c_int, minor=c.c_int)
_Metadata = _struct(
    "_Metadata", size=c.c_size_t, version=_Version, traits=c.c_uint32, state=c.c_int64
)
_MetadataExtension = _struct("_MetadataExtension", base=_Extension, metadata=c.POINTER(_Metadata))
_Buffer = _struct(
    "_Buffer", **_Head, dtype=c.c_int, data=c.c_void_p, rank=c.c_int64, dims=c.c_void_p
)
_Buffers = _struct(
    "_Buffers", **_Head, count=c.c_int64, types=c.c_void_p, items=c.POINTER(c.POINTER(_Buffer))
)
_Bytes = _struct("_Bytes", data=c.c_void_p, length=c.c_size_t)
_Attributes = _struct(
    "_Attributes", **_Head, count=c.c_int64, types=c.c_void_p, names=c.c_void_p,
    items=c.POINTER(c.POINTER(_Bytes)),
)  # fmt: skip
_CreateError = _struct("_CreateError", **_Head, message=c.c_char_p, code=c.c_int)
_CREATE_ERROR = c.CFUNCTYPE(c.c_void_p, c.POINTER(_CreateError))
_Api = _struct("_Api", **_Head, version=_Version, internal=c.c_void_p, create_error=_CREATE_ERROR)
_Frame = _struct(
    "_Frame", size=c.c_size_t, extensions=c.POINTER(_Extension), api=c.POINTER(_Api),
    context=c.c_void_p, stage=c.c_int, operands=_Buffers, results=_Buffers,
    attributes=_Attributes, future=c.c_void_p,
)  # fmt: skip

_handlers = []  # a handler must outlive every program that names it


def register(name, execute):
    """Make `execute(text, operands, results)` the handler of the custom call `name` on CPUs.

    `text`: the call's only attribute, bytes. `operands`, `results`: addresses. If it raises, the
    program fails with that error.
    """

    @c.CFUNCTYPE(c.c_void_p, c.POINTER(_Frame))
    def handler(pointer):
        frame = pointer.contents
        if frame.extensions and frame.extensions.contents.type == _METADATA:
            extension = c.cast(frame.extensions, c.POINTER(_MetadataExtension)).contents
            version = extension.metadata.contents.version
            version.major, version.minor = API
            extension.metadata.contents.traits = 0
            return None
        if frame.stage != _EXECUTE:
            return None
        try:
            text = frame.attributes.items[0].contents
            execute(
                c.string_at(text.data, text.length),
                *([b.items[i].contents.data for i in range(b.count)]
                  for b in (frame.operands, frame.results)),
            )  # fmt: skip
        except Exception as error:  # noqa: BLE001 - XLA raises it where the program was called
            message = f"{name}: {type(error).__name__}: {error}".encode()
            args = _CreateError(c.sizeof(_CreateError), None, message, _INTERNAL)
            return frame.api.contents.create_error(c.byref(args))
        return None

    _handlers.append(handler)
    address = c.cast(handler, c.c_void_p).value
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(address), platform="cpu")
