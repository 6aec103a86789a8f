"""Structs of the C interface from keyword arguments, with enumerators by name."""
import ctypes

from . import c
from .errors import BadInput

# What the names of enumerators begin with, by struct and member.
_COMPARE, _STENCIL, _BLEND = "WARPJIT_COMPARE_", "WARPJIT_STENCIL_", "WARPJIT_BLEND_"
_PREFIXES = {
    "warpjit_raster_state": {"topology": "WARPJIT_", "shade": "WARPJIT_SHADE_"},
    "warpjit_output_state": {"depth_compare": _COMPARE, "alpha_compare": _COMPARE},
    "warpjit_stencil_face": {"compare": _COMPARE, "fail": _STENCIL, "depth_fail": _STENCIL, "pass": _STENCIL},
    "warpjit_blend_state": dict.fromkeys(("source", "target", "source_alpha", "target_alpha", "op", "op_alpha"), _BLEND),
    "warpjit_texture": {"dimension": "WARPJIT_TEXTURE_", "layout": "WARPJIT_LAYOUT_", "swizzle": "WARPJIT_SOURCE_"},
    "warpjit_sampler": {"wrap": "WARPJIT_WRAP_", "magnify": "WARPJIT_FILTER_", "minify": "WARPJIT_FILTER_",
                        "mip": "WARPJIT_MIP_", "compare_op": _COMPARE},
}
_TOPOLOGIES = ("points", "lines", "line_strip", "triangles", "triangle_strip", "triangle_fan")


def _value(text, prefix, where):
    number = getattr(c, prefix + text.upper().replace("-", "_"), None) if prefix else None
    if prefix == "WARPJIT_" and text.replace("-", "_") not in _TOPOLOGIES:
        number = None
    if number is None:
        raise BadInput(f"there is no such value: {text!r}", where)
    return number


def fill(struct, members, where=""):
    """Sets members of a struct. A text is the name of an enumerator ("less"), a dict sets members of a member, a list or a
    dict by number elements of an array. Errors: BadInput names the member."""
    kind = type(struct).__name__
    fields = {field[0]: field[1] for field in struct._fields_ if field[0] not in ("size", "reserved")}
    for name, value in members.items():
        place = f"{where}.{name}" if where else name
        if name not in fields:
            raise BadInput(f"there is no such member; these there are: {', '.join(fields)}", place)
        prefix = _PREFIXES.get(kind, {}).get(name)
        current = getattr(struct, name)
        try:
            if isinstance(current, ctypes.Structure):
                fill(current, value, place)
            elif isinstance(current, ctypes.Array):
                items = value.items() if isinstance(value, dict) else enumerate(value)
                for index, item in items:
                    at = f"{place}[{index}]"
                    if not 0 <= index < len(current):
                        raise BadInput(f"there are {len(current)}", at)
                    if isinstance(item, dict):
                        fill(current[index], item, at)
                    else:
                        current[index] = _value(item, prefix, at) if isinstance(item, str) else item
            else:
                setattr(struct, name, _value(value, prefix, place) if isinstance(value, str) else value)
        except (TypeError, ValueError, AttributeError) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(f"found {value!r}: {error}", place) from None
    return struct
