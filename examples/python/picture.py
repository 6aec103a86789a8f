"""A picture: a vertex and a fragment program of an NVIDIA Tesla draw a sphere with a light.

  python3 examples/python/picture.py [picture.png]
"""
import os
import sys

import numpy as np
import warpjit

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tesla", "graphics")
with open(os.path.join(folder, "phong.tesla"), encoding="utf-8") as file:
    source = file.read()

# The vertex program makes vertices of their numbers: 16 around, 9 from pole to pole. c0 turns the sphere.
vertices = warpjit.Launch(warpjit.assemble("tesla", source, stage="vertex"), count=9 * 16)
vertices.bind_constants("c0", np.zeros(1, np.float32))

# Two triangles for each field between the circles.
circle, around = np.mgrid[0:8, 0:16]
here, beside = 16 * circle + around, 16 * circle + (around + 1) % 16
triangles = np.stack([here, beside + 16, here + 16, here, beside, beside + 16], axis=-1)

draw = warpjit.Launch(warpjit.assemble("tesla", source, stage="fragment"))
draw.set_vertex_stage(vertices)
draw.set_indices(triangles)
draw.set_raster(viewport=(512, 512), cull_back=True)
draw.set_output(depth_test=True, depth_write=True, depth_compare="less")

picture = warpjit.render(draw, 512, 512, clear=[12, 15, 23, 255], depth=1.0)
lit = (picture[..., 0] > 100).mean()
print(f"{lit:.0%} of the picture is lit, the brightest pixel is {picture.max(axis=(0, 1))}")
assert 0.1 < lit < 0.9 and (picture[0, 0] == [12, 15, 23, 255]).all()

path = sys.argv[1] if len(sys.argv) > 1 else "picture.png"
warpjit.write_png(path, picture)
print("wrote", path)
