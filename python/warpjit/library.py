"""Finds the shared library and calls it."""
import ctypes
import os
import sys
from ctypes import byref

from . import c
from .errors import error_of

_NAMES = {"win32": ("warpjit.dll", "libwarpjit.dll"), "darwin": ("libwarpjit.dylib",)}.get(sys.platform, ("libwarpjit.so",))


def _candidates():
    """Where the library may be: what WARPJIT_LIBRARY names and nothing else, or beside this file, or as the system finds
    it."""
    chosen = os.environ.get("WARPJIT_LIBRARY")
    if chosen:
        return [chosen]
    folder = os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.join(folder, name) for name in _NAMES]
    return [path for path in beside if os.path.exists(path)] or list(_NAMES)


def _open():
    reasons = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            reasons.append(f"{path}: {error}")
    raise ImportError("no shared library of warpjit was found. `pip install .` builds one; the environment variable "
                      "WARPJIT_LIBRARY names one that is built\n  " + "\n  ".join(reasons))


LIBRARY = _open()
for _name, (_result, _parameters) in c.FUNCTIONS.items():
    try:
        _function = getattr(LIBRARY, _name)
    except AttributeError:
        raise ImportError(f"{LIBRARY._name} has no {_name}: it is of another version than this package") from None
    _function.restype = _result
    _function.argtypes = _parameters
if LIBRARY.warpjit_abi_version() != c.WARPJIT_ABI_VERSION:
    raise ImportError(f"{LIBRARY._name} has the interface {LIBRARY.warpjit_abi_version()}, this package needs "
                      f"{c.WARPJIT_ABI_VERSION}")


def call(name, *arguments):
    """Calls warpjit_NAME, whose last parameter is the error. Raises what it reports."""
    error = c.warpjit_error()
    status = getattr(LIBRARY, "warpjit_" + name)(*arguments, byref(error))
    if status != c.WARPJIT_OK:
        raise error_of(status, error)


def text_of(value):
    """A text of the library."""
    return (value or b"").decode("utf-8", "replace")


def bytes_of(text):
    """A text for the library, in UTF-8; bytes of file names that are none go through as they are."""
    return str(text).encode("utf-8", "surrogateescape")


def name_of(names, value):
    """The name of an enumerator: "vertex"."""
    return text_of(LIBRARY.warpjit_name(names, value))


def number_of(names, name):
    """The enumerator of a name. Errors: BadInput."""
    value = ctypes.c_int32()
    call("parse_name", names, bytes_of(name), byref(value))
    return value.value


class Handle:
    """Owns an object of the library."""
    _destroy = None  # the end of the name of the function that destroys it

    def __init__(self, pointer):
        self._pointer = pointer
        self._end = getattr(LIBRARY, self._destroy)

    def __del__(self):
        pointer = getattr(self, "_pointer", None)
        if pointer:
            self._pointer = None
            self._end(pointer)
