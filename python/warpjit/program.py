"""Programs: guest code with an entry point, and the names of its registers."""
import ctypes
import os
from collections import namedtuple
from ctypes import byref

import numpy

from . import c
from .arrays import pointer_to, words
from .errors import BadInput
from .library import LIBRARY, Handle, bytes_of, call, name_of, number_of, text_of

Symbol = namedtuple("Symbol", "name register count")
Symbol.__doc__ = "A name that a program declares, with its first register and the number of registers."

_ASSEMBLERS = ("pica200", "tesla", "valhall", "usse")


def _choice(entry, stage, position, source_name, flags=0):
    choice = c.warpjit_program_choice()
    choice.entry = bytes_of(entry) if entry is not None else None
    choice.source_name = bytes_of(source_name) if source_name is not None else None
    choice.position = 0 if position is None else position + 1
    # The names of stages count from 0 on; in the struct 0 is any stage.
    choice.stage = c.WARPJIT_STAGE_ANY if stage is None else _stage(stage)
    choice.flags = flags
    return choice


def _stage(name):
    return number_of(c.WARPJIT_NAMES_STAGE, name)


def _pica200_flags(f24, structural_scopes):
    return (c.WARPJIT_PROGRAM_F24 if f24 else 0) | (c.WARPJIT_PROGRAM_STRUCTURAL_SCOPES if structural_scopes else 0)


class Program(Handle):
    """Immutable guest code with one entry point. warpjit.load, assemble and from_words make one."""
    _destroy = "warpjit_program_destroy"

    def __init__(self, pointer):
        super().__init__(pointer)
        info = c.warpjit_program_info()
        call("program_get_info", pointer, byref(info))
        self.isa = name_of(c.WARPJIT_NAMES_ISA, info.isa)
        self.stage = name_of(c.WARPJIT_NAMES_STAGE, info.stage)
        self.entry = info.entry  # guest address, in words or bytes, as the guest counts
        self.registers = info.registers
        self.shared_bytes = info.shared_bytes
        self.local_bytes = info.local_bytes
        self.code_words = info.code_words
        self.name = text_of(info.name)
        self.source_name = text_of(info.source_name)

    def __repr__(self):
        name = self.name or self.source_name
        return f"<warpjit.Program {self.isa} {self.stage}{' ' + name if name else ''}, {self.code_words} words>"

    def _symbols(self, kind):
        symbols = []
        for index in range(LIBRARY.warpjit_program_symbol_count(self._pointer, kind)):
            symbol = c.warpjit_symbol()
            call("program_get_symbol", self._pointer, kind, index, byref(symbol))
            symbols.append(Symbol(text_of(symbol.name), text_of(symbol.reg), symbol.count))
        return symbols

    @property
    def inputs(self):
        """Declared inputs; registers that have no name are not listed."""
        return self._symbols(c.WARPJIT_INPUT)

    @property
    def outputs(self):
        return self._symbols(c.WARPJIT_OUTPUT)

    @property
    def uniforms(self):
        return self._symbols(c.WARPJIT_UNIFORM)

    def find(self, kind, name):
        """The place of a register or declared name; `kind` is c.WARPJIT_INPUT and so on. Errors: BadInput."""
        location = c.warpjit_location()
        call("program_find", self._pointer, kind, bytes_of(name), byref(location))
        return location

    def disassemble(self):
        """The code in the guest's assembly, which warpjit.assemble takes."""
        length = ctypes.c_size_t()
        call("program_disassemble", self._pointer, None, 0, byref(length))
        text = ctypes.create_string_buffer(length.value + 1)
        call("program_disassemble", self._pointer, ctypes.cast(text, ctypes.c_char_p), len(text), None)
        return text_of(text.value)


def _made(function, *arguments):
    pointer = ctypes.POINTER(c.warpjit_program)()
    call(function, *arguments, byref(pointer))
    return Program(pointer)


def load(source, entry=None, stage=None, position=None, source_name=None, f24=False, structural_scopes=False):
    """Reads a container: SHBIN, text or ELF cubin, GXP. `source`: a path (str or os.PathLike), or the bytes.

    A container may hold several programs: the first that fits `entry` (a name), `stage` ("vertex") and `position` (from 0
    on) is taken. `f24` and `structural_scopes` are modes of the PICA200. Errors: BadInput with the place; Unsupported;
    OSError for a file that cannot be read.
    """
    if isinstance(source, (str, os.PathLike)):
        source_name = source_name if source_name is not None else os.path.basename(os.fspath(source))
        with open(source, "rb") as file:
            source = file.read()
    data = bytes(source)
    choice = _choice(entry, stage, position, source_name, _pica200_flags(f24, structural_scopes))
    function = "program_from_shbin" if choice.flags else "program_load"
    return _made(function, data, len(data), byref(choice))


def assemble(isa, text, entry=None, stage=None, position=None, source_name=None, f24=False, structural_scopes=False):
    """Assembles a source for "pica200", "tesla", "valhall" or "usse", as Program.disassemble writes it. Errors: BadInput
    with line and column."""
    if isa not in _ASSEMBLERS:
        raise BadInput(f"found {isa!r}, expected {', '.join(_ASSEMBLERS)}", "isa")
    if "\0" in text:
        raise BadInput("the source has a zero character", source_name or isa)
    choice = _choice(entry, stage, position, source_name or isa, _pica200_flags(f24, structural_scopes))
    modes = [None] if isa == "tesla" else []
    return _made(f"program_from_{isa}_assembly", bytes_of(text), byref(choice), *modes)


def from_words(isa, code, descriptors=(), entry=0, stage=None, source_name=None, f24=False, structural_scopes=False):
    """A program of bare words: of 32 bits for "pica200" (with operand descriptors) and "tesla", of 64 bits for "valhall"
    and "usse". `entry`: as the guest counts."""
    stage = c.WARPJIT_STAGE_ANY if stage is None else _stage(stage)
    name = bytes_of(source_name) if source_name is not None else None
    if isa in ("valhall", "usse"):
        array = numpy.ascontiguousarray(code, dtype=numpy.uint64).reshape(-1)
        kind = ctypes.c_uint64
    else:
        array = words(code, "code", numpy.uint32)
        kind = ctypes.c_uint32
    if isa == "pica200":
        operands = words(descriptors, "descriptors", numpy.uint32)
        given = c.warpjit_program_words(isa=c.WARPJIT_ISA_PICA200, entry=entry, code=pointer_to(array, kind),
                                        code_count=array.size, descriptors=pointer_to(operands, kind),
                                        descriptor_count=operands.size, source_name=name, stage=stage,
                                        flags=_pica200_flags(f24, structural_scopes))
        return _made("program_from_words", byref(given))
    if isa == "tesla":
        given = c.warpjit_tesla_words(code=pointer_to(array, kind), code_count=array.size, stage=stage, source_name=name,
                                      entry=entry)
        return _made("program_from_tesla_words", byref(given), None)
    if isa == "valhall":
        given = c.warpjit_valhall_words(code=pointer_to(array, kind), code_count=array.size, entry=entry, stage=stage,
                                        source_name=name)
        return _made("program_from_valhall_words", byref(given))
    if isa == "usse":
        given = c.warpjit_usse_words(code=pointer_to(array, kind), code_count=array.size, stage=stage, source_name=name)
        return _made("program_from_usse_words", byref(given))
    raise BadInput(f"found {isa!r}, expected {', '.join(_ASSEMBLERS)}", "isa")
