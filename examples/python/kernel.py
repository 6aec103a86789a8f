"""A compute kernel of an NVIDIA Tesla over blocks of threads: y = a * x + y, in memory that is a NumPy array.

  python3 examples/python/kernel.py
"""
import numpy as np
import warpjit

SAXPY = """
.kernel saxpy
.registers 4
.shared 0x20                             // parameters from s[0x10] on: the addresses of x and y, a, n
  mov b32 $r1 u16 s[0xc]                 // i = block * threads + thread
  mov b32 $r2 u16 s[0x2]
  and b32 $r0 $r0 0xffff
  add $r0 (mul u16 $r1l $r2l) $r0
  joinat #end
  set $c0 # le u32 b32 s[0x1c] $r0       // n <= i: nothing to do
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

program = warpjit.assemble("tesla", SAXPY, source_name="saxpy")
print(program, f"with {program.registers} registers")

count = 1_000_000
x = np.arange(count, dtype=np.float32)
y = np.full(count, 1000, np.float32)

# The kernel sees x at 0x100000 and y at 0x800000 of its global memory: the arrays themselves, not copies.
launch = warpjit.Launch(program)
launch.map_memory("g14", 0x100000, x)
launch.map_memory("g14", 0x800000, y)
launch.set_parameters(0x100000, 0x800000, 3.0, count)
launch.set_block(256)
launch.set_grid((count + 255) // 256)
print(warpjit.run(launch))
print("y:", y[:3], "...", y[-1])
assert (y == 3 * x + 1000).all()

# An access outside the arrays reads 0 or writes nothing, and the report says where it was.
launch.set_parameters(0x100000, 0x800000, 3.0, count + 1)
report = warpjit.run(launch)
print("fault:", report.fault)
assert report.fault
