"""Rows sent between processes: small ones through a socket, the arrays of large ones in shared
memory."""

import mmap
import os
import pickle
import socket
import struct
import threading

from sporax._src.diagnosis.rules import require
from sporax.data.aligned_arrays import ALIGNMENT

_HEAD = struct.Struct("<QI")  # bytes of the pickle, number of arrays after it
_SHARED = 1 << 16  # minimum bytes of arrays for shared memory


def _aligned(size):
    return -(-size // ALIGNMENT) * ALIGNMENT


class Channel:
    """One end of a connected pair of sockets, which sends and receives Python objects."""

    def __init__(self, sock):
        self._socket, self._sending = sock, threading.Lock()
        self.close, self.fileno = sock.close, sock.fileno

    def send(self, message, seconds=None):
        """Send an object. Raises OSError if the other end is closed, or TimeoutError."""
        buffers = []
        content = pickle.dumps(message, 5, buffer_callback=buffers.append)
        arrays = [buffer.raw() for buffer in buffers]
        if sum(array.nbytes for array in arrays) < _SHARED or not hasattr(os, "memfd_create"):
            content, arrays = pickle.dumps(message, 5), []
        head = _HEAD.pack(len(content), len(arrays))
        head += struct.pack(f"<{len(arrays)}Q", *[array.nbytes for array in arrays])
        self._socket.settimeout(seconds)
        with self._sending:
            if arrays:
                self._send_shared(head, arrays)
            else:
                self._socket.sendall(head)
            self._socket.sendall(content)

    def _send_shared(self, head, arrays):
        file = os.memfd_create("rows", os.MFD_CLOEXEC)
        try:
            offset = 0
            for array in arrays:
                end = offset + array.nbytes
                while offset < end:
                    offset += os.pwrite(file, array[array.nbytes - (end - offset) :], offset)
                offset = _aligned(end)
            os.ftruncate(file, offset)
            socket.send_fds(self._socket, [head], [file])
        finally:
            os.close(file)

    def receive(self, seconds=None):
        """Return the next object. Raises EOFError if the other end is closed, or TimeoutError."""
        self._socket.settimeout(seconds)
        head, files = b"", []
        if hasattr(socket, "recv_fds"):  # not on Windows
            head, files, _, _ = socket.recv_fds(self._socket, _HEAD.size, 1)
        size, count = _HEAD.unpack(head + self._exactly(_HEAD.size - len(head)))
        sizes = struct.unpack(f"<{count}Q", self._exactly(8 * count))
        content = self._exactly(size)
        if not files:
            return pickle.loads(content)
        try:
            shared = memoryview(mmap.mmap(files[0], sum(map(_aligned, sizes))))
        finally:
            os.close(files[0])
        arrays, offset = [], 0
        for nbytes in sizes:
            arrays.append(shared[offset : offset + nbytes])
            offset += _aligned(nbytes)
        return pickle.loads(content, buffers=arrays)

    def _exactly(self, size):
        content = bytearray(size)
        view = memoryview(content)
        while len(view):
            count = self._socket.recv_into(view)
            require(count, "other-end-closed")
            view = view[count:]
        return bytes(content) if size < _SHARED else content
