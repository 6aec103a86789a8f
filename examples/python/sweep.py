"""A parameter sweep: the Mandelbrot kernel of an NVIDIA Tesla with more and more iterations. Its code is compiled once.

  python3 examples/python/sweep.py
"""
import os

import numpy as np
import warpjit

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tesla")
with open(os.path.join(folder, "mandelbrot.tesla"), encoding="utf-8") as file:
    program = warpjit.assemble("tesla", file.read(), source_name="mandelbrot.tesla")

width, height = 256, 192
counts = np.zeros((height, width), np.uint32)
launch = warpjit.Launch(program)
launch.map_memory("g14", 0x1000, counts)
launch.set_block(16, 8)
launch.set_grid(width // 16, height // 8)
engine = warpjit.Engine()

print("limit  area   changed  ms")
areas, before = [], None
for limit in (10, 30, 100, 300, 1000):
    launch.set_parameters(0x1000, width, -2.0, -1.125, 3.0 / width, limit)
    report = engine.run(launch)
    inside = counts == limit
    area = inside.mean() * 3.0 * (3.0 * height / width)
    changed = 0 if before is None else int((inside != before).sum())
    print(f"{limit:5}  {area:.3f}  {changed:7}  {1e3 * report.run_time:.2f}")
    areas.append(area)
    before = inside
# The more iterations, the smaller the area, towards 1.506.
assert areas == sorted(areas, reverse=True) and 1.4 < areas[-1] < 1.6
print("compiled", engine.statistics["compiles"], "times for", len(areas), "runs")
assert engine.statistics["compiles"] <= 1
