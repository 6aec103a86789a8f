"""What goes wrong, as exceptions: one class for each status of the library."""
from . import c


class Error(Exception):
    """What the library refused or could not do. `where` is the place: a byte, a line, a register, a guest address, an
    argument; or empty. `message` is a sentence without a full stop."""
    status = 0

    def __init__(self, message, where=""):
        super().__init__(f"{where}: {message}" if where else message)
        self.message = message
        self.where = where


class BadInput(Error, ValueError):
    """Malformed bytes, values, names or arguments."""
    status = c.WARPJIT_BAD_INPUT


class BadArray(BadInput):
    """An array that cannot be bound: its type, shape, order or flags. Nothing is copied, so it must fit as it is."""


class Unsupported(Error):
    """Well-formed, but not implemented, or of a later version."""
    status = c.WARPJIT_UNSUPPORTED


class OutOfFuel(Error):
    """A guest thread took more backward transfers than the launch allows."""
    status = c.WARPJIT_OUT_OF_FUEL


class Fault(Error):
    """A guest access outside its memory where that is an error."""
    status = c.WARPJIT_FAULT


class Cancelled(Error):
    """The run or the compilation was cancelled, or its time was over."""
    status = c.WARPJIT_CANCELLED


class TargetUnavailable(Error):
    """This machine cannot run the requested target."""
    status = c.WARPJIT_TARGET_UNAVAILABLE


class ResourceLimit(Error, MemoryError):
    """A limit was exceeded, or no memory is left."""
    status = c.WARPJIT_RESOURCE_LIMIT


class FileError(Error, OSError):
    """A file could not be read or written."""
    status = c.WARPJIT_IO

    def __str__(self):
        return self.args[0]


class InternalError(Error):
    """A bug in warpjit; never expected."""
    status = c.WARPJIT_INTERNAL


class OutsideMemory(BadInput):
    """A vertex or an index of a draw does not lie in the memory that was given."""
    status = c.WARPJIT_OUTSIDE


_BY_STATUS = {kind.status: kind for kind in (BadInput, Unsupported, OutOfFuel, Fault, Cancelled, TargetUnavailable,
                                             ResourceLimit, FileError, InternalError, OutsideMemory)}


def error_of(status, text):
    """The exception of a failed call; `text`: its warpjit_error."""
    kind = _BY_STATUS.get(status, Error)
    return kind(text.message.decode("utf-8", "replace") or f"status {status}", text.where.decode("utf-8", "replace"))
