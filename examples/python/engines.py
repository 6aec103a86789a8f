"""Compares engines: they give the same bits; how fast is each?

  python3 examples/python/engines.py
"""
import os

import numpy as np
import warpjit

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pica200")
count = 20_000
random = np.random.default_rng(1)
inputs = {f"v{n}": random.uniform(-1, 1, (count, 4)).astype(np.float32) for n in range(5)}
uniforms = {f"c{n}": random.uniform(-1, 1, 4) for n in range(20)}
engine = warpjit.Engine(threads=1)

print(f"{'shader':12} {'engine':8} million vertices a second")
for name in ("mvp_light", "skin_loop", "branchy"):
    program = warpjit.load(os.path.join(folder, name + ".shbin"))
    outputs = {output.register: np.empty((count, 4), np.float32) for output in program.outputs}
    launch = warpjit.Launch(program, inputs=inputs, outputs=outputs, uniforms=uniforms)

    # With each engine, and each target that runs here; the results are compared bit by bit.
    verification = warpjit.verify(launch, engine=engine)
    assert verification, verification
    for which in verification.engines:
        kind, _, target = which.partition(" ")
        best = min(engine.run(launch, engine=kind, target=target or None, threads=1).run_time for _ in range(3))
        print(f"{name:12} {which:8} {count / best / 1e6:.2f}")
    print(f"{'':12} {len(verification.engines)} engines agree in {sum(array.size for array in outputs.values())} numbers")
