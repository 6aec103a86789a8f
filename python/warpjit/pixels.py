"""Pictures: arrays as targets of draws, draws into new arrays, PNG files."""
import struct
import zlib
from ctypes import byref

import numpy

from . import c
from .arrays import check_array
from .errors import BadArray, BadInput
from .library import LIBRARY, call, name_of, number_of

# A pixel in NumPy's terms: dtype and components, by the name of its format.
_FORMATS = {"srgb8": ("uint8", 4), "rgb565": ("uint16", 1), "rgba4": ("uint16", 1), "rgb5a1": ("uint16", 1),
            "rgb10a2": ("uint32", 1), "rgb10a2ui": ("uint32", 1), "r11g11b10f": ("uint32", 1), "d16": ("uint16", 1),
            "d24s8": ("uint32", 1), "d32f": ("float32", 1)}
for _letters in ("r", "rg", "rgba"):
    for _bits in (8, 16):
        _FORMATS[f"{_letters}{_bits}"] = (f"uint{_bits}", len(_letters))
        _FORMATS[f"{_letters}{_bits}-snorm"] = (f"int{_bits}", len(_letters))
    for _bits in (16, 32):
        _FORMATS[f"{_letters}{_bits}f"] = (f"float{_bits}", len(_letters))
    for _bits in (8, 16, 32):
        _FORMATS[f"{_letters}{_bits}i"] = (f"int{_bits}", len(_letters))
        _FORMATS[f"{_letters}{_bits}ui"] = (f"uint{_bits}", len(_letters))


def _pixel(name, where):
    number = number_of(c.WARPJIT_NAMES_PIXEL_FORMAT, name)
    name = name_of(c.WARPJIT_NAMES_PIXEL_FORMAT, number)
    if name not in _FORMATS:
        raise BadInput(f"{name}: no array has such pixels", where)
    return (number, *_FORMATS[name])


def pixels_of(array, format_name, where):
    """Number of the format, rows, columns and pitch of an array as a target."""
    check_array(array, where, writable=True)
    if array.ndim not in (2, 3):
        raise BadArray(f"found shape {array.shape}, expected (rows, columns, components) or (rows, columns)", where)
    components = array.shape[2] if array.ndim == 3 else 1
    if format_name is None:
        dtype = array.dtype
        ending = {"uint8": "8", "uint16": "16", "int8": "8-snorm", "int16": "16-snorm", "float16": "16f",
                  "float32": "32f", "uint32": "32ui", "int32": "32i"}.get(dtype.name)
        if ending is None or components not in (1, 2, 4):
            raise BadArray(f"no format has {components} components of dtype {dtype.name}", where)
        format_name = "rgba"[:components] + ending
    number, dtype, expected = _pixel(format_name, where)
    if array.dtype.name != dtype or components != expected:
        raise BadArray(f"found dtype {array.dtype.name} and shape {array.shape}, expected {dtype} and (rows, columns"
                       f"{f', {expected}' if expected > 1 else ''}) for {format_name}", where)
    if not 1 <= array.shape[0] <= c.WARPJIT_MAX_TARGET_EXTENT or not 1 <= array.shape[1] <= c.WARPJIT_MAX_TARGET_EXTENT:
        raise BadArray(f"found {array.shape[1]} x {array.shape[0]} pixels, expected 1 to {c.WARPJIT_MAX_TARGET_EXTENT} of "
                       "each", where)
    inner = array.itemsize * components
    if (components > 1 and array.strides[2] != array.itemsize) or array.strides[1] != inner or array.strides[0] < inner:
        raise BadArray(f"the strides are {array.strides}, expected the pixels of a row side by side; the rows may be "
                       "further apart", where)
    return number, array.shape[0], array.shape[1], array.strides[0]


def new_target(width, height, format_name="rgba8"):
    """An array of zeros that fits a format."""
    _, dtype, components = _pixel(format_name, "format")
    return numpy.zeros((height, width, components) if components > 1 else (height, width), dtype)


def write_png(path, picture, bottom_up=True):
    """Writes uint8 of shape (rows, columns), or (rows, columns, 3 or 4), as PNG. `bottom_up`: row 0 is the lowest one, as in
    draws whose y goes up. Errors: BadArray; OSError."""
    check_array(picture, "picture")
    if picture.dtype != numpy.uint8 or picture.ndim not in (2, 3) or picture.shape[2:] not in ((), (3,), (4,)):
        raise BadArray(f"found dtype {picture.dtype.name} and shape {picture.shape}, expected uint8 and (rows, columns), or "
                       "(rows, columns, 3 or 4)", "picture")
    if 0 in picture.shape:
        raise BadArray("the picture is empty", "picture")
    kind = {(): 0, (3,): 2, (4,): 6}[picture.shape[2:]]
    rows = picture[::-1] if bottom_up else picture
    height, width = rows.shape[:2]
    lines = numpy.zeros((height, 1 + rows[0].size), numpy.uint8)  # each line begins with its filter: none
    lines[:, 1:] = rows.reshape(height, -1)

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)) + chunk(b"IEND", b""))


def default_state(kind):
    """Every member of warpjit_raster_state or warpjit_output_state as a new launch has it."""
    state = getattr(c, f"warpjit_{kind}_state")()
    call(f"default_{kind}_state", byref(state))
    return state


def pixel_size(format_name):
    return LIBRARY.warpjit_pixel_size(number_of(c.WARPJIT_NAMES_PIXEL_FORMAT, format_name))
