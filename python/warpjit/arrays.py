"""NumPy arrays as the library sees them: where they begin, how far their rows are apart. Nothing is copied: an array that
does not fit as it is, is refused."""
import ctypes

import numpy

from . import c
from .errors import BadArray

_INPUTS = {"float32": c.WARPJIT_F32, "uint8": c.WARPJIT_U8, "int8": c.WARPJIT_S8, "uint16": c.WARPJIT_U16,
           "int16": c.WARPJIT_S16}
_NORMALIZED = {"uint8": c.WARPJIT_UNORM8, "int8": c.WARPJIT_SNORM8, "uint16": c.WARPJIT_UNORM16,
               "int16": c.WARPJIT_SNORM16}
_OUTPUTS = {"float32": c.WARPJIT_F32, "uint32": c.WARPJIT_U32, "int32": c.WARPJIT_S32}


def check_array(array, where, writable=False):
    """Errors: no NumPy array, Python objects, another byte order, read-only."""
    if not isinstance(array, numpy.ndarray):
        raise BadArray(f"found {type(array).__name__}, expected a NumPy array", where)
    if array.dtype.hasobject:
        raise BadArray("an array of Python objects has no bytes to share", where)
    if not array.dtype.isnative:
        raise BadArray(f"the dtype {array.dtype} has another byte order than this machine", where)
    if writable and not array.flags.writeable:
        raise BadArray("the array is read-only, and the run writes to it", where)


def check_contiguous(array, where):
    if not array.flags.c_contiguous:
        raise BadArray(f"the array is not C-contiguous (shape {array.shape}, strides {array.strides}); "
                       "numpy.ascontiguousarray makes a copy that is", where)


def address_of(array):
    """Where an array begins; NULL if it is empty."""
    return ctypes.c_void_p(array.ctypes.data if array.size else None)


class Rows:
    """An array of shape (rows,) or (rows, 1 to 4) as rows of an input or output: type, components, stride, bytes."""

    def __init__(self, array, where, output=False, normalized=False):
        check_array(array, where, writable=output)
        types = _OUTPUTS if output else _NORMALIZED if normalized else _INPUTS
        if array.dtype.name not in types:
            raise BadArray(f"found dtype {array.dtype.name}, expected {', '.join(types)}", where)
        if array.ndim not in (1, 2) or (array.ndim == 2 and not 1 <= array.shape[1] <= 4):
            raise BadArray(f"found shape {array.shape}, expected (rows,) or (rows, 1 to 4)", where)
        self.type = types[array.dtype.name]
        self.components = array.shape[1] if array.ndim == 2 else 1
        if array.ndim == 2 and self.components > 1 and array.strides[1] != array.itemsize:
            raise BadArray(f"the components of a row are {array.strides[1]} bytes apart, expected {array.itemsize}: the "
                           "last axis is not contiguous", where)
        row = self.components * array.itemsize
        count = array.shape[0]
        self.stride = array.strides[0] if count > 1 else row
        if self.stride < 0:
            raise BadArray("the rows go backwards; numpy.ascontiguousarray makes a copy that does not", where)
        if output and count > 1 and self.stride < row:
            raise BadArray(f"the rows are {self.stride} bytes apart and have {row} bytes each: they overlap", where)
        self.byte_count = (count - 1) * self.stride + row if count else 0
        self.data = address_of(array)


def words(values, where, dtype):
    """Values for the library to copy, as a flat array of 32-bit numbers; numbers that it cannot hold are refused."""
    array = numpy.asarray(values)
    kinds = "fiub" if dtype == numpy.float32 else "iub"
    if array.dtype.kind not in kinds:
        raise BadArray(f"found dtype {array.dtype}, expected numbers" + ("" if "f" in kinds else " that are integers"), where)
    if dtype == numpy.uint32 and array.size and (array.min() < -2**31 or array.max() >= 2**32):
        raise BadArray("a value does not fit 32 bits", where)
    if dtype == numpy.uint32:
        array = (array.astype(numpy.int64) & 0xffffffff) if array.dtype.kind != "u" else array
    return numpy.ascontiguousarray(array, dtype=dtype).reshape(-1)


def pointer_to(array, kind):
    return ctypes.cast(address_of(array), ctypes.POINTER(kind))
