"""warpjit: runs GPU shader binaries on the CPU, one GPU thread per SIMD lane.

    import numpy, warpjit
    program = warpjit.load("shader.shbin")
    positions, clip = numpy.random.rand(1000, 3).astype("f4"), numpy.empty((1000, 4), "f4")
    launch = warpjit.Launch(program, inputs={"v0": positions}, outputs={"o0": clip}, uniforms={"projection": matrix})
    warpjit.run(launch)

Arrays are shared with the library, never copied. Everything that goes wrong is a warpjit.Error with its place.
docs/python.md has the whole; `warpjit.c` is the C interface for what this package does not have.
"""
from . import c
from .engine import Compilation, Engine, Report, default_engine
from .errors import (BadArray, BadInput, Cancelled, Error, Fault, FileError, InternalError, OutOfFuel, OutsideMemory,
                     ResourceLimit, TargetUnavailable, Unsupported)
from .launch import Launch
from .library import LIBRARY
from .pixels import new_target, write_png
from .program import Program, Symbol, assemble, from_words, load
from .verify import Mismatch, Verification, verify

__version__ = c.WARPJIT_VERSION_STRING

__all__ = ["BadArray", "BadInput", "Cancelled", "Compilation", "Engine", "Error", "Fault", "FileError", "InternalError",
           "LIBRARY", "Launch", "Mismatch", "OutOfFuel", "OutsideMemory", "Program", "Report", "ResourceLimit",
           "Symbol", "TargetUnavailable", "Unsupported", "Verification", "assemble", "c", "default_engine", "from_words", "load",
           "new_target", "render", "run", "verify", "write_png"]


def run(launch, **options):
    """Runs a launch with the default engine; `options` are those of Engine.run. Returns a Report."""
    return default_engine().run(launch, **options)


def render(launch, width, height, format="rgba8", clear=0, depth=None, engine=None, **options):
    """Draws a launch of a fragment program into a new array and returns it. `clear`: what each pixel holds before: a number,
    or one for each component. `depth`: 1.0 and the like makes a depth target that begins with it. The viewport is the whole
    picture, unless the launch has one. `options` are those of Engine.run."""
    picture = new_target(width, height, format)
    picture[...] = clear
    launch = launch.copy()
    if launch._raster is None:
        launch.set_raster(viewport=(width, height))
    launch._size = None
    launch.bind_color(0, picture, format)
    if depth is not None:
        target = new_target(width, height, "d32f")
        target[...] = depth
        launch.bind_depth(target)
    (engine or default_engine()).run(launch, **options)
    return picture
