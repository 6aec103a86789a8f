"""Launches: a program with its values, its memory and its work."""
import ctypes
import struct
from ctypes import POINTER, byref

import numpy

from . import c
from .arrays import Rows, address_of, check_array, check_contiguous, pointer_to, words
from .errors import BadArray, BadInput
from .library import LIBRARY, Handle, bytes_of, call
from .pixels import pixels_of
from .state import fill


def _numbers(count, what):
    """One to three numbers, for x, y and z."""
    numbers = (count,) if isinstance(count, (int, numpy.integer)) else tuple(count)
    if not 1 <= len(numbers) <= 3:
        raise BadInput(f"found {len(numbers)} numbers, expected 1 to 3", what)
    return [int(number) for number in numbers] + [1] * (3 - len(numbers))


class Launch(Handle):
    """What a program runs over. Arrays that are bound are shared, not copied: the launch keeps them alive, and what runs
    write is in them. Values that are set are copied. A call that fails changes nothing."""
    _destroy = "warpjit_launch_destroy"

    def __init__(self, program, **bound):
        """`bound`: arguments of `bind`."""
        pointer = POINTER(c.warpjit_launch)()
        call("launch_create", program._pointer, byref(pointer))
        super().__init__(pointer)
        self.program = program
        self._kept = {}     # what the library has pointers to, by what it is bound to
        self._written = {}  # of these what runs write: label and array
        self._raster = self._outputs = self._size = None
        if bound:
            self.bind(**bound)

    def copy(self):
        """A launch of its own with the same bindings and values."""
        pointer = POINTER(c.warpjit_launch)()
        call("launch_copy", self._pointer, byref(pointer))
        copy = Launch.__new__(Launch)
        Handle.__init__(copy, pointer)
        copy.program = self.program
        copy._kept, copy._written = dict(self._kept), dict(self._written)
        copy._size = self._size
        for state in ("_raster", "_outputs"):
            value = getattr(self, state)
            setattr(copy, state, type(value).from_buffer_copy(value) if value is not None else None)
        return copy

    def _keep(self, key, array, label=None):
        """`label`: of an array that runs write."""
        self._kept[key] = array
        if label is not None:
            self._written[key] = (label, array)

    @property
    def results(self):
        """Arrays that runs write, by what they are bound to: ("output", "o0"), ("memory", "g14", 4096), ("color", 0)."""
        return dict(self._written.values())

    def bind(self, inputs=None, outputs=None, uniforms=None, count=None):
        """Several at once: arrays of inputs and outputs and values of uniforms by name. Without `count` it is the number of
        rows of the longest output, else input."""
        for name, values in (uniforms or {}).items():
            self.set_uniform(name, values)
        for name, array in (inputs or {}).items():
            self.bind_input(name, array)
        for name, array in (outputs or {}).items():
            self.bind_output(name, array)
        arrays = list((outputs or {}).values()) or list((inputs or {}).values())
        if count is None and arrays:
            count = max(len(array) for array in arrays)
        if count is not None:
            self.count = count
        return self

    # ---- Values

    def set_uniform(self, name, values):
        """Floats: consecutive components of consecutive registers, in any shape. A bool sets a boolean, integers for an
        integer register its four components."""
        location = self.program.find(c.WARPJIT_UNIFORM, name)
        if isinstance(values, (bool, numpy.bool_)):
            call("launch_set_bool", self._pointer, byref(location), int(values))
        elif self.program.isa == "pica200" and str(name).startswith("i") and str(name)[1:].isdigit():
            array = words(values, str(name), numpy.uint32)
            call("launch_set_int", self._pointer, byref(location), pointer_to(array, ctypes.c_uint32), array.size)
        else:
            array = words(values, str(name), numpy.float32)
            call("launch_set_uniform", self._pointer, byref(location), pointer_to(array, ctypes.c_float), array.size)

    def set_bits(self, name, values):
        """A float uniform by the bits of its words."""
        location = self.program.find(c.WARPJIT_UNIFORM, name)
        array = words(values, str(name), numpy.uint32)
        call("launch_set_bits", self._pointer, byref(location), pointer_to(array, ctypes.c_uint32), array.size)

    def set_state(self, name, values):
        """A register at the start of every thread: floats, or integers as words."""
        location = self.program.find(c.WARPJIT_STATE, name)
        array = numpy.asarray(values)
        array = words(array, str(name), numpy.float32 if array.dtype.kind == "f" else numpy.uint32)
        call("launch_set_state", self._pointer, byref(location), pointer_to(array, ctypes.c_uint32), array.size)

    @property
    def count(self):
        """Threads over rows; vertices of a draw."""
        return LIBRARY.warpjit_launch_count(self._pointer)

    @count.setter
    def count(self, count):
        call("launch_set_count", self._pointer, _natural(count, "count", 64))

    def set_instances(self, count):
        call("launch_set_instances", self._pointer, _natural(count, "instances"))

    @property
    def fuel(self):
        """How many backward transfers a thread may take."""
        return LIBRARY.warpjit_launch_fuel(self._pointer)

    @fuel.setter
    def fuel(self, fuel):
        LIBRARY.warpjit_launch_set_fuel(self._pointer, _natural(fuel, "fuel", 64))

    def allow_overlap(self, allow=True):
        """Outputs may share bytes with inputs, as for work in place."""
        call("launch_set_allow_overlap", self._pointer, int(allow))

    # ---- Rows

    def bind_input(self, name, array, normalized=False, divisor=0):
        """Thread t reads row t of an array of shape (rows,) or (rows, 1 to 4): float32, int8, uint8, int16 or uint16.
        Integers become the float of the same value; `normalized`: value / maximum. The rows may be any distance apart (a
        field of a structured array, every second row); numpy.broadcast_to gives every thread the same. `divisor`: in a
        draw, instances per row."""
        rows = Rows(array, str(name), normalized=normalized)
        location = self.program.find(c.WARPJIT_INPUT, name)
        attribute = c.warpjit_attribute(data=rows.data, byte_count=rows.byte_count, stride=rows.stride, type=rows.type,
                                        components=rows.components, divisor=divisor)
        call("launch_bind_input", self._pointer, byref(location), byref(attribute))
        self._keep(("input", location.first), array)

    def bind_output(self, name, array):
        """Thread t writes row t of an array of shape (rows,) or (rows, 1 to 4): float32, or uint32 or int32 for the bits as
        they are."""
        rows = Rows(array, str(name), output=True)
        location = self.program.find(c.WARPJIT_OUTPUT, name)
        output = c.warpjit_output_buffer(data=rows.data, byte_count=rows.byte_count, stride=rows.stride, type=rows.type,
                                         components=rows.components)
        call("launch_bind_output", self._pointer, byref(location), byref(output))
        self._keep(("output", location.first), array, label=("output", str(name)))

    def _forget(self, key):
        self._kept.pop(key, None)
        self._written.pop(key, None)

    def unbind(self):
        """Takes back all inputs and outputs."""
        LIBRARY.warpjit_launch_unbind_inputs(self._pointer)
        LIBRARY.warpjit_launch_unbind_outputs(self._pointer)
        for key in [key for key in self._kept if key[0] in ("input", "output")]:
            self._forget(key)

    # ---- Grids and memory

    def set_grid(self, *blocks):
        """Blocks in x, y and z."""
        call("launch_set_grid", self._pointer, *_numbers(blocks, "grid"))

    def set_block(self, *threads):
        """Threads of a block in x, y and z."""
        call("launch_set_block", self._pointer, *_numbers(threads, "block"))

    def set_shared_bytes(self, count):
        call("launch_set_shared_bytes", self._pointer, _natural(count, "shared_bytes"))

    def set_parameters(self, *values):
        """The parameters of a kernel, in order. An int is a word of 32 bits, a float a float of 32 bits; NumPy's numbers and
        arrays, and bytes, are what they are. Each is aligned to its own size."""
        data = bytearray()
        for index, value in enumerate(values):
            where = f"parameter {index}"
            size = 1
            if isinstance(value, (bytes, bytearray, memoryview)):
                piece = bytes(value)
            elif isinstance(value, (numpy.ndarray, numpy.generic)):
                array = numpy.asarray(value)
                if array.dtype.hasobject or array.dtype.kind not in "fiubV":
                    raise BadArray(f"found dtype {array.dtype}, expected numbers", where)
                size, piece = array.dtype.alignment, array.tobytes()
            elif isinstance(value, float):
                size, piece = 4, struct.pack("=f", value)
            elif isinstance(value, int):
                if not -2**31 <= value < 2**32:
                    raise BadInput(f"{value} does not fit 32 bits; numpy.uint64 makes it one of 64", where)
                size, piece = 4, struct.pack("=I", value & 0xffffffff)
            else:
                raise BadInput(f"found {type(value).__name__}, expected a number, a NumPy array or bytes", where)
            data += bytes(-len(data) % size) + piece
        call("launch_set_parameters", self._pointer, bytes(data), len(data))

    def bind_constants(self, space, array):
        """The bytes of a constant space ("c0") from address 0 on."""
        check_array(array, str(space))
        check_contiguous(array, str(space))
        call("launch_bind_constants", self._pointer, bytes_of(space), address_of(array), array.nbytes)
        self._keep(("constants", str(space)), array)

    def map_memory(self, space, address, array):
        """An array as the bytes of a space ("g14", "mem") from an address on, a multiple of 8."""
        where = f"{space}[{_natural(address, str(space), 64):#x}]"
        check_array(array, where, writable=True)
        check_contiguous(array, where)
        address = int(address)
        if address % 8 != 0 or array.ctypes.data % 8 != 0:
            raise BadArray(f"the address and the array's, {array.ctypes.data:#x}, must be multiples of 8", where)
        call("launch_map_memory", self._pointer, bytes_of(space), address, address_of(array), array.nbytes)
        key = ("memory", str(space), address)
        self._keep(key, array, label=key)

    def unmap_memory(self):
        """Takes back all constants and memory."""
        LIBRARY.warpjit_launch_unmap_memory(self._pointer)
        for key in [key for key in self._kept if key[0] in ("constants", "memory")]:
            self._forget(key)

    # ---- Draws over pixels

    def set_raster(self, viewport=None, **members):
        """How vertices become covered pixels: the members of warpjit_raster_state (pixels.h) that change, such as
        topology="triangle_strip", cull_back=True. `viewport`: (width, height): all of such a picture, depth
        from 0 to 1."""
        if self._raster is None:
            self._raster = c.warpjit_raster_state()
            call("default_raster_state", byref(self._raster))
        raster = c.warpjit_raster_state.from_buffer_copy(self._raster)
        if viewport is not None:
            width, height = viewport
            for axis, extent in enumerate((width, height)):
                raster.viewport_scale[axis] = raster.viewport_translate[axis] = extent / 2
            half = not members.get("depth_zero_to_one", raster.depth_zero_to_one)
            raster.viewport_scale[2], raster.viewport_translate[2] = (0.5, 0.5) if half else (1, 0)
        fill(raster, members)
        call("launch_set_raster_state", self._pointer, byref(raster))
        self._raster = raster

    def set_output(self, **members):
        """What happens to a fragment's results: the members of warpjit_output_state (pixels.h) that change, such as
        depth_test=True, depth_write=True, depth_compare="less", blend={0: {"enabled": True, "source": "source_alpha"}}."""
        if self._outputs is None:
            self._outputs = c.warpjit_output_state()
            call("default_output_state", byref(self._outputs))
        outputs = fill(c.warpjit_output_state.from_buffer_copy(self._outputs), members)
        call("launch_set_output_state", self._pointer, byref(outputs))
        self._outputs = outputs

    def _target(self, function, key, arguments, array, format_name):
        where = " ".join(str(part) for part in key)
        format_number, rows, columns, pitch = pixels_of(array, format_name, where)
        if self._size not in (None, (columns, rows)) and any(k != key for k in self._targets()):
            raise BadArray(f"found {columns} x {rows} pixels, the other targets have {self._size[0]} x {self._size[1]}",
                           where)
        target = c.warpjit_target_buffer(data=address_of(array), pitch=pitch, format=format_number,
                                         byte_count=(rows - 1) * pitch + columns * LIBRARY.warpjit_pixel_size(format_number))
        call("launch_set_target_size", self._pointer, columns, rows)
        call(function, self._pointer, *arguments, byref(target))
        self._size = (columns, rows)
        self._keep(key, array, label=key)

    def _targets(self):
        return [key for key in self._kept if key[0] in ("color", "depth")]

    def bind_color(self, number, array, format=None):
        """A colour target, row 0 first: shape (rows, columns, components) or (rows, columns). `format`: "rgba8" and so on;
        without it, what the dtype and the components say."""
        self._target("launch_bind_color", ("color", int(number)), [_natural(number, "color")], array, format)

    def bind_depth(self, array, format=None):
        """The depth target: float32 ("d32f"), uint16 ("d16") or uint32 ("d24s8") of shape (rows, columns)."""
        check_array(array, "depth")
        formats = {"float32": "d32f", "uint16": "d16", "uint32": "d24s8"}
        self._target("launch_bind_depth", ("depth",), [], array, format or formats.get(array.dtype.name))

    def bind_vertices(self, array):
        """Vertices as they come to the rasterizer: float32 or uint32 of shape (vertices, 4 to 128), the position first."""
        where = "vertices"
        check_array(array, where)
        if array.dtype.name not in ("float32", "uint32", "int32"):
            raise BadArray(f"found dtype {array.dtype.name}, expected float32, uint32 or int32", where)
        if array.ndim != 2 or not 4 <= array.shape[1] <= 128:
            raise BadArray(f"found shape {array.shape}, expected (vertices, 4 to 128)", where)
        if array.strides[1] != 4 or array.strides[0] < 0:
            raise BadArray(f"the strides are {array.strides}, expected the words of a vertex side by side", where)
        stride = array.strides[0] if len(array) > 1 else 4 * array.shape[1]
        buffer = c.warpjit_vertex_buffer(data=address_of(array), stride=stride, slots=array.shape[1],
                                         byte_count=(len(array) - 1) * stride + 4 * array.shape[1] if len(array) else 0)
        call("launch_bind_vertices", self._pointer, byref(buffer))
        self._keep(("vertices",), array)

    def set_indices(self, indices):
        """Numbers of vertices, of which there are `count`; None: in order."""
        if indices is None:
            LIBRARY.warpjit_launch_unset_indices(self._pointer)
            return
        array = words(indices, "indices", numpy.uint32)
        call("launch_set_indices", self._pointer, pointer_to(array, ctypes.c_uint32), array.size)

    def set_vertex_stage(self, launch, outputs=0):
        """The launch of the vertex program whose outputs feed this one; as it is now."""
        call("launch_set_vertex_stage", self._pointer, launch._pointer, outputs)
        self._keep(("vertex stage",), dict(launch._kept))

    def set_geometry_stage(self, launch):
        """A geometry program between vertices and rasterizer; as it is now. None: no such stage."""
        call("launch_set_geometry_stage", self._pointer, launch._pointer if launch is not None else None)
        self._keep(("geometry stage",), dict(launch._kept) if launch is not None else None)

    def set_texture(self, slot, array, format=None, **members):
        """A texture: shape (rows, columns, components) or (rows, columns), uint8 for "rgba8", "rg8", "r8", float32 for
        "rgba32f" and so on. `members`: of warpjit_texture (textures.h), for other kinds."""
        where = f"texture {slot}"
        check_array(array, where)
        check_contiguous(array, where)
        texture = c.warpjit_texture()
        call("default_texture", byref(texture))
        description = c.warpjit_texture_format()
        if format is None:
            format = _texture_format(array, where)
        call("find_texture_format", bytes_of(format), byref(description))
        texture.format = ctypes.pointer(description)
        texture.data, texture.byte_count = address_of(array), array.nbytes
        if array.ndim >= 2:
            texture.height, texture.width = array.shape[0], array.shape[1]
            texture.row_bytes = array.strides[0]
        fill(texture, members, where)
        call("launch_set_texture", self._pointer, _natural(slot, where), byref(texture))
        self._keep(("texture", int(slot)), array)

    def set_sampler(self, slot, **members):
        """A sampler: members of warpjit_sampler (textures.h) that change, such as wrap=["repeat"] * 3,
        magnify="linear"."""
        sampler = c.warpjit_sampler()
        call("default_sampler", byref(sampler))
        fill(sampler, members, f"sampler {slot}")
        call("launch_set_sampler", self._pointer, _natural(slot, "sampler"), byref(sampler))


def _natural(value, where, bits=32):
    """A number that is not negative and fits so many bits."""
    if isinstance(value, (float, numpy.floating)) and value == int(value):
        value = int(value)
    if not isinstance(value, (int, numpy.integer)) or not 0 <= value < 2**bits:
        raise BadInput(f"found {value!r}, expected an integer from 0 to 2**{bits} - 1", where)
    return int(value)


def _texture_format(array, where):
    components = array.shape[2] if array.ndim == 3 else 1
    letters = "rgba"[:components]
    kinds = {"uint8": "8", "uint16": "16", "float16": "16f", "float32": "32f"}
    if array.ndim not in (2, 3) or components not in (1, 2, 4) or array.dtype.name not in kinds:
        raise BadArray(f"found dtype {array.dtype.name} and shape {array.shape}, expected {', '.join(kinds)} and (rows, "
                       "columns) or (rows, columns, 1, 2 or 4); `format` says others", where)
    return letters + kinds[array.dtype.name]
