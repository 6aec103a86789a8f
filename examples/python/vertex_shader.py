"""A vertex shader of the Nintendo 3DS over arrays: where do the vertices go, how bright are they?

  python3 examples/python/vertex_shader.py
"""
import os

import numpy as np
import warpjit

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pica200")
program = warpjit.load(os.path.join(folder, "mvp_light.shbin"))
print(program)
print("uniforms:", *(f"{name} ({register}, {count})" for name, register, count in program.uniforms))

# A sphere: its positions are its normals. One structured array, as a mesh in a file would be.
count = 10_000
angle, height = np.random.default_rng(1).uniform([0, -1], [2 * np.pi, 1], (count, 2)).T
radius = np.sqrt(1 - height**2)
mesh = np.zeros(count, [("position", "f4", 3), ("texture", "f4", 2)])
mesh["position"] = np.stack([radius * np.cos(angle), height, radius * np.sin(angle)], axis=1)
mesh["texture"] = np.stack([angle / (2 * np.pi), (height + 1) / 2], axis=1)

model_view = np.eye(4)
model_view[2, 3] = -3  # three units before the eye
near, far = 1.0, 10.0
projection = np.array([[2.0, 0, 0, 0], [0, 2.0, 0, 0],
                       [0, 0, (near + far) / (near - far), 2 * near * far / (near - far)], [0, 0, -1, 0]])
light = np.array([1, 1, 1, 0]) / np.sqrt(3)

clip, color = np.empty((count, 4), np.float32), np.empty((count, 4), np.float32)
launch = warpjit.Launch(
    program,
    inputs={"v0": mesh["position"], "v1": mesh["position"], "v2": mesh["texture"]},
    outputs={"position": clip, "color": color},
    uniforms={"projection": projection, "modelView": model_view, "texMtx": np.eye(4)[:2], "lightDir": light,
              "halfDir": light, "lightAmb": [0.1, 0.1, 0.1, 1], "lightDif": [0.8, 0.7, 0.6, 0], "lightSpc": [0.2] * 4,
              "matShin": [16, 0, 0, 0]})
report = warpjit.run(launch)
print(report)
print(f"{count / report.run_time / 1e6:.0f} million vertices a second")

position = np.concatenate([mesh["position"], np.ones((count, 1))], axis=1)
expected = position @ model_view.T @ projection.T
print("largest distance to NumPy's positions:", np.abs(clip - expected).max())
assert np.allclose(clip, expected, atol=1e-5)
brightest = color[:, 0].argmax()
print("brightest at", mesh["position"][brightest], "with", color[brightest, :3])
assert mesh["position"][brightest] @ light[:3] > 0.99
