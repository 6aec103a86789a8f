"""Draws: targets, state, PNG files."""
import os
import struct
import tempfile
import unittest
import zlib

import numpy

import warpjit
from common import ENGINES, rows

# The vertex program passes its attributes on: a position (slots 0 to 3) and a colour (slots 4 to 6).
SOURCE = """
.kernel passes
.type vertex
.attributes 0x7f
.results 0 1 2 3 4 5 6
.registers 1
  mov b32 o[0x0] a[0x0]
  mov b32 o[0x4] a[0x4]
  mov b32 o[0x8] a[0x8]
  mov b32 o[0xc] a[0xc]
  mov b32 o[0x10] a[0x10]
  mov b32 o[0x14] a[0x14]
  mov b32 o[0x18] a[0x18]
  exit nop
.kernel shades
.type fragment
.interpolants 0x8030403
.registers 5
  interp $r4 v[0x0]
  rcp f32 $r4 $r4
  interp $r0 v[0x4] $r4
  interp $r1 v[0x8] $r4
  interp $r2 v[0xc] $r4
  mov b32 $r3 1.0
  exit nop
"""


def covering_launch(color=(1, 0, 0)):
    """A triangle that covers everything, in one colour."""
    positions = numpy.float32([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]])
    colors = numpy.broadcast_to(numpy.float32(color), (3, 3))
    vertices = warpjit.Launch(warpjit.assemble("tesla", SOURCE, stage="vertex"), inputs={"a0": positions, "a1": colors})
    draw = warpjit.Launch(warpjit.assemble("tesla", SOURCE, stage="fragment"))
    draw.set_vertex_stage(vertices)
    return draw


def read_png(path):
    """The size and the pixels of a PNG that has no filters."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(name + body)
        chunks[name] = body
        at += 12 + length
    width, height, depth, kind = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert depth == 8
    components = {0: 1, 2: 3, 6: 4}[kind]
    lines = numpy.frombuffer(zlib.decompress(chunks[b"IDAT"]), numpy.uint8).reshape(height, 1 + width * components)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, components)


class Draws(unittest.TestCase):
    def test_render(self):
        for engine in ENGINES:
            picture = warpjit.render(covering_launch((1, 0.5, 0)), 33, 17, engine=warpjit.Engine(threads=1))
            self.assertEqual(picture.shape, (17, 33, 4))
            self.assertEqual(picture.dtype, numpy.uint8)
            self.assertTrue((picture == [255, 128, 0, 255]).all(), engine)

    def test_part_of_a_picture_stays(self):
        launch = covering_launch()
        launch.set_raster(viewport=(16, 16), scissor_x=4, scissor_y=0, scissor_width=8, scissor_height=16)
        picture = warpjit.render(launch, 16, 16, clear=[1, 2, 3, 4])
        self.assertTrue((picture[:, 4:12] == [255, 0, 0, 255]).all())
        self.assertTrue((picture[:, :4] == [1, 2, 3, 4]).all() and (picture[:, 12:] == [1, 2, 3, 4]).all())

    def test_formats(self):
        for name, shape, value in (("rgba32f", (4, 4, 4), [1, 0, 0, 1]), ("rgba16f", (4, 4, 4), [1, 0, 0, 1]),
                                   ("r8", (4, 4), 255), ("rgb565", (4, 4), 31), ("rg16", (4, 4, 2), [65535, 0])):
            picture = warpjit.render(covering_launch(), 4, 4, format=name)
            self.assertEqual(picture.shape, shape)
            self.assertTrue((picture == value).all(), name)

    def test_targets_may_be_parts_of_arrays(self):
        large = numpy.zeros((20, 20, 4), numpy.uint8)
        launch = covering_launch()
        launch.set_raster(viewport=(10, 5))
        launch.bind_color(0, large[3:8, 5:15])
        warpjit.run(launch)
        self.assertTrue((large[3:8, 5:15] == [255, 0, 0, 255]).all())
        large[3:8, 5:15] = 0
        self.assertFalse(large.any())

    def test_depth_and_blending(self):
        launch = covering_launch()
        launch.set_output(depth_test=True, depth_write=True, depth_compare="less",
                          blend={0: {"enabled": True, "source": "constant-alpha", "target": "one-minus-constant-alpha"}},
                          blend_constant=[0, 0, 0, 0.5])
        self.assertTrue((warpjit.render(launch, 8, 8, depth=0.25) == 0).all())  # the triangle's depth is 0.5
        picture = warpjit.render(launch, 8, 8, depth=1.0)
        self.assertTrue((picture[..., 0] == 128).all() and (picture[..., 1] == 0).all())

    def test_verify(self):
        launch = covering_launch()
        launch.set_raster(viewport=(9, 9))
        launch.bind_color(0, numpy.zeros((9, 9, 4), numpy.uint8))
        launch.bind_depth(numpy.zeros((9, 9), numpy.float32))
        self.assertEqual(list(launch.results), [("color", 0), ("depth",)])
        self.assertTrue(warpjit.verify(launch))

    def test_indices_and_vertices(self):
        launch = warpjit.Launch(warpjit.assemble("tesla", SOURCE, stage="fragment"))
        vertices = numpy.float32([[9, 9, 9, 1, 0, 0, 0], [-1, -1, 0, 1, 0, 1, 0], [3, -1, 0, 1, 0, 1, 0],
                                  [-1, 3, 0, 1, 0, 1, 0]])
        launch.bind_vertices(vertices)
        launch.set_indices([1, 2, 3])
        launch.count = 4
        self.assertTrue((warpjit.render(launch, 4, 4) == [0, 255, 0, 255]).all())
        with self.assertRaises(warpjit.BadArray):
            launch.bind_vertices(rows(4, 3))
        with self.assertRaises(warpjit.BadArray):
            launch.bind_vertices(rows(4, 8, numpy.float64))

    def test_targets_that_are_refused(self):
        launch = covering_launch()
        launch.bind_color(0, numpy.zeros((4, 5, 4), numpy.uint8))
        frozen = numpy.zeros((4, 5, 4), numpy.uint8)
        frozen.flags.writeable = False
        for text, array, form in (("read-only", frozen, None), ("expected uint8", numpy.zeros((4, 5, 4), "f4"), "rgba8"),
                                  ("(4, 5, 3)", numpy.zeros((4, 5, 3), "u1"), "rgba8"),
                                  ("3 components", numpy.zeros((4, 5, 3), "u1"), None),
                                  ("side by side", numpy.zeros((4, 10, 4), "u1")[:, ::2], None),
                                  ("(5,)", numpy.zeros(5, "u1"), None), ("0 pixels", numpy.zeros((0, 5, 4), "u1"), None),
                                  ("other targets have 5 x 4", numpy.zeros((6, 6, 4), "u1"), None)):
            with self.assertRaises(warpjit.BadArray) as caught:
                launch.bind_color(1, array, form)
            self.assertIn(text, str(caught.exception))
            self.assertIn("color 1", caught.exception.where)
        with self.assertRaises(warpjit.BadInput):
            launch.bind_color(8, numpy.zeros((4, 5, 4), numpy.uint8))
        with self.assertRaises(warpjit.BadInput):
            warpjit.render(launch, 4, 4, format="nothing")

    def test_state_that_is_refused(self):
        launch = covering_launch()
        for text, call in (("topolgy", lambda: launch.set_raster(topolgy="lines")),
                           ("nothing", lambda: launch.set_raster(topology="nothing")),
                           ("'bad_input'", lambda: launch.set_raster(topology="bad_input")),
                           ("viewport_scale[3]", lambda: launch.set_raster(viewport_scale=[1, 2, 3, 4])),
                           ("cull_back", lambda: launch.set_raster(cull_back=[])),
                           ("blend[0].source", lambda: launch.set_output(blend={0: {"source": "half"}})),
                           ("blend[8]", lambda: launch.set_output(blend={8: {}})),
                           ("front.compare", lambda: launch.set_output(front={"compare": "sometimes"}))):
            with self.assertRaises(warpjit.BadInput) as caught:
                call()
            self.assertIn(text, str(caught.exception))
        with self.assertRaises(warpjit.BadInput):
            launch.set_texture(0, numpy.zeros((4, 4, 3), numpy.uint8))
        with self.assertRaises(warpjit.BadInput):
            launch.set_sampler(0, magnify="cubic")
        launch.set_texture(0, numpy.zeros((4, 4, 4), numpy.uint8))
        launch.set_sampler(0, magnify="linear", wrap=["repeat", "clamp-to-edge", "repeat"])


class Files(unittest.TestCase):
    def test_png(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "picture.png")
            for shape in ((5, 7), (5, 7, 3), (5, 7, 4), (1, 1)):
                picture = numpy.random.default_rng(1).integers(0, 256, shape, numpy.uint8)
                for bottom_up in (True, False):
                    warpjit.write_png(path, picture, bottom_up=bottom_up)
                    expected = picture[::-1] if bottom_up else picture
                    numpy.testing.assert_array_equal(read_png(path).reshape(shape), expected)
            for bad in (numpy.zeros((5, 7, 2), numpy.uint8), numpy.zeros((5, 7)), numpy.zeros((0, 7), numpy.uint8), [1]):
                with self.assertRaises(warpjit.BadArray):
                    warpjit.write_png(path, bad)
            with self.assertRaises(OSError):
                warpjit.write_png(os.path.join(folder, "no folder", "a.png"), numpy.zeros((5, 7), numpy.uint8))


if __name__ == "__main__":
    unittest.main()
