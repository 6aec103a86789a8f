"""warpjit's C interface for ctypes: constants, structs, and the types of all functions.

scripts/python-binding writes this file from include/warpjit/*.h, which say what everything means. A struct is made with
its size set: `warpjit_run_options()`.
"""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_float, c_int, c_int32, c_size_t, c_uint8, c_uint16,
                    c_uint32, c_uint64, c_void_p, sizeof)


class Struct(Structure):
    """A struct; one whose first member is `size` begins with its own."""

    def __init__(self, *args, **members):
        super().__init__(*args, **members)
        if self._fields_[0][0] == "size" and not args:
            self.size = sizeof(self)


WARPJIT_VERSION_MAJOR = 0
WARPJIT_VERSION_MINOR = 1
WARPJIT_VERSION_PATCH = 0
WARPJIT_VERSION_STRING = "0.1.0"
WARPJIT_ABI_VERSION = 2
WARPJIT_OK = 0
WARPJIT_BAD_INPUT = 1
WARPJIT_UNSUPPORTED = 2
WARPJIT_OUT_OF_FUEL = 3
WARPJIT_FAULT = 4
WARPJIT_CANCELLED = 5
WARPJIT_TARGET_UNAVAILABLE = 6
WARPJIT_RESOURCE_LIMIT = 7
WARPJIT_IO = 8
WARPJIT_INTERNAL = 9
WARPJIT_OUTSIDE = 10
WARPJIT_PENDING = 100
WARPJIT_ISA_PICA200 = 0
WARPJIT_ISA_TESLA = 1
WARPJIT_ISA_VALHALL = 2
WARPJIT_ISA_USSE = 3
WARPJIT_STAGE_ANY = 0
WARPJIT_STAGE_VERTEX = 1
WARPJIT_STAGE_GEOMETRY = 2
WARPJIT_STAGE_COMPUTE = 3
WARPJIT_STAGE_FRAGMENT = 4
WARPJIT_WORK_ROWS = 0
WARPJIT_WORK_DRAW = 1
WARPJIT_WORK_PRIMITIVES = 2
WARPJIT_WORK_GRID = 3
WARPJIT_WORK_PIXELS = 4
WARPJIT_JIT = 0
WARPJIT_IR = 1
WARPJIT_GUEST = 2
WARPJIT_TARGET_AUTOMATIC = 0
WARPJIT_TARGET_V3 = 1
WARPJIT_TARGET_V4 = 2
WARPJIT_TARGET_A64 = 3
WARPJIT_TARGET_V4_FP16 = 4
WARPJIT_TARGET_A64_FP16 = 5
WARPJIT_PRIMITIVES_POINT = 0
WARPJIT_PRIMITIVES_VARIABLE = 1
WARPJIT_PRIMITIVES_FIXED = 2
WARPJIT_NAMES_ISA = 0
WARPJIT_NAMES_STAGE = 1
WARPJIT_NAMES_WORK = 2
WARPJIT_NAMES_ENGINE = 3
WARPJIT_NAMES_TARGET = 4
WARPJIT_NAMES_PRIMITIVES = 5
WARPJIT_NAMES_PIXEL_FORMAT = 6
WARPJIT_F32 = 0
WARPJIT_U8 = 1
WARPJIT_S8 = 2
WARPJIT_U16 = 3
WARPJIT_S16 = 4
WARPJIT_UNORM8 = 5
WARPJIT_SNORM8 = 6
WARPJIT_UNORM16 = 7
WARPJIT_SNORM16 = 8
WARPJIT_U32 = 9
WARPJIT_S32 = 10
WARPJIT_PROGRAM_F24 = 1
WARPJIT_PROGRAM_STRUCTURAL_SCOPES = 2
WARPJIT_INPUT = 0
WARPJIT_OUTPUT = 1
WARPJIT_UNIFORM = 2
WARPJIT_STATE = 3
WARPJIT_DEFAULT_FUEL = 524288
WARPJIT_DIVISION_NONE = 0
WARPJIT_DIVISION_SHIFT = 1
WARPJIT_DIVISION_MULTIPLY = 2
WARPJIT_CODE_MEMORY_AUTOMATIC = 0
WARPJIT_CODE_MEMORY_DUAL = 1
WARPJIT_CODE_MEMORY_FLIP = 2
WARPJIT_CODE_MEMORY_NONE = 3
WARPJIT_LOG_DEBUG = 0
WARPJIT_LOG_INFO = 1
WARPJIT_LOG_WARNING = 2
WARPJIT_ENGINE_PERF_MAP = 1
WARPJIT_ENGINE_CHECKS = 2
WARPJIT_ENGINE_NO_BACKGROUND = 4
WARPJIT_FOREVER = 2**64 - 1
WARPJIT_RUN_BACKGROUND = 1
WARPJIT_RUN_GENERIC = 2
WARPJIT_COMPILATION_WAITING = 0
WARPJIT_COMPILATION_COMPILING = 1
WARPJIT_COMPILATION_DONE = 2
WARPJIT_COMPILATION_FAILED = 3
WARPJIT_COMPILATION_CANCELLED = 4
WARPJIT_NAME_OF_ADDRESS = 0
WARPJIT_NAME_OF_REGISTER = 1
WARPJIT_NAME_OF_DRAW = 2
WARPJIT_NAME_OF_UNIFORM = 3
WARPJIT_MAX_COLOR_TARGETS = 8
WARPJIT_MAX_TARGET_EXTENT = 16384
WARPJIT_PIXELS_NONE = 0
WARPJIT_PIXELS_RGBA8 = 1
WARPJIT_PIXELS_SRGB8 = 2
WARPJIT_PIXELS_RGB565 = 3
WARPJIT_PIXELS_RGBA4 = 4
WARPJIT_PIXELS_RGB5A1 = 5
WARPJIT_PIXELS_RGB10A2 = 6
WARPJIT_PIXELS_RGBA16F = 7
WARPJIT_PIXELS_RGBA32F = 8
WARPJIT_PIXELS_R32F = 9
WARPJIT_PIXELS_RGBA32I = 10
WARPJIT_PIXELS_RGBA32UI = 11
WARPJIT_PIXELS_R32I = 12
WARPJIT_PIXELS_R32UI = 13
WARPJIT_PIXELS_RGBA8I = 14
WARPJIT_PIXELS_RGBA8UI = 15
WARPJIT_PIXELS_D16 = 16
WARPJIT_PIXELS_D24S8 = 17
WARPJIT_PIXELS_D32F = 18
WARPJIT_PIXELS_R8 = 19
WARPJIT_PIXELS_RG8 = 20
WARPJIT_PIXELS_R16 = 21
WARPJIT_PIXELS_RG16 = 22
WARPJIT_PIXELS_RGBA16 = 23
WARPJIT_PIXELS_R8_SNORM = 24
WARPJIT_PIXELS_RG8_SNORM = 25
WARPJIT_PIXELS_RGBA8_SNORM = 26
WARPJIT_PIXELS_R16_SNORM = 27
WARPJIT_PIXELS_RG16_SNORM = 28
WARPJIT_PIXELS_RGBA16_SNORM = 29
WARPJIT_PIXELS_R16F = 30
WARPJIT_PIXELS_RG16F = 31
WARPJIT_PIXELS_RG32F = 32
WARPJIT_PIXELS_R11G11B10F = 33
WARPJIT_PIXELS_R8I = 34
WARPJIT_PIXELS_R8UI = 35
WARPJIT_PIXELS_RG8I = 36
WARPJIT_PIXELS_RG8UI = 37
WARPJIT_PIXELS_R16I = 38
WARPJIT_PIXELS_R16UI = 39
WARPJIT_PIXELS_RG16I = 40
WARPJIT_PIXELS_RG16UI = 41
WARPJIT_PIXELS_RGBA16I = 42
WARPJIT_PIXELS_RGBA16UI = 43
WARPJIT_PIXELS_RG32I = 44
WARPJIT_PIXELS_RG32UI = 45
WARPJIT_PIXELS_RGB10A2UI = 46
WARPJIT_COMPARE_NEVER = 0
WARPJIT_COMPARE_LESS = 1
WARPJIT_COMPARE_EQUAL = 2
WARPJIT_COMPARE_LESS_EQUAL = 3
WARPJIT_COMPARE_GREATER = 4
WARPJIT_COMPARE_NOT_EQUAL = 5
WARPJIT_COMPARE_GREATER_EQUAL = 6
WARPJIT_COMPARE_ALWAYS = 7
WARPJIT_STENCIL_KEEP = 0
WARPJIT_STENCIL_ZERO = 1
WARPJIT_STENCIL_REPLACE = 2
WARPJIT_STENCIL_INCREMENT_CLAMP = 3
WARPJIT_STENCIL_DECREMENT_CLAMP = 4
WARPJIT_STENCIL_INVERT = 5
WARPJIT_STENCIL_INCREMENT_WRAP = 6
WARPJIT_STENCIL_DECREMENT_WRAP = 7
WARPJIT_BLEND_ZERO = 0
WARPJIT_BLEND_ONE = 1
WARPJIT_BLEND_SOURCE_COLOR = 2
WARPJIT_BLEND_ONE_MINUS_SOURCE_COLOR = 3
WARPJIT_BLEND_SOURCE_ALPHA = 4
WARPJIT_BLEND_ONE_MINUS_SOURCE_ALPHA = 5
WARPJIT_BLEND_TARGET_COLOR = 6
WARPJIT_BLEND_ONE_MINUS_TARGET_COLOR = 7
WARPJIT_BLEND_TARGET_ALPHA = 8
WARPJIT_BLEND_ONE_MINUS_TARGET_ALPHA = 9
WARPJIT_BLEND_CONSTANT_COLOR = 10
WARPJIT_BLEND_ONE_MINUS_CONSTANT_COLOR = 11
WARPJIT_BLEND_CONSTANT_ALPHA = 12
WARPJIT_BLEND_ONE_MINUS_CONSTANT_ALPHA = 13
WARPJIT_BLEND_SOURCE_ALPHA_SATURATE = 14
WARPJIT_BLEND_TARGET_ALPHA_SATURATE = 15
WARPJIT_BLEND_ADD = 0
WARPJIT_BLEND_SUBTRACT = 1
WARPJIT_BLEND_REVERSE_SUBTRACT = 2
WARPJIT_BLEND_MIN = 3
WARPJIT_BLEND_MAX = 4
WARPJIT_MIX_ADD_ZERO = 0
WARPJIT_MIX_ADD_SOURCE = 1
WARPJIT_MIX_ADD_TARGET = 2
WARPJIT_MIX_SOURCE_MINUS_TARGET = 0
WARPJIT_MIX_SOURCE_PLUS_TARGET = 1
WARPJIT_MIX_SOURCE = 2
WARPJIT_MIX_TARGET = 3
WARPJIT_MIX_BY_ZERO = 0
WARPJIT_MIX_BY_SOURCE = 1
WARPJIT_MIX_BY_TARGET = 2
WARPJIT_MIX_BY_TWICE_SOURCE = 3
WARPJIT_MIX_BY_SOURCE_ALPHA = 4
WARPJIT_MIX_BY_TARGET_ALPHA = 5
WARPJIT_MIX_BY_CONSTANT = 6
WARPJIT_POINTS = 0
WARPJIT_LINES = 1
WARPJIT_LINE_STRIP = 2
WARPJIT_TRIANGLES = 3
WARPJIT_TRIANGLE_STRIP = 4
WARPJIT_TRIANGLE_FAN = 5
WARPJIT_SHADE_SMOOTH = 0
WARPJIT_SHADE_FLAT = 1
WARPJIT_TEXTURE_1D = 0
WARPJIT_TEXTURE_2D = 1
WARPJIT_TEXTURE_3D = 2
WARPJIT_TEXTURE_CUBE = 3
WARPJIT_TEXTURE_BUFFER = 4
WARPJIT_LAYOUT_LINEAR = 0
WARPJIT_LAYOUT_BLOCK_LINEAR = 1
WARPJIT_LAYOUT_U_INTERLEAVED = 2
WARPJIT_LAYOUT_MORTON = 3
WARPJIT_TEXEL_NONE = 0
WARPJIT_TEXEL_UNORM = 1
WARPJIT_TEXEL_SNORM = 2
WARPJIT_TEXEL_UINT = 3
WARPJIT_TEXEL_SINT = 4
WARPJIT_TEXEL_FLOAT = 5
WARPJIT_TEXEL_SHARED_EXPONENT = 6
WARPJIT_TEXEL_USCALED = 7
WARPJIT_TEXEL_SSCALED = 8
WARPJIT_SOURCE_RED = 0
WARPJIT_SOURCE_GREEN = 1
WARPJIT_SOURCE_BLUE = 2
WARPJIT_SOURCE_ALPHA = 3
WARPJIT_SOURCE_ZERO = 4
WARPJIT_SOURCE_ONE = 5
WARPJIT_SOURCE_INTEGER_ONE = 6
WARPJIT_WRAP_REPEAT = 0
WARPJIT_WRAP_MIRROR = 1
WARPJIT_WRAP_CLAMP_TO_EDGE = 2
WARPJIT_WRAP_CLAMP_TO_BORDER = 3
WARPJIT_WRAP_CLAMP = 4
WARPJIT_WRAP_MIRROR_ONCE_TO_EDGE = 5
WARPJIT_WRAP_MIRROR_ONCE_TO_BORDER = 6
WARPJIT_WRAP_MIRROR_ONCE = 7
WARPJIT_FILTER_NEAREST = 0
WARPJIT_FILTER_LINEAR = 1
WARPJIT_MIP_NONE = 0
WARPJIT_MIP_NEAREST = 1
WARPJIT_MIP_LINEAR = 2
WARPJIT_PICA200_ATTRIBUTES = 12
WARPJIT_PICA200_UPLOADED_WORDS = 512
WARPJIT_PICA200_UPLOADED_DESCRIPTORS = 128
WARPJIT_PICA200_MAX_DRAW_VERTICES = 1048576
WARPJIT_PICA200_GEOMETRY_WORDS = 4096
WARPJIT_PICA200_MAX_MEMORY_RANGES = 64
WARPJIT_PICA200_VERTEX_UNIT = 0
WARPJIT_PICA200_GEOMETRY_UNIT = 1
WARPJIT_PICA200_PRIMITIVE = 1
WARPJIT_PICA200_WINDING = 2
WARPJIT_PICA200_HAS_RUN = 4
WARPJIT_PICA200_OUTSIDE_ERROR = 0
WARPJIT_PICA200_OUTSIDE_ZERO = 1
WARPJIT_PICA200_START_ZERO = 0
WARPJIT_PICA200_START_EMULATORS = 1
WARPJIT_PICA200_LIST = 0
WARPJIT_PICA200_STRIP = 1
WARPJIT_PICA200_FAN = 2
WARPJIT_PICA200_SHADER = 3
WARPJIT_PICA200_PSC0 = 40
WARPJIT_PICA200_PSC1 = 41
WARPJIT_PICA200_PPF = 44
WARPJIT_PICA200_P3D = 45
WARPJIT_PICA200_NO_JUMP = 0
WARPJIT_PICA200_JUMP_BUFFER0 = 1
WARPJIT_PICA200_JUMP_BUFFER1 = 2
WARPJIT_PICA200_TABLE_LIGHT = 0
WARPJIT_PICA200_TABLE_FOG = 1
WARPJIT_PICA200_TABLE_NOISE = 2
WARPJIT_PICA200_TABLE_COLOR_MAP = 3
WARPJIT_PICA200_TABLE_ALPHA_MAP = 4
WARPJIT_PICA200_TABLE_COLORS = 5
WARPJIT_PICA200_TABLE_COLOR_DIFFERENCES = 6
WARPJIT_PICA200_TABLE_WORDS = 256
WARPJIT_TESLA_SATURATED_NAN_IS_ZERO = 1
WARPJIT_TESLA_ZERO_WINS = 2
WARPJIT_TESLA_INFINITE_DERIVATIVES = 4
WARPJIT_TESLA_FAST_FMAD = 8
WARPJIT_TESLA_FAST_SFU = 16
WARPJIT_TESLA_LINKED_SAMPLERS = 32
WARPJIT_VALHALL_DEPTH = 0xffffffff
WARPJIT_VALHALL_FLUSH_SINGLE = 1
WARPJIT_VALHALL_FLUSH_HALF = 2
WARPJIT_VALHALL_SUPPRESS_NAN = 4
WARPJIT_VALHALL_SUPPRESS_INFINITY = 8
WARPJIT_VALHALL_POINTS_FROM_BOTTOM = 16
WARPJIT_USSE_U8 = 0
WARPJIT_USSE_S8 = 1
WARPJIT_USSE_U16 = 2
WARPJIT_USSE_S16 = 3
WARPJIT_USSE_U8N = 4
WARPJIT_USSE_S8N = 5
WARPJIT_USSE_U16N = 6
WARPJIT_USSE_S16N = 7
WARPJIT_USSE_F16 = 8
WARPJIT_USSE_F32 = 9
WARPJIT_USSE_UNTYPED = 10
WARPJIT_USSE_TRIANGLES = 0
WARPJIT_USSE_TRIANGLE_STRIP = 1
WARPJIT_USSE_TRIANGLE_FAN = 2
WARPJIT_USSE_POINTS = 3
WARPJIT_USSE_CULL_NONE = 0
WARPJIT_USSE_CULL_CLOCKWISE = 1
WARPJIT_USSE_CULL_COUNTER_CLOCKWISE = 2


class warpjit_engine(Structure):
    pass


class warpjit_program(Structure):
    pass


class warpjit_launch(Structure):
    pass


class warpjit_compilation(Structure):
    pass


class warpjit_prepared_run(Structure):
    pass


class warpjit_profile(Structure):
    pass


warpjit_capture_sink = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)


class warpjit_error(Struct):
    _fields_ = [("size", c_size_t),
                ("status", c_int32),
                ("where", c_char * 252),
                ("message", c_char * 512)]


class warpjit_program_choice(Struct):
    _fields_ = [("size", c_size_t),
                ("entry", c_char_p),
                ("source_name", c_char_p),
                ("position", c_uint32),
                ("stage", c_int32),
                ("flags", c_uint32),
                ("reserved", c_uint32)]


class warpjit_program_words(Struct):
    _fields_ = [("size", c_size_t),
                ("isa", c_int32),
                ("entry", c_uint32),
                ("code", POINTER(c_uint32)),
                ("code_count", c_size_t),
                ("descriptors", POINTER(c_uint32)),
                ("descriptor_count", c_size_t),
                ("source_name", c_char_p),
                ("flags", c_uint32),
                ("reserved", c_uint32),
                ("stage", c_int32),
                ("reserved2", c_uint32)]


class warpjit_program_info(Struct):
    _fields_ = [("size", c_size_t),
                ("isa", c_int32),
                ("stage", c_int32),
                ("entry", c_uint32),
                ("registers", c_uint32),
                ("shared_bytes", c_uint32),
                ("local_bytes", c_uint32),
                ("code_words", c_size_t),
                ("name", c_char_p),
                ("source_name", c_char_p)]


class warpjit_location(Struct):
    _fields_ = [("kind", c_uint32),
                ("first", c_uint32),
                ("count", c_uint32),
                ("components", c_uint32),
                ("word", c_uint32)]


class warpjit_symbol(Struct):
    _fields_ = [("size", c_size_t),
                ("name", c_char_p),
                ("reg", c_char_p),
                ("count", c_uint32),
                ("reserved", c_uint32)]


class warpjit_attribute(Struct):
    _fields_ = [("size", c_size_t),
                ("data", c_void_p),
                ("byte_count", c_size_t),
                ("stride", c_size_t),
                ("type", c_int32),
                ("components", c_uint32),
                ("divisor", c_uint32),
                ("reserved", c_uint32)]


class warpjit_output_buffer(Struct):
    _fields_ = [("size", c_size_t),
                ("data", c_void_p),
                ("byte_count", c_size_t),
                ("stride", c_size_t),
                ("type", c_int32),
                ("components", c_uint32)]


class warpjit_geometry_input(Struct):
    _fields_ = [("size", c_size_t),
                ("mode", c_int32),
                ("first", c_uint32),
                ("vertices", c_uint32),
                ("full_vertices", c_uint32),
                ("registers", POINTER(c_uint8)),
                ("register_count", c_size_t),
                ("outputs", c_uint64),
                ("max_triangles", c_uint32),
                ("reserved", c_uint32)]


class warpjit_triangle_buffer(Struct):
    _fields_ = [("size", c_size_t),
                ("vertices", c_void_p),
                ("byte_count", c_size_t),
                ("inverted", POINTER(c_uint8)),
                ("inverted_count", c_size_t)]


class warpjit_image_source(Struct):
    _fields_ = [("size", c_size_t),
                ("address", c_uint64),
                ("format", c_uint32),
                ("width", c_uint32),
                ("height", c_uint32),
                ("depth", c_uint32),
                ("row_stride", c_uint32),
                ("slice_stride", c_uint32),
                ("interleaved", c_uint32),
                ("is_3d", c_uint32)]


class warpjit_buffer_source(Struct):
    _fields_ = [("size", c_size_t),
                ("table", c_uint32),
                ("entry", c_uint32),
                ("address", c_uint64),
                ("byte_count", c_uint32)]


class warpjit_attribute_source(Struct):
    _fields_ = [("size", c_size_t),
                ("address", c_uint64),
                ("byte_count", c_uint32),
                ("format", c_uint32),
                ("offset", c_int32),
                ("stride", c_uint32),
                ("per_instance", c_uint32),
                ("from_first", c_uint32),
                ("division", c_int32),
                ("shift", c_uint32),
                ("add", c_uint32),
                ("multiplier", c_uint32)]


warpjit_log_function = CFUNCTYPE(None, c_void_p, c_int32, c_char_p)


warpjit_parallel_for = CFUNCTYPE(None, c_void_p, c_size_t, CFUNCTYPE(None, c_void_p, c_size_t), c_void_p)


class warpjit_engine_options(Struct):
    _fields_ = [("size", c_size_t),
                ("cache_bytes", c_size_t),
                ("flags", c_uint32),
                ("code_memory", c_int32),
                ("threads", c_uint32),
                ("compile_threads", c_uint32),
                ("compile_queue", c_size_t),
                ("log", warpjit_log_function),
                ("log_context", c_void_p),
                ("parallel_for", warpjit_parallel_for),
                ("parallel_for_context", c_void_p),
                ("concurrency", c_uint32),
                ("boolean_variants", c_uint32)]


class warpjit_engine_info(Struct):
    _fields_ = [("size", c_size_t),
                ("jit", c_uint32),
                ("target", c_int32),
                ("targets", c_uint32),
                ("code_memory", c_int32),
                ("concurrency", c_uint32),
                ("reserved", c_uint32),
                ("no_jit_reason", c_char_p)]


class warpjit_statistics(Struct):
    _fields_ = [("size", c_size_t),
                ("hits", c_uint64),
                ("misses", c_uint64),
                ("compiles", c_uint64),
                ("failures", c_uint64),
                ("evictions", c_uint64),
                ("kernels", c_uint64),
                ("bytes", c_uint64),
                ("capacity", c_uint64),
                ("compile_ns", c_uint64),
                ("background_compiles", c_uint64),
                ("interpreted_runs", c_uint64),
                ("waiting", c_uint64),
                ("compiling", c_uint64)]


class warpjit_guest_place(Struct):
    _fields_ = [("size", c_size_t),
                ("found", c_uint32),
                ("guest_address", c_uint32),
                ("program", c_char * 256)]


class warpjit_run_options(Struct):
    _fields_ = [("size", c_size_t),
                ("engine", c_int32),
                ("target", c_int32),
                ("threads", c_uint32),
                ("flags", c_uint32),
                ("fuel", c_uint64),
                ("cancel", POINTER(c_uint32))]


class warpjit_draw_counts(Struct):
    _fields_ = [("primitives", c_uint64),
                ("missing", c_uint64),
                ("not_finite", c_uint64),
                ("outside", c_uint64),
                ("culled", c_uint64),
                ("empty", c_uint64),
                ("beside", c_uint64),
                ("covered", c_uint64),
                ("discarded", c_uint64),
                ("alpha_failed", c_uint64),
                ("stencil_failed", c_uint64),
                ("depth_failed", c_uint64)]


class warpjit_report(Struct):
    _fields_ = [("size", c_size_t),
                ("engine", c_int32),
                ("target", c_int32),
                ("lanes", c_uint32),
                ("threads", c_uint32),
                ("cache_hit", c_uint32),
                ("generic", c_uint32),
                ("code_bytes", c_uint64),
                ("compile_ns", c_uint64),
                ("run_ns", c_uint64),
                ("interpreted", c_uint64),
                ("work", c_int32),
                ("ordered", c_uint32),
                ("translate_ns", c_uint64),
                ("passes_ns", c_uint64),
                ("backend_ns", c_uint64),
                ("place_ns", c_uint64),
                ("invocations", c_uint64),
                ("triangles", c_uint64),
                ("fault", c_uint32),
                ("reserved", c_uint32),
                ("fault_where", c_char * 256),
                ("fault_what", c_char * 256),
                ("interpreted_because", c_char * 512),
                ("primitives", c_uint64),
                ("groups", c_uint64),
                ("draw", warpjit_draw_counts),
                ("fault_accesses", c_uint64),
                ("vertex_ns", c_uint64)]


class warpjit_profile_info(Struct):
    _fields_ = [("size", c_size_t),
                ("instruction_count", c_size_t),
                ("race_count", c_size_t),
                ("further_races", c_uint64),
                ("active_lanes", POINTER(c_uint64)),
                ("active_lane_count", c_size_t),
                ("deepest_stack", c_uint32),
                ("reserved", c_uint32)]


class warpjit_profile_instruction(Struct):
    _fields_ = [("size", c_size_t),
                ("address", c_uint32),
                ("reserved", c_uint32),
                ("text", c_char_p),
                ("warps", c_uint64),
                ("lanes", c_uint64),
                ("diverged", c_uint64),
                ("faults", c_uint64),
                ("uninitialized_registers", c_uint64),
                ("uninitialized_shared", c_uint64),
                ("first_uninitialized", c_char_p)]


class warpjit_profile_race(Struct):
    _fields_ = [("size", c_size_t),
                ("first", c_uint32),
                ("second", c_uint32),
                ("count", c_uint64),
                ("example", c_char_p)]


class warpjit_capture(Structure):
    pass


class warpjit_capture_file(Struct):
    _fields_ = [("bytes", c_void_p),
                ("size", c_size_t),
                ("name", c_char_p)]


class warpjit_capture_name(Struct):
    _fields_ = [("of", c_int32),
                ("number", c_uint64),
                ("text", c_char_p)]


class warpjit_capture_program(Struct):
    _fields_ = [("stage", c_char_p),
                ("report", POINTER(warpjit_report))]


class warpjit_capture_job(Struct):
    _fields_ = [("size", c_size_t),
                ("number", c_size_t),
                ("frame", c_size_t),
                ("what", c_char_p),
                ("programs", POINTER(warpjit_capture_program)),
                ("program_count", c_size_t)]


class warpjit_capture_draw(Struct):
    _fields_ = [("size", c_size_t),
                ("number", c_size_t),
                ("job", c_size_t),
                ("frame", c_size_t),
                ("what", c_char_p),
                ("drawn", c_uint32),
                ("programs", POINTER(warpjit_capture_program)),
                ("program_count", c_size_t)]


class warpjit_capture_picture(Struct):
    _fields_ = [("size", c_size_t),
                ("name", c_char_p),
                ("frame", c_size_t),
                ("job", c_size_t),
                ("draw", c_size_t),
                ("address", c_uint64),
                ("format", c_int32),
                ("width", c_uint32),
                ("height", c_uint32),
                ("pixels", c_void_p),
                ("pixels_size", c_size_t),
                ("bytes", c_void_p),
                ("bytes_size", c_size_t),
                ("compared", c_uint32),
                ("units", c_uint64),
                ("differ", c_uint64),
                ("beyond", c_uint64),
                ("allowed", c_uint64),
                ("first", c_uint64)]


class warpjit_capture_texture(Struct):
    _fields_ = [("size", c_size_t),
                ("draw", c_size_t),
                ("stage", c_char_p),
                ("unit", c_uint32),
                ("layer", c_uint32),
                ("address", c_uint64),
                ("format", c_char_p),
                ("width", c_uint32),
                ("height", c_uint32),
                ("levels", c_uint32),
                ("number", c_size_t),
                ("picture_width", c_uint32),
                ("picture_height", c_uint32),
                ("rgba", c_void_p)]


class warpjit_capture_visitor(Struct):
    _fields_ = [("size", c_size_t),
                ("context", c_void_p),
                ("job", CFUNCTYPE(c_int, c_void_p, POINTER(warpjit_capture_job))),
                ("draw", CFUNCTYPE(c_int, c_void_p, POINTER(warpjit_capture_draw))),
                ("picture", CFUNCTYPE(c_int, c_void_p, POINTER(warpjit_capture_picture))),
                ("targets_of_draws", c_uint32),
                ("textures", c_uint32),
                ("texture", CFUNCTYPE(c_int, c_void_p, POINTER(warpjit_capture_texture)))]


class warpjit_launch_recorder(Structure):
    pass


class warpjit_stencil_face(Struct):
    _fields_ = [("compare", c_int32),
                ("fail", c_int32),
                ("depth_fail", c_int32),
                ("pass", c_int32),
                ("reference", c_uint32),
                ("read_mask", c_uint32),
                ("write_mask", c_uint32)]


class warpjit_blend_mix(Struct):
    _fields_ = [("add", c_int32),
                ("negate_add", c_uint32),
                ("multiply", c_int32),
                ("negate_multiply", c_uint32),
                ("by", c_int32),
                ("invert_by", c_uint32)]


class warpjit_blend_state(Struct):
    _fields_ = [("enabled", c_uint32),
                ("source", c_int32),
                ("target", c_int32),
                ("source_alpha", c_int32),
                ("target_alpha", c_int32),
                ("op", c_int32),
                ("op_alpha", c_int32),
                ("write_mask", c_uint32),
                ("mixed", c_uint32),
                ("mix", warpjit_blend_mix),
                ("mix_alpha", warpjit_blend_mix),
                ("bytes", c_uint32)]


class warpjit_output_state(Struct):
    _fields_ = [("size", c_size_t),
                ("depth_test", c_uint32),
                ("depth_write", c_uint32),
                ("depth_compare", c_int32),
                ("stencil_test", c_uint32),
                ("front", warpjit_stencil_face),
                ("back", warpjit_stencil_face),
                ("blend", warpjit_blend_state * WARPJIT_MAX_COLOR_TARGETS),
                ("alpha_test", c_uint32),
                ("alpha_compare", c_int32),
                ("alpha_reference", c_float),
                ("blend_constant", c_float * 4),
                ("early_tests", c_uint32),
                ("count_passed", c_uint32)]


class warpjit_raster_state(Struct):
    _fields_ = [("size", c_size_t),
                ("topology", c_int32),
                ("viewport_scale", c_float * 3),
                ("viewport_translate", c_float * 3),
                ("scissor_x", c_uint32),
                ("scissor_y", c_uint32),
                ("scissor_width", c_uint32),
                ("scissor_height", c_uint32),
                ("depth_zero_to_one", c_uint32),
                ("clip_near", c_uint32),
                ("clip_far", c_uint32),
                ("positive_is_front", c_uint32),
                ("cull_front", c_uint32),
                ("cull_back", c_uint32),
                ("provoking_last", c_uint32),
                ("point_size", c_float),
                ("line_width", c_float),
                ("point_size_slot", c_uint32),
                ("distance_first", c_uint32),
                ("distance_count", c_uint32),
                ("distance_clip", c_uint32),
                ("distance_cull", c_uint32),
                ("window_positions", c_uint32),
                ("depth_bias_units", c_float),
                ("depth_bias_slope", c_float),
                ("depth_bias_clamp", c_float),
                ("depth_bounds", c_float * 2),
                ("shade", c_int32),
                ("clip_bounds", c_float * 2),
                ("sample_x", c_uint32),
                ("sample_y", c_uint32)]


class warpjit_target_buffer(Struct):
    _fields_ = [("size", c_size_t),
                ("data", c_void_p),
                ("byte_count", c_size_t),
                ("pitch", c_size_t),
                ("format", c_int32),
                ("reserved", c_uint32)]


class warpjit_vertex_buffer(Struct):
    _fields_ = [("size", c_size_t),
                ("data", c_void_p),
                ("byte_count", c_size_t),
                ("stride", c_size_t),
                ("slots", c_uint32),
                ("reserved", c_uint32)]


class warpjit_texel_component(Struct):
    _fields_ = [("type", c_uint8),
                ("first_bit", c_uint8),
                ("bits", c_uint8),
                ("reserved", c_uint8)]


class warpjit_texture_format(Struct):
    _fields_ = [("size", c_size_t),
                ("bytes", c_uint32),
                ("srgb", c_uint32),
                ("components", warpjit_texel_component * 4),
                ("compression", c_uint32),
                ("block_width", c_uint32),
                ("block_height", c_uint32),
                ("reserved", c_uint32)]


class warpjit_texture(Struct):
    _fields_ = [("size", c_size_t),
                ("dimension", c_int32),
                ("array", c_uint32),
                ("format", POINTER(warpjit_texture_format)),
                ("layout", c_int32),
                ("swizzle", c_int32 * 4),
                ("normalized", c_uint32),
                ("four_pairs", c_uint32),
                ("depth", c_uint32),
                ("data", c_void_p),
                ("byte_count", c_size_t),
                ("width", c_uint32),
                ("height", c_uint32),
                ("depth_extent", c_uint32),
                ("layers", c_uint32),
                ("levels", c_uint32),
                ("first_level", c_uint32),
                ("last_level", c_uint32),
                ("row_bytes", c_uint64),
                ("slice_bytes", c_uint64),
                ("layer_bytes", c_uint64),
                ("block_height", c_uint32),
                ("block_depth", c_uint32),
                ("min_lod", c_int32),
                ("lod_bias", c_int32)]


class warpjit_sampler(Struct):
    _fields_ = [("size", c_size_t),
                ("wrap", c_int32 * 3),
                ("magnify", c_int32),
                ("minify", c_int32),
                ("mip", c_int32),
                ("compare", c_uint32),
                ("compare_op", c_int32),
                ("decode_srgb", c_uint32),
                ("seamless", c_uint32),
                ("lod_bias", c_int32),
                ("min_lod", c_int32),
                ("max_lod", c_int32),
                ("border", c_uint32 * 4),
                ("has_srgb_border", c_uint32),
                ("srgb_border", c_uint32 * 3),
                ("reserved", c_uint32)]


class warpjit_pica200_pipeline(Structure):
    pass


class warpjit_pica200_register(Struct):
    _fields_ = [("id", c_uint32),
                ("value", c_uint32)]


class warpjit_pica200_array(Struct):
    _fields_ = [("size", c_size_t),
                ("data", c_void_p),
                ("byte_count", c_size_t),
                ("offset", c_size_t),
                ("stride", c_size_t),
                ("type", c_int32),
                ("components", c_uint32)]


class warpjit_pica200_memory(Struct):
    _fields_ = [("address", c_uint32),
                ("data", c_void_p),
                ("byte_count", c_size_t)]


class warpjit_pica200_geometry_unit(Struct):
    _fields_ = [("r", c_uint32 * 4 * 16),
                ("a0", c_int32 * 2),
                ("aL", c_int32),
                ("cmp", c_uint32),
                ("vertex", c_uint32),
                ("flags", c_uint32),
                ("unused", c_uint32 * 2),
                ("outputs", c_uint32 * 4 * 16 * 2),
                ("vertices", c_uint32 * 4 * 16 * 3)]


class warpjit_pica200_unit(Struct):
    _fields_ = [("size", c_size_t),
                ("code", POINTER(c_uint32)),
                ("code_count", c_size_t),
                ("descriptors", POINTER(c_uint32)),
                ("descriptor_count", c_size_t),
                ("floats", POINTER(c_uint32)),
                ("float_count", c_size_t),
                ("ints", POINTER(c_uint32)),
                ("int_count", c_size_t),
                ("permutation", POINTER(c_uint8)),
                ("permutation_count", c_size_t),
                ("entry", c_uint32),
                ("attribute_count", c_uint32),
                ("bools", c_uint16),
                ("output_mask", c_uint16),
                ("f24", c_uint32),
                ("structural_scopes", c_uint32)]


class warpjit_pica200_vertex(Struct):
    _fields_ = [("position", c_float * 4),
                ("quaternion", c_float * 4),
                ("color", c_float * 4),
                ("texcoord0", c_float * 2),
                ("texcoord1", c_float * 2),
                ("texcoord0_w", c_float),
                ("unused17", c_float),
                ("view", c_float * 3),
                ("unused21", c_float),
                ("texcoord2", c_float * 2)]


class warpjit_pica200_draw(Struct):
    _fields_ = [("size", c_size_t),
                ("vertices", POINTER(warpjit_pica200_vertex)),
                ("vertex_count", c_size_t),
                ("indices", POINTER(c_uint16)),
                ("index_count", c_size_t),
                ("triangles", c_uint32),
                ("topology", c_int32),
                ("restarted", c_uint32),
                ("topology_written", c_uint32),
                ("outside_vertices", c_uint64),
                ("outside_indices", c_uint64)]


class warpjit_pica200_vertex_view(Struct):
    _fields_ = [("size", c_size_t),
                ("number", c_uint64),
                ("inputs", c_uint32 * 4 * 16),
                ("outputs", c_uint32 * 4 * 16),
                ("temporaries", c_uint32 * 4 * 16),
                ("a0", c_int32 * 2),
                ("aL", c_int32),
                ("cmp", c_uint32)]


class warpjit_pica200_vertex_step(Struct):
    _fields_ = [("size", c_size_t),
                ("address", c_uint32),
                ("file", c_uint32),
                ("index", c_uint32),
                ("mask", c_uint32),
                ("value", c_uint32 * 4),
                ("a0", c_int32 * 2),
                ("aL", c_int32),
                ("cmp", c_uint32)]


warpjit_pica200_step_function = CFUNCTYPE(c_int, c_void_p, POINTER(warpjit_pica200_vertex_step))


class warpjit_pica200_visitor(Struct):
    _fields_ = [("context", c_void_p),
                ("draw", CFUNCTYPE(c_int, c_void_p, POINTER(warpjit_pica200_draw), POINTER(warpjit_report), POINTER(warpjit_error))),
                ("write", CFUNCTYPE(None, c_void_p, c_uint32, c_uint32))]


class warpjit_pica200_packet(Struct):
    _fields_ = [("size", c_size_t),
                ("id", c_uint32),
                ("bytes", c_uint32),
                ("values", POINTER(c_uint32)),
                ("value_count", c_size_t),
                ("consecutive", c_uint32)]


class warpjit_pica200_gpu(Structure):
    pass


warpjit_pica200_interrupt_function = CFUNCTYPE(None, c_void_p, c_int32)


class warpjit_pica200_gpu_memory(Struct):
    _fields_ = [("address", c_uint32),
                ("data", c_void_p),
                ("byte_count", c_size_t)]


class warpjit_pica200_gpu_report(Struct):
    _fields_ = [("size", c_size_t),
                ("draws", c_uint64),
                ("triangles", c_uint64),
                ("fragments", c_uint64),
                ("jumps", c_uint64),
                ("interrupt", c_uint32),
                ("jump", c_int32),
                ("words", c_uint64)]


class warpjit_pica200_fill(Struct):
    _fields_ = [("start", c_uint32),
                ("end", c_uint32),
                ("value", c_uint32),
                ("control", c_uint32)]


class warpjit_pica200_transfer(Struct):
    _fields_ = [("input", c_uint32),
                ("output", c_uint32),
                ("input_size", c_uint32),
                ("output_size", c_uint32),
                ("flags", c_uint32)]


class warpjit_pica200_copy(Struct):
    _fields_ = [("input", c_uint32),
                ("output", c_uint32),
                ("byte_count", c_uint32),
                ("input_line", c_uint32),
                ("output_line", c_uint32)]


class warpjit_tesla_modes(Struct):
    _fields_ = [("size", c_size_t),
                ("flags", c_uint32),
                ("call_limit", c_uint32)]


class warpjit_tesla_graphics(Struct):
    _fields_ = [("size", c_size_t),
                ("attributes", c_uint32 * 2),
                ("builtin_attributes", c_uint32),
                ("vertex_results", POINTER(c_uint8)),
                ("vertex_result_count", c_size_t),
                ("geometry_enabled", c_uint32),
                ("geometry_output", c_uint32),
                ("geometry_results", POINTER(c_uint8)),
                ("geometry_result_count", c_size_t),
                ("geometry_vertices", c_uint32),
                ("interpolants", c_uint32),
                ("noperspective", c_uint32 * 4),
                ("fragment_control", c_uint32),
                ("fragment_results", c_uint32),
                ("pixel_center_integer", c_uint32),
                ("primitive_id_slot", c_uint32),
                ("two_sided", c_uint32),
                ("color_slots", c_uint32),
                ("point_sprites", c_uint32),
                ("point_coordinates", c_uint32 * 16),
                ("point_upper_left", c_uint32)]


class warpjit_tesla_words(Struct):
    _fields_ = [("size", c_size_t),
                ("code", POINTER(c_uint32)),
                ("code_count", c_size_t),
                ("registers", c_uint32),
                ("shared_bytes", c_uint32),
                ("local_bytes", c_uint32),
                ("stage", c_int32),
                ("source_name", c_char_p),
                ("graphics", POINTER(warpjit_tesla_graphics)),
                ("entry", c_uint32)]


class warpjit_valhall_words(Struct):
    _fields_ = [("size", c_size_t),
                ("code", POINTER(c_uint64)),
                ("code_count", c_size_t),
                ("address", c_uint64),
                ("entry", c_uint32),
                ("local_bytes", c_uint32),
                ("shared_bytes", c_uint32),
                ("flags", c_uint32),
                ("stage", c_int32),
                ("source_name", c_char_p),
                ("blend_targets", POINTER(c_int32)),
                ("texture_table", c_uint32),
                ("sampler_table", c_uint32)]


class warpjit_valhall_capture(Structure):
    pass


class warpjit_valhall_draw(Struct):
    _fields_ = [("size", c_size_t),
                ("number", c_size_t),
                ("job", c_uint64),
                ("fragment_job", c_uint64),
                ("mode", c_char_p),
                ("vertices", c_uint32),
                ("instances", c_uint32),
                ("targets", c_uint32),
                ("depth", c_uint32)]


class warpjit_valhall_picture(Struct):
    _fields_ = [("size", c_size_t),
                ("fragment_job", c_uint64),
                ("target", c_uint32),
                ("format", c_int32),
                ("width", c_uint32),
                ("height", c_uint32),
                ("pixel_bytes", c_size_t),
                ("pixels", c_void_p),
                ("stored", c_uint32)]


class warpjit_valhall_visitor(Struct):
    _fields_ = [("context", c_void_p),
                ("draw", CFUNCTYPE(c_int, c_void_p, POINTER(warpjit_valhall_draw), POINTER(warpjit_report))),
                ("picture", CFUNCTYPE(c_int, c_void_p, POINTER(warpjit_valhall_picture)))]


class warpjit_usse_words(Struct):
    _fields_ = [("size", c_size_t),
                ("code", POINTER(c_uint64)),
                ("code_count", c_size_t),
                ("stage", c_int32),
                ("source_name", c_char_p)]


class warpjit_usse_stream(Struct):
    _fields_ = [("data", c_void_p),
                ("byte_count", c_size_t),
                ("stride", c_uint32),
                ("per_instance", c_uint32)]


class warpjit_usse_attribute(Struct):
    _fields_ = [("stream", c_uint32),
                ("offset", c_uint32),
                ("format", c_int32),
                ("components", c_uint32),
                ("reg", c_uint32)]


class warpjit_usse_uniform(Struct):
    _fields_ = [("name", c_char_p),
                ("words", POINTER(c_uint32)),
                ("count", c_size_t)]


class warpjit_usse_uniform_buffer(Struct):
    _fields_ = [("buffer", c_uint32),
                ("address", c_uint32),
                ("words", POINTER(c_uint32)),
                ("count", c_size_t)]


class warpjit_usse_texture(Struct):
    _fields_ = [("unit", c_uint32),
                ("control", c_uint32 * 4)]


class warpjit_usse_memory(Struct):
    _fields_ = [("address", c_uint32),
                ("reserved", c_uint32),
                ("data", c_void_p),
                ("byte_count", c_size_t)]


class warpjit_usse_stage(Struct):
    _fields_ = [("size", c_size_t),
                ("program", POINTER(warpjit_program)),
                ("uniforms", POINTER(warpjit_usse_uniform)),
                ("uniform_count", c_size_t),
                ("default_uniforms", POINTER(c_uint32)),
                ("default_uniform_count", c_size_t),
                ("buffers", POINTER(warpjit_usse_uniform_buffer)),
                ("buffer_count", c_size_t),
                ("textures", POINTER(warpjit_usse_texture)),
                ("texture_count", c_size_t)]


class warpjit_usse_blend(Struct):
    _fields_ = [("size", c_size_t),
                ("color_mask", c_uint32),
                ("color_function", c_uint32),
                ("alpha_function", c_uint32),
                ("color_source", c_uint32),
                ("color_target", c_uint32),
                ("alpha_source", c_uint32),
                ("alpha_target", c_uint32)]


class warpjit_usse_stencil(Struct):
    _fields_ = [("compare", c_int32),
                ("fail", c_int32),
                ("depth_fail", c_int32),
                ("pass", c_int32),
                ("reference", c_uint32),
                ("compare_mask", c_uint32),
                ("write_mask", c_uint32)]


class warpjit_usse_depth_stencil(Struct):
    _fields_ = [("size", c_size_t),
                ("depth_compare", c_int32),
                ("depth_write", c_uint32),
                ("stencil", c_uint32),
                ("two_sided", c_uint32),
                ("front", warpjit_usse_stencil),
                ("back", warpjit_usse_stencil)]


class warpjit_usse_draw(Struct):
    _fields_ = [("size", c_size_t),
                ("vertex", POINTER(warpjit_usse_stage)),
                ("fragment", POINTER(warpjit_usse_stage)),
                ("streams", POINTER(warpjit_usse_stream)),
                ("stream_count", c_size_t),
                ("attributes", POINTER(warpjit_usse_attribute)),
                ("attribute_count", c_size_t),
                ("memory", POINTER(warpjit_usse_memory)),
                ("memory_count", c_size_t),
                ("indices", POINTER(c_uint32)),
                ("index_count", c_size_t),
                ("instances", c_uint32),
                ("primitive", c_int32),
                ("cull", c_int32),
                ("viewport_offset", c_float * 3),
                ("viewport_scale", c_float * 3),
                ("has_region", c_uint32),
                ("region", c_uint32 * 4),
                ("blend", POINTER(warpjit_usse_blend)),
                ("depth_stencil", POINTER(warpjit_usse_depth_stencil))]


class warpjit_usse_color_surface(Struct):
    _fields_ = [("size", c_size_t),
                ("format", c_uint32),
                ("type", c_uint32),
                ("width", c_uint32),
                ("height", c_uint32),
                ("stride", c_uint32),
                ("reserved", c_uint32),
                ("data", c_void_p),
                ("byte_count", c_size_t)]


class warpjit_usse_depth_surface(Struct):
    _fields_ = [("size", c_size_t),
                ("format", c_int32),
                ("depth", c_float),
                ("stencil", c_uint32)]


class warpjit_usse_scene(Structure):
    pass


class warpjit_usse_recorder(Structure):
    pass


# Name: what it returns, its parameters.
FUNCTIONS = {
    "warpjit_abi_version": (c_uint32, []),
    "warpjit_version": (None, [POINTER(c_uint32), POINTER(c_uint32), POINTER(c_uint32)]),
    "warpjit_status_name": (c_char_p, [c_int32]),
    "warpjit_name": (c_char_p, [c_int32, c_int32]),
    "warpjit_parse_name": (c_int32, [c_int32, c_char_p, POINTER(c_int32), POINTER(warpjit_error)]),
    "warpjit_component_size": (c_size_t, [c_int32]),
    "warpjit_format_name": (c_char_p, [c_int32, c_uint32]),
    "warpjit_parse_format": (c_int32, [c_char_p, POINTER(c_int32), POINTER(c_uint32), POINTER(warpjit_error)]),
    "warpjit_program_load": (c_int32, [c_void_p, c_size_t, POINTER(warpjit_program_choice), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_program_from_shbin": (c_int32, [c_void_p, c_size_t, POINTER(warpjit_program_choice), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_program_from_pica200_assembly": (c_int32, [c_char_p, POINTER(warpjit_program_choice), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_program_from_words": (c_int32, [POINTER(warpjit_program_words), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_program_destroy": (None, [POINTER(warpjit_program)]),
    "warpjit_program_get_info": (c_int32, [POINTER(warpjit_program), POINTER(warpjit_program_info), POINTER(warpjit_error)]),
    "warpjit_program_unit_words": (c_size_t, [POINTER(warpjit_program)]),
    "warpjit_program_find": (c_int32, [POINTER(warpjit_program), c_int32, c_char_p, POINTER(warpjit_location), POINTER(warpjit_error)]),
    "warpjit_program_symbol_count": (c_size_t, [POINTER(warpjit_program), c_int32]),
    "warpjit_program_get_symbol": (c_int32, [POINTER(warpjit_program), c_int32, c_size_t, POINTER(warpjit_symbol), POINTER(warpjit_error)]),
    "warpjit_program_disassemble": (c_int32, [POINTER(warpjit_program), c_char_p, c_size_t, POINTER(c_size_t), POINTER(warpjit_error)]),
    "warpjit_launch_create": (c_int32, [POINTER(warpjit_program), POINTER(POINTER(warpjit_launch)), POINTER(warpjit_error)]),
    "warpjit_launch_copy": (c_int32, [POINTER(warpjit_launch), POINTER(POINTER(warpjit_launch)), POINTER(warpjit_error)]),
    "warpjit_launch_destroy": (None, [POINTER(warpjit_launch)]),
    "warpjit_launch_get_program": (c_int32, [POINTER(warpjit_launch), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_launch_set_uniform": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_location), POINTER(c_float), c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_set_bits": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_location), POINTER(c_uint32), c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_set_int": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_location), POINTER(c_uint32), c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_set_bool": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_location), c_uint32, POINTER(warpjit_error)]),
    "warpjit_launch_set_state": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_location), POINTER(c_uint32), c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_bind_input": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_location), POINTER(warpjit_attribute), POINTER(warpjit_error)]),
    "warpjit_launch_bind_output": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_location), POINTER(warpjit_output_buffer), POINTER(warpjit_error)]),
    "warpjit_launch_unbind_inputs": (c_int32, [POINTER(warpjit_launch)]),
    "warpjit_launch_unbind_outputs": (c_int32, [POINTER(warpjit_launch)]),
    "warpjit_launch_set_count": (c_int32, [POINTER(warpjit_launch), c_uint64, POINTER(warpjit_error)]),
    "warpjit_launch_set_instances": (c_int32, [POINTER(warpjit_launch), c_uint32, POINTER(warpjit_error)]),
    "warpjit_launch_set_fuel": (c_int32, [POINTER(warpjit_launch), c_uint64]),
    "warpjit_launch_set_allow_overlap": (c_int32, [POINTER(warpjit_launch), c_uint32, POINTER(warpjit_error)]),
    "warpjit_launch_count": (c_uint64, [POINTER(warpjit_launch)]),
    "warpjit_launch_fuel": (c_uint64, [POINTER(warpjit_launch)]),
    "warpjit_launch_set_geometry_input": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_geometry_input), POINTER(warpjit_error)]),
    "warpjit_launch_get_geometry_input": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_geometry_input), POINTER(warpjit_error)]),
    "warpjit_launch_set_vertex_stage": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_launch), c_uint64, POINTER(warpjit_error)]),
    "warpjit_launch_set_primitives": (c_int32, [POINTER(warpjit_launch), POINTER(c_uint32), c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_bind_unit": (c_int32, [POINTER(warpjit_launch), POINTER(c_uint32), c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_bind_triangles": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_triangle_buffer), POINTER(warpjit_error)]),
    "warpjit_launch_set_grid": (c_int32, [POINTER(warpjit_launch), c_uint32, c_uint32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_launch_set_block": (c_int32, [POINTER(warpjit_launch), c_uint32, c_uint32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_launch_set_first_block": (c_int32, [POINTER(warpjit_launch), c_uint32, c_uint32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_launch_set_parameters": (c_int32, [POINTER(warpjit_launch), c_void_p, c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_set_shared_bytes": (c_int32, [POINTER(warpjit_launch), c_uint32, POINTER(warpjit_error)]),
    "warpjit_launch_bind_constants": (c_int32, [POINTER(warpjit_launch), c_char_p, c_void_p, c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_map_memory": (c_int32, [POINTER(warpjit_launch), c_char_p, c_uint64, c_void_p, c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_unmap_memory": (c_int32, [POINTER(warpjit_launch)]),
    "warpjit_launch_set_images": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_image_source), c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_set_buffers": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_buffer_source), c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_set_first_vertex": (c_int32, [POINTER(warpjit_launch), c_uint32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_launch_set_attributes": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_attribute_source), c_size_t, c_uint32, POINTER(warpjit_error)]),
    "warpjit_launch_map_results": (c_int32, [POINTER(warpjit_launch), c_void_p, c_size_t, c_uint32, POINTER(warpjit_error)]),
    "warpjit_engine_create": (c_int32, [POINTER(warpjit_engine_options), POINTER(POINTER(warpjit_engine)), POINTER(warpjit_error)]),
    "warpjit_engine_destroy": (None, [POINTER(warpjit_engine)]),
    "warpjit_engine_get_info": (c_int32, [POINTER(warpjit_engine), POINTER(warpjit_engine_info), POINTER(warpjit_error)]),
    "warpjit_engine_get_statistics": (c_int32, [POINTER(warpjit_engine), POINTER(warpjit_statistics), POINTER(warpjit_error)]),
    "warpjit_engine_clear_cache": (c_int32, [POINTER(warpjit_engine)]),
    "warpjit_engine_find_guest_place": (c_int32, [POINTER(warpjit_engine), c_void_p, POINTER(warpjit_guest_place), POINTER(warpjit_error)]),
    "warpjit_store": (None, [POINTER(c_uint32), c_uint32]),
    "warpjit_engine_run": (c_int32, [POINTER(warpjit_engine), POINTER(warpjit_launch), POINTER(warpjit_run_options), POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_engine_prepare": (c_int32, [POINTER(warpjit_engine), POINTER(warpjit_launch), POINTER(warpjit_run_options), POINTER(POINTER(warpjit_prepared_run)), POINTER(warpjit_error)]),
    "warpjit_prepared_run_run": (c_int32, [POINTER(warpjit_prepared_run), POINTER(warpjit_error)]),
    "warpjit_prepared_run_destroy": (None, [POINTER(warpjit_prepared_run)]),
    "warpjit_engine_compile": (c_int32, [POINTER(warpjit_engine), POINTER(warpjit_launch), POINTER(warpjit_run_options), POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_engine_warm": (c_int32, [POINTER(warpjit_engine), POINTER(warpjit_launch), POINTER(warpjit_run_options), POINTER(POINTER(warpjit_compilation)), POINTER(warpjit_error)]),
    "warpjit_engine_wait_for_compilations": (c_int32, [POINTER(warpjit_engine)]),
    "warpjit_engine_cancel_compilations": (c_int32, [POINTER(warpjit_engine)]),
    "warpjit_compilation_wait": (c_int32, [POINTER(warpjit_compilation), c_uint64, POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_compilation_state": (c_int32, [POINTER(warpjit_compilation)]),
    "warpjit_compilation_cancel": (c_int, [POINTER(warpjit_compilation)]),
    "warpjit_compilation_destroy": (None, [POINTER(warpjit_compilation)]),
    "warpjit_profile_create": (c_int32, [POINTER(POINTER(warpjit_profile)), POINTER(warpjit_error)]),
    "warpjit_profile_destroy": (None, [POINTER(warpjit_profile)]),
    "warpjit_engine_profile": (c_int32, [POINTER(warpjit_engine), POINTER(warpjit_launch), POINTER(warpjit_profile), POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_profile_get_info": (c_int32, [POINTER(warpjit_profile), POINTER(warpjit_profile_info), POINTER(warpjit_error)]),
    "warpjit_profile_get_instruction": (c_int32, [POINTER(warpjit_profile), c_size_t, POINTER(warpjit_profile_instruction), POINTER(warpjit_error)]),
    "warpjit_profile_get_race": (c_int32, [POINTER(warpjit_profile), c_size_t, POINTER(warpjit_profile_race), POINTER(warpjit_error)]),
    "warpjit_capture_load": (c_int32, [POINTER(warpjit_capture_file), c_size_t, POINTER(POINTER(warpjit_capture)), POINTER(warpjit_error)]),
    "warpjit_capture_destroy": (None, [POINTER(warpjit_capture)]),
    "warpjit_capture_isa": (c_int32, [POINTER(warpjit_capture)]),
    "warpjit_capture_product": (c_uint32, [POINTER(warpjit_capture)]),
    "warpjit_capture_frames": (c_size_t, [POINTER(warpjit_capture)]),
    "warpjit_capture_jobs": (c_size_t, [POINTER(warpjit_capture)]),
    "warpjit_capture_name_count": (c_size_t, [POINTER(warpjit_capture)]),
    "warpjit_capture_get_name": (c_int32, [POINTER(warpjit_capture), c_size_t, POINTER(warpjit_capture_name), POINTER(warpjit_error)]),
    "warpjit_capture_set_names": (c_int32, [POINTER(warpjit_capture), POINTER(warpjit_capture_name), c_size_t, POINTER(warpjit_error)]),
    "warpjit_capture_note_count": (c_size_t, [POINTER(warpjit_capture)]),
    "warpjit_capture_note": (c_char_p, [POINTER(warpjit_capture), c_size_t]),
    "warpjit_capture_run": (c_int32, [POINTER(warpjit_capture), POINTER(warpjit_engine), POINTER(warpjit_capture_visitor), POINTER(warpjit_run_options), POINTER(warpjit_error)]),
    "warpjit_capture_write": (c_int32, [POINTER(warpjit_capture), warpjit_capture_sink, c_void_p, POINTER(warpjit_error)]),
    "warpjit_launch_recorder_create": (c_int32, [warpjit_capture_sink, c_void_p, POINTER(POINTER(warpjit_launch_recorder)), POINTER(warpjit_error)]),
    "warpjit_launch_recorder_destroy": (None, [POINTER(warpjit_launch_recorder)]),
    "warpjit_launch_recorder_run": (c_int32, [POINTER(warpjit_launch_recorder), POINTER(warpjit_engine), POINTER(warpjit_launch), POINTER(warpjit_run_options), POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_launch_recorder_end_frame": (c_int32, [POINTER(warpjit_launch_recorder), POINTER(warpjit_error)]),
    "warpjit_launch_recorder_finish": (c_int32, [POINTER(warpjit_launch_recorder), POINTER(warpjit_error)]),
    "warpjit_pixel_size": (c_size_t, [c_int32]),
    "warpjit_pixels_are_depth": (c_uint32, [c_int32]),
    "warpjit_pixels_are_integers": (c_uint32, [c_int32]),
    "warpjit_default_output_state": (c_int32, [POINTER(warpjit_output_state), POINTER(warpjit_error)]),
    "warpjit_default_raster_state": (c_int32, [POINTER(warpjit_raster_state), POINTER(warpjit_error)]),
    "warpjit_launch_set_raster_state": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_raster_state), POINTER(warpjit_error)]),
    "warpjit_launch_set_output_state": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_output_state), POINTER(warpjit_error)]),
    "warpjit_launch_set_target_size": (c_int32, [POINTER(warpjit_launch), c_uint32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_launch_bind_color": (c_int32, [POINTER(warpjit_launch), c_uint32, POINTER(warpjit_target_buffer), POINTER(warpjit_error)]),
    "warpjit_launch_bind_depth": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_target_buffer), POINTER(warpjit_error)]),
    "warpjit_launch_bind_pass_counts": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_target_buffer), POINTER(warpjit_error)]),
    "warpjit_launch_bind_vertices": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_vertex_buffer), POINTER(warpjit_error)]),
    "warpjit_launch_set_indices": (c_int32, [POINTER(warpjit_launch), POINTER(c_uint32), c_size_t, POINTER(warpjit_error)]),
    "warpjit_launch_unset_indices": (c_int32, [POINTER(warpjit_launch)]),
    "warpjit_launch_set_geometry_stage": (c_int32, [POINTER(warpjit_launch), POINTER(warpjit_launch), POINTER(warpjit_error)]),
    "warpjit_find_texture_format": (c_int32, [c_char_p, POINTER(warpjit_texture_format), POINTER(warpjit_error)]),
    "warpjit_default_texture": (c_int32, [POINTER(warpjit_texture), POINTER(warpjit_error)]),
    "warpjit_default_sampler": (c_int32, [POINTER(warpjit_sampler), POINTER(warpjit_error)]),
    "warpjit_launch_set_texture": (c_int32, [POINTER(warpjit_launch), c_uint32, POINTER(warpjit_texture), POINTER(warpjit_error)]),
    "warpjit_launch_set_sampler": (c_int32, [POINTER(warpjit_launch), c_uint32, POINTER(warpjit_sampler), POINTER(warpjit_error)]),
    "warpjit_launch_unset_textures": (c_int32, [POINTER(warpjit_launch)]),
    "warpjit_launch_set_tesla_texture": (c_int32, [POINTER(warpjit_launch), c_uint32, POINTER(c_uint32), c_uint64, c_void_p, c_size_t, c_uint32, POINTER(warpjit_error)]),
    "warpjit_launch_set_tesla_sampler": (c_int32, [POINTER(warpjit_launch), c_uint32, POINTER(c_uint32), c_uint32, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_create": (c_int32, [POINTER(POINTER(warpjit_pica200_pipeline)), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_destroy": (None, [POINTER(warpjit_pica200_pipeline)]),
    "warpjit_pica200_pipeline_write_register": (c_int32, [POINTER(warpjit_pica200_pipeline), c_uint32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_write_bytes": (c_int32, [POINTER(warpjit_pica200_pipeline), c_uint32, c_uint32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_write_registers": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_pica200_register), c_size_t, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_code": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, POINTER(c_uint32), c_size_t, c_size_t, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_descriptors": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, POINTER(c_uint32), c_size_t, c_size_t, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_entry": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_f24": (c_int32, [POINTER(warpjit_pica200_pipeline), c_uint32]),
    "warpjit_pica200_pipeline_set_structural_scopes": (c_int32, [POINTER(warpjit_pica200_pipeline), c_uint32]),
    "warpjit_pica200_pipeline_set_float": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint32, POINTER(c_uint32), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_int": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_bools": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint16]),
    "warpjit_pica200_pipeline_set_attribute_count": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_permutation": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_floats": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint32, POINTER(c_uint32), c_size_t, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_ints": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint32, POINTER(c_uint32), c_size_t, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_some_bools": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint32, c_uint32, c_uint16, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_unit_f24": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_unit_structural_scopes": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_output_mask": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, c_uint16]),
    "warpjit_pica200_pipeline_set_output_map": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(c_uint32), c_size_t, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_fixed_attribute": (c_int32, [POINTER(warpjit_pica200_pipeline), c_uint32, POINTER(c_uint32), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_fixed_attributes": (c_int32, [POINTER(warpjit_pica200_pipeline), c_uint32, POINTER(c_uint32), c_size_t, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_bind_attribute": (c_int32, [POINTER(warpjit_pica200_pipeline), c_uint32, POINTER(warpjit_pica200_array), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_unbind_attribute": (c_int32, [POINTER(warpjit_pica200_pipeline), c_uint32]),
    "warpjit_pica200_pipeline_unbind_attributes": (c_int32, [POINTER(warpjit_pica200_pipeline)]),
    "warpjit_pica200_pipeline_set_memory": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_pica200_memory), c_size_t, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_geometry_unit": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_pica200_geometry_unit), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_geometry_unit": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_pica200_geometry_unit), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_unit": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, POINTER(warpjit_pica200_unit), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_program": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_fixed_attribute": (c_int32, [POINTER(warpjit_pica200_pipeline), c_uint32, POINTER(c_uint32), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_get_register": (c_uint32, [POINTER(warpjit_pica200_pipeline), c_uint32]),
    "warpjit_pica200_pipeline_set_outside": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_set_geometry_topology": (c_int32, [POINTER(warpjit_pica200_pipeline), c_uint32]),
    "warpjit_pica200_pipeline_reset": (c_int32, [POINTER(warpjit_pica200_pipeline), c_int32, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_save": (c_int32, [POINTER(warpjit_pica200_pipeline), c_void_p, c_size_t, POINTER(c_size_t), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_load": (c_int32, [POINTER(warpjit_pica200_pipeline), c_void_p, c_size_t, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_draw": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_engine), c_uint32, c_size_t, POINTER(warpjit_run_options), POINTER(warpjit_pica200_draw), POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_draw_indexed8": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_engine), POINTER(c_uint8), c_size_t, POINTER(warpjit_run_options), POINTER(warpjit_pica200_draw), POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_draw_indexed16": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_engine), POINTER(c_uint16), c_size_t, POINTER(warpjit_run_options), POINTER(warpjit_pica200_draw), POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_draw_arrays": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_engine), POINTER(warpjit_run_options), POINTER(warpjit_pica200_draw), POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_draw_elements": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_engine), POINTER(warpjit_run_options), POINTER(warpjit_pica200_draw), POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_draw_immediate": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_engine), POINTER(warpjit_run_options), POINTER(warpjit_pica200_draw), POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_immediate_vertices": (c_size_t, [POINTER(warpjit_pica200_pipeline)]),
    "warpjit_pica200_pipeline_inspect_vertex": (c_int32, [POINTER(warpjit_pica200_pipeline), c_size_t, POINTER(warpjit_pica200_vertex_view), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_trace_vertex": (c_int32, [POINTER(warpjit_pica200_pipeline), c_size_t, warpjit_pica200_step_function, c_void_p, POINTER(warpjit_pica200_vertex_view), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_run_commands": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_engine), POINTER(c_uint32), c_size_t, POINTER(warpjit_run_options), POINTER(warpjit_pica200_visitor), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_run_packet": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_engine), POINTER(warpjit_pica200_packet), POINTER(warpjit_run_options), POINTER(warpjit_pica200_visitor), POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_create": (c_int32, [POINTER(POINTER(warpjit_pica200_gpu)), POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_destroy": (None, [POINTER(warpjit_pica200_gpu)]),
    "warpjit_pica200_gpu_set_interrupt": (c_int32, [POINTER(warpjit_pica200_gpu), warpjit_pica200_interrupt_function, c_void_p]),
    "warpjit_pica200_gpu_set_lazy_targets": (c_int32, [POINTER(warpjit_pica200_gpu), c_uint32]),
    "warpjit_pica200_gpu_write_back": (c_int32, [POINTER(warpjit_pica200_gpu), c_uint64, c_uint64]),
    "warpjit_pica200_gpu_set_memory": (c_int32, [POINTER(warpjit_pica200_gpu), POINTER(warpjit_pica200_gpu_memory), c_size_t, POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_set_register": (c_int32, [POINTER(warpjit_pica200_gpu), c_uint32, c_uint32, POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_get_register": (c_uint32, [POINTER(warpjit_pica200_gpu), c_uint32]),
    "warpjit_pica200_gpu_run_commands": (c_int32, [POINTER(warpjit_pica200_gpu), POINTER(warpjit_engine), c_uint32, c_uint32, POINTER(warpjit_run_options), POINTER(warpjit_pica200_gpu_report), POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_run_packet": (c_int32, [POINTER(warpjit_pica200_gpu), POINTER(warpjit_engine), POINTER(warpjit_pica200_packet), POINTER(warpjit_run_options), POINTER(warpjit_pica200_gpu_report), POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_draw_immediate": (c_int32, [POINTER(warpjit_pica200_gpu), POINTER(warpjit_engine), POINTER(warpjit_run_options), POINTER(warpjit_pica200_gpu_report), POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_pipeline": (c_int32, [POINTER(warpjit_pica200_gpu), POINTER(POINTER(warpjit_pica200_pipeline)), POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_table": (c_int32, [POINTER(warpjit_pica200_gpu), c_int32, c_uint32, POINTER(c_uint32), POINTER(c_size_t), POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_reset": (c_int32, [POINTER(warpjit_pica200_gpu), c_int32, POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_save": (c_int32, [POINTER(warpjit_pica200_gpu), c_void_p, c_size_t, POINTER(c_size_t), POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_load": (c_int32, [POINTER(warpjit_pica200_gpu), c_void_p, c_size_t, POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_fill": (c_int32, [POINTER(warpjit_pica200_gpu), POINTER(warpjit_pica200_fill), c_uint32, POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_transfer": (c_int32, [POINTER(warpjit_pica200_gpu), POINTER(warpjit_pica200_transfer), POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_copy": (c_int32, [POINTER(warpjit_pica200_gpu), POINTER(warpjit_pica200_copy), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_record": (c_int32, [POINTER(warpjit_pica200_pipeline), warpjit_capture_sink, c_void_p, POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_end_frame": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_error)]),
    "warpjit_pica200_pipeline_end_record": (c_int32, [POINTER(warpjit_pica200_pipeline), POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_record": (c_int32, [POINTER(warpjit_pica200_gpu), warpjit_capture_sink, c_void_p, POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_end_frame": (c_int32, [POINTER(warpjit_pica200_gpu), POINTER(warpjit_error)]),
    "warpjit_pica200_gpu_end_record": (c_int32, [POINTER(warpjit_pica200_gpu), POINTER(warpjit_error)]),
    "warpjit_program_from_cubin": (c_int32, [c_void_p, c_size_t, POINTER(warpjit_program_choice), POINTER(warpjit_tesla_modes), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_program_from_tesla_assembly": (c_int32, [c_char_p, POINTER(warpjit_program_choice), POINTER(warpjit_tesla_modes), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_tesla_default_graphics": (c_int32, [POINTER(warpjit_tesla_graphics), POINTER(warpjit_error)]),
    "warpjit_program_from_tesla_words": (c_int32, [POINTER(warpjit_tesla_words), POINTER(warpjit_tesla_modes), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_program_from_valhall_words": (c_int32, [POINTER(warpjit_valhall_words), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_program_from_valhall_assembly": (c_int32, [c_char_p, POINTER(warpjit_program_choice), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_valhall_capture_load": (c_int32, [c_void_p, c_size_t, c_char_p, POINTER(POINTER(warpjit_valhall_capture)), POINTER(warpjit_error)]),
    "warpjit_valhall_capture_destroy": (None, [POINTER(warpjit_valhall_capture)]),
    "warpjit_valhall_capture_chain_count": (c_size_t, [POINTER(warpjit_valhall_capture)]),
    "warpjit_valhall_capture_add_chain": (c_int32, [POINTER(warpjit_valhall_capture), c_uint64, POINTER(warpjit_error)]),
    "warpjit_valhall_capture_clear_chains": (c_int32, [POINTER(warpjit_valhall_capture)]),
    "warpjit_valhall_capture_run": (c_int32, [POINTER(warpjit_valhall_capture), POINTER(warpjit_engine), POINTER(warpjit_valhall_visitor), POINTER(warpjit_run_options), POINTER(warpjit_error)]),
    "warpjit_valhall_capture_read_memory": (c_int32, [POINTER(warpjit_valhall_capture), c_uint64, c_void_p, c_size_t, POINTER(warpjit_error)]),
    "warpjit_program_from_usse_words": (c_int32, [POINTER(warpjit_usse_words), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_program_from_usse_assembly": (c_int32, [c_char_p, POINTER(warpjit_program_choice), POINTER(POINTER(warpjit_program)), POINTER(warpjit_error)]),
    "warpjit_usse_default_depth_stencil": (c_int32, [POINTER(warpjit_usse_depth_stencil), POINTER(warpjit_error)]),
    "warpjit_usse_default_draw": (c_int32, [POINTER(warpjit_usse_draw), POINTER(warpjit_error)]),
    "warpjit_usse_scene_begin": (c_int32, [POINTER(warpjit_usse_color_surface), POINTER(warpjit_usse_depth_surface), POINTER(POINTER(warpjit_usse_scene)), POINTER(warpjit_error)]),
    "warpjit_usse_scene_destroy": (None, [POINTER(warpjit_usse_scene)]),
    "warpjit_usse_scene_draw": (c_int32, [POINTER(warpjit_usse_scene), POINTER(warpjit_engine), POINTER(warpjit_usse_draw), POINTER(warpjit_run_options), POINTER(c_uint32), POINTER(warpjit_report), POINTER(warpjit_error)]),
    "warpjit_usse_scene_end": (c_int32, [POINTER(warpjit_usse_scene), POINTER(warpjit_error)]),
    "warpjit_usse_recorder_begin": (c_int32, [warpjit_capture_sink, c_void_p, POINTER(warpjit_usse_memory), c_size_t, POINTER(POINTER(warpjit_usse_recorder)), POINTER(warpjit_error)]),
    "warpjit_usse_recorder_destroy": (None, [POINTER(warpjit_usse_recorder)]),
    "warpjit_usse_scene_begin_recorded": (c_int32, [POINTER(warpjit_usse_recorder), POINTER(warpjit_usse_color_surface), POINTER(warpjit_usse_depth_surface), POINTER(POINTER(warpjit_usse_scene)), POINTER(warpjit_error)]),
    "warpjit_usse_recorder_end_frame": (c_int32, [POINTER(warpjit_usse_recorder), POINTER(warpjit_error)]),
    "warpjit_usse_recorder_end": (c_int32, [POINTER(warpjit_usse_recorder), POINTER(warpjit_error)]),
}
