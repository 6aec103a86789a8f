"""Many captures in parts."""
import json
import os
import pickle
import tempfile
import unittest

import warpjit
from warpjit import regress


def write_fill(folder, name, value):
    """A scene of one fill of 8 x 8 pixels."""
    os.makedirs(os.path.join(folder, name))
    address, size = 0x18000000, 256
    scene = {"format": "pica-frame 1", "memory": [{"address": address, "bytes": size}],
             "queue": [{"fill": {"start": address, "end": address + size, "value": value, "control": 0x201}}],
             "outputs": [{"name": "screen", "address": address, "bytes": size, "layout": "linear", "width": 8, "height": 8,
                          "format": 0}]}
    with open(os.path.join(folder, name, "scene.json"), "w", encoding="utf-8") as file:
        json.dump(scene, file)


def read(*names):
    with open(os.path.join(*names), "rb") as file:
        return file.read()


@unittest.skipUnless(os.environ.get("WARPJIT_TOOL"), "the tool was not built")
class Regress(unittest.TestCase):
    def test_parts_make_the_report_of_one_run(self):
        with tempfile.TemporaryDirectory() as work:
            frames, right, parts = (os.path.join(work, name) for name in ("frames", "right", "parts"))
            for name, value in (("a", 1), ("b", 2)):
                write_fill(frames, name, value)
            regress._tool(frames, "--save", right)
            write_fill(frames, "c", 3)
            os.remove(os.path.join(frames, "a", "scene.json"))
            names = regress.captures(frames, right)
            self.assertEqual(names, ["a/scene.json", "b/scene.json", "c/scene.json"])
            for name in reversed(names):
                part = pickle.loads(pickle.dumps(regress.run(frames, name, right, engine="jit")))
                self.assertFalse(regress.Part.is_there(parts, name))
                part.write(parts)
                self.assertTrue(regress.Part.is_there(parts, name))
            self.assertEqual(regress.merge(parts, os.path.join(work, "out")), 1)
            self.assertEqual(regress._tool(frames, "--against", right, "-o", os.path.join(work, "whole"))[0], 1)
            for name in ("report.json", "report.html"):
                self.assertEqual(read(work, "out", name), read(work, "whole", name))

    def test_errors(self):
        with tempfile.TemporaryDirectory() as work:
            with self.assertRaisesRegex(warpjit.Error, "nowhere"):
                regress.captures(os.path.join(work, "nowhere"))
            with self.assertRaisesRegex(warpjit.Error, "neither the folder nor the baseline has it"):
                regress.run(work, "nothing")


if __name__ == "__main__":
    unittest.main()
