"""Programs: what they are read from, what they say of themselves, their listings."""
import os
import tempfile
import unittest

import warpjit
from common import ENDLESS, SAXPY, SCALE, example, scale_program


class Programs(unittest.TestCase):
    def test_a_file_and_its_bytes(self):
        path = example("pica200", "mvp_light.shbin")
        program = warpjit.load(path)
        self.assertEqual((program.isa, program.stage, program.source_name), ("pica200", "vertex", "mvp_light.shbin"))
        self.assertEqual(program.code_words, 32)
        self.assertEqual(program.uniforms[0], ("projection", "c0", 4))
        self.assertEqual([output.name for output in program.outputs], ["position", "color", "texcoord0"])
        self.assertIn("pica200 vertex", repr(program))
        with open(path, "rb") as file:
            data = file.read()
        for source in (data, bytearray(data), memoryview(data)):
            self.assertEqual(warpjit.load(source).disassemble(), program.disassemble())
        self.assertEqual(warpjit.load(data, f24=True).code_words, 32)

    def test_bad_containers(self):
        for data in (b"", b"DVLB", b"nonsense", bytes(1000)):
            with self.assertRaises(warpjit.BadInput) as caught:
                warpjit.load(data, source_name="some.bin")
            self.assertIn("some.bin", caught.exception.where)
            self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaises(FileNotFoundError):
            warpjit.load(os.path.join(tempfile.gettempdir(), "no such file.shbin"))
        with self.assertRaises(warpjit.BadInput) as caught:
            warpjit.load(example("pica200", "mvp_light.shbin"), entry="nothing")
        self.assertIn("nothing", str(caught.exception))
        with self.assertRaises(warpjit.BadInput):
            warpjit.load(example("pica200", "mvp_light.shbin"), stage="pixel")
        with self.assertRaises(warpjit.Error):
            warpjit.load(example("pica200", "mvp_light.shbin"), position=7)

    def test_sources_with_errors_say_where(self):
        for isa, text, where in (("pica200", ".proc main\n  nothing r0\n.end\n", "a.src:2:"),
                                 ("tesla", ".kernel k\n  nothing $r0\n", "a.src:2:"),
                                 ("valhall", "NOTHING r0\n", "a.src:1:"), ("usse", "nothing r0\n", "a.src:1:")):
            with self.assertRaises(warpjit.BadInput) as caught:
                warpjit.assemble(isa, text, source_name="a.src")
            self.assertTrue(caught.exception.where.startswith(where), caught.exception.where)
        with self.assertRaises(warpjit.BadInput) as caught:
            warpjit.assemble("riscv", "")
        self.assertEqual(caught.exception.where, "isa")
        with self.assertRaises(warpjit.BadInput):
            warpjit.assemble("tesla", SAXPY + "\0", source_name="zero")
        with self.assertRaises(warpjit.BadInput):
            warpjit.assemble("pica200", "\udcff")

    def test_listings_assemble_to_the_same(self):
        sources = [("pica200", SCALE), ("tesla", SAXPY), ("tesla", ENDLESS)]
        for folder, isa in (("valhall", "valhall"), (os.path.join("vita", "shaders"), "usse")):
            for name in sorted(os.listdir(example(folder))):
                if name.endswith("." + isa):
                    with open(example(folder, name), encoding="utf-8") as file:
                        sources.append((isa, file.read()))
        self.assertGreater(len(sources), 8)
        for isa, text in sources:
            program = warpjit.assemble(isa, text)
            listing = program.disassemble()
            again = warpjit.assemble(isa, listing)
            self.assertEqual(again.disassemble(), listing)
            self.assertEqual((again.isa, again.stage, again.code_words), (isa, program.stage, program.code_words))

    def test_words(self):
        program = warpjit.from_words("pica200", [0x4C000000, 0x88000000], [0x36F])
        self.assertIn("mov     o0, v0", program.disassemble())
        with self.assertRaises(warpjit.BadInput):
            warpjit.from_words("pica200", [])
        with self.assertRaises(warpjit.BadArray):
            warpjit.from_words("pica200", [1.5])
        with self.assertRaises(warpjit.BadArray):
            warpjit.from_words("pica200", [2**32])
        with self.assertRaises(warpjit.Error):
            warpjit.from_words("pica200", [0x88000000], entry=9)

    def test_names_that_there_are_not(self):
        launch = warpjit.Launch(scale_program())
        for call in (lambda: launch.set_uniform("nothing", 1), lambda: launch.set_uniform("c96", 1)):
            with self.assertRaises(warpjit.BadInput) as caught:
                call()
            self.assertIn("scale.pica", caught.exception.where)


if __name__ == "__main__":
    unittest.main()
