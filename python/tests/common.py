"""What the tests share: where files are, small programs."""
import os

import numpy

import warpjit

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENGINES = ["guest", "ir", "jit"]

# Output = c0 * input; b0 adds 1.
SCALE = """
.fvec scale
.bool more
.constf ones(1.0, 1.0, 1.0, 1.0)
.out result position
.proc main
  mul r0, scale, v0
  ifu more
    add r0, ones, r0
  .end
  mov result, r0
  end
.end
"""

SAXPY = """
.kernel saxpy
.registers 4
.shared 0x20
  mov b32 $r1 u16 s[0xc]
  mov b32 $r2 u16 s[0x2]
  and b32 $r0 $r0 0xffff
  add $r0 (mul u16 $r1l $r2l) $r0
  joinat #end
  set $c0 # le u32 b32 s[0x1c] $r0
  (lg $c0) bra #end
  shl b32 $r0 $r0 0x2
  add b32 $r1 b32 s[0x10] $r0
  add b32 $r2 b32 s[0x14] $r0
  ld b32 $r1 g14[$r1]
  ld b32 $r3 g14[$r2]
  add f32 $r1 (mul b32 s[0x18] $r1) $r3
  st b32 g14[$r2] $r1
end:
  join nop
  exit nop
"""

ENDLESS = """
.kernel endless
.registers 2
loop:
  bra #loop
"""


def example(*parts):
    return os.path.join(ROOT, "examples", *parts)


def scale_program():
    return warpjit.assemble("pica200", SCALE, source_name="scale.pica")


def rows(count, components=4, dtype=numpy.float32):
    return numpy.arange(count * components, dtype=dtype).reshape(count, components)


def saxpy_launch(count=100):
    """A launch, its x and y."""
    memory = numpy.zeros((2, count), numpy.float32)
    memory[0] = numpy.arange(count)
    memory[1] = 1000
    launch = warpjit.Launch(warpjit.assemble("tesla", SAXPY, source_name="saxpy"))
    launch.map_memory("g14", 0x1000, memory)
    launch.set_parameters(0x1000, 0x1000 + memory[0].nbytes, 3.0, count)
    launch.set_grid((count + 63) // 64)
    launch.set_block(64)
    return launch, memory
