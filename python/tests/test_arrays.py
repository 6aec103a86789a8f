"""Arrays that fit are shared with the library; others are refused, with what was found and what is allowed."""
import gc
import unittest
import weakref

import numpy

import warpjit
from common import rows, saxpy_launch, scale_program


class Arrays(unittest.TestCase):
    def setUp(self):
        self.program = scale_program()
        self.launch = warpjit.Launch(self.program, uniforms={"scale": [2, 3, 4, 5]})

    def refused(self, text, function, *arguments, **named):
        with self.assertRaises(warpjit.BadArray) as caught:
            function(*arguments, **named)
        self.assertIn(text, str(caught.exception))
        self.assertIn(str(arguments[0]), caught.exception.where)
        return caught.exception

    def test_results_are_in_the_arrays(self):
        source, result = rows(10), numpy.zeros((10, 4), numpy.float32)
        self.launch.bind(inputs={"v0": source}, outputs={"o0": result})
        self.assertEqual(self.launch.count, 10)
        warpjit.run(self.launch)
        numpy.testing.assert_array_equal(result, source * [2, 3, 4, 5])
        source += 1  # seen by the next run: nothing was copied
        warpjit.run(self.launch)
        numpy.testing.assert_array_equal(result, source * [2, 3, 4, 5])

    def test_rows_may_be_any_distance_apart(self):
        vertices = numpy.zeros(20, [("color", "u1", 4), ("position", "f4", 3), ("unused", "f8")])
        vertices["position"] = rows(20, 3)
        result = numpy.full((40, 6), -1, numpy.float32)
        self.launch.bind(inputs={"v0": vertices["position"]}, outputs={"o0": result[::2, 1:5]})
        warpjit.run(self.launch)
        numpy.testing.assert_array_equal(result[::2, 1:4], rows(20, 3) * [2, 3, 4])
        numpy.testing.assert_array_equal(result[::2, 4], 5)  # the missing component is 1
        self.assertTrue((result[1::2] == -1).all() and (result[:, 0] == -1).all() and (result[:, 5] == -1).all())

    def test_one_row_for_all(self):
        result = numpy.zeros((7, 4), numpy.float32)
        self.launch.bind(inputs={"v0": numpy.broadcast_to(numpy.float32([1, 2, 3, 4]), (7, 4))}, outputs={"o0": result})
        warpjit.run(self.launch)
        numpy.testing.assert_array_equal(result, [[2, 6, 12, 20]] * 7)

    def test_integers(self):
        source = numpy.uint8([[0, 51, 102, 255]])
        result = numpy.zeros((1, 4), numpy.float32)
        self.launch.bind(inputs={"v0": source}, outputs={"o0": result})
        warpjit.run(self.launch)
        numpy.testing.assert_array_equal(result, [[0, 153, 408, 1275]])
        self.launch.bind_input("v0", source, normalized=True)
        warpjit.run(self.launch)
        numpy.testing.assert_allclose(result, [[0, 0.6, 1.6, 5]], rtol=1e-6)

    def test_no_rows(self):
        self.launch.bind(inputs={"v0": rows(0)}, outputs={"o0": rows(0)})
        self.assertEqual(self.launch.count, 0)
        warpjit.run(self.launch)

    def test_too_few_rows(self):
        self.launch.bind(inputs={"v0": rows(9)}, outputs={"o0": rows(10)})
        with self.assertRaises(warpjit.BadInput) as caught:
            warpjit.run(self.launch)
        self.assertIn("v0", str(caught.exception))

    def test_wrong_dtype(self):
        self.refused("float64, expected float32", self.launch.bind_input, "v0", numpy.zeros((4, 4)))
        self.refused("int64", self.launch.bind_input, "v0", numpy.zeros((4, 4), int))
        self.refused("uint8, expected float32, uint32, int32", self.launch.bind_output, "o0", numpy.zeros((4, 4), "u1"))
        self.refused("float32, expected uint8", self.launch.bind_input, "v0", rows(4), normalized=True)
        self.refused("Python objects", self.launch.bind_input, "v0", numpy.array([None]))
        self.refused("byte order", self.launch.bind_input, "v0", rows(4).astype(">f4"))
        self.refused("found list", self.launch.bind_input, "v0", [1.0, 2.0])

    def test_wrong_shape(self):
        self.refused("(4, 5)", self.launch.bind_input, "v0", rows(4, 5))
        self.refused("(4, 0)", self.launch.bind_input, "v0", rows(4, 0))
        self.refused("(2, 2, 4)", self.launch.bind_input, "v0", numpy.zeros((2, 2, 4), numpy.float32))
        self.refused("()", self.launch.bind_input, "v0", numpy.array(1, numpy.float32))

    def test_wrong_order(self):
        self.refused("16 bytes apart", self.launch.bind_input, "v0", numpy.asfortranarray(rows(4)))
        self.refused("backwards", self.launch.bind_input, "v0", rows(4)[::-1])
        self.refused("-4 bytes apart", self.launch.bind_input, "v0", rows(4)[:, ::-1])

    def test_outputs_that_cannot_be_written(self):
        result = rows(4)
        result.flags.writeable = False
        self.refused("read-only", self.launch.bind_output, "o0", result)
        overlapping = numpy.lib.stride_tricks.as_strided(rows(8), (8, 4), (4, 4))
        self.refused("overlap", self.launch.bind_output, "o0", overlapping)

    def test_a_failed_call_changes_nothing(self):
        source, result = rows(4), rows(4)
        self.launch.bind(inputs={"v0": source}, outputs={"o0": result})
        for array in (numpy.zeros((9, 4)), rows(9, 5)):
            with self.assertRaises(warpjit.BadArray):
                self.launch.bind_input("v0", array)
        with self.assertRaises(warpjit.BadInput):
            self.launch.bind_input("v77", rows(9))
        warpjit.run(self.launch)
        numpy.testing.assert_array_equal(result, source * [2, 3, 4, 5])

    def test_memory(self):
        launch, memory = saxpy_launch()
        self.refused("not C-contiguous", launch.map_memory, "g14", 0x8000, memory[:, ::2])
        memory = memory.copy()
        memory.flags.writeable = False
        self.refused("read-only", launch.map_memory, "g14", 0x8000, memory)
        with self.assertRaises(warpjit.BadInput):
            launch.map_memory("g14", 0x8001, numpy.zeros(8))
        with self.assertRaises(warpjit.BadInput):
            launch.map_memory("g14", -8, numpy.zeros(8))
        with self.assertRaises(warpjit.BadArray):
            launch.map_memory("g14", 0x8000, memory.reshape(-1)[1:])


class Lifetimes(unittest.TestCase):
    """What is bound lives, and ends with its binding."""

    def test_arrays_live_while_they_are_bound(self):
        launch = warpjit.Launch(scale_program(), uniforms={"scale": 1})
        source, result = rows(1000), numpy.zeros((1000, 4), numpy.float32)
        watched = weakref.ref(source), weakref.ref(result)
        launch.bind(inputs={"v0": source}, outputs={"o0": result})
        del source, result
        gc.collect()
        self.assertTrue(all(array() is not None for array in watched))
        warpjit.run(launch)
        launch.bind(inputs={"v0": rows(5)}, outputs={"o0": rows(5)})
        gc.collect()
        self.assertTrue(all(array() is None for array in watched))

    def test_other_names_of_a_register(self):
        launch = warpjit.Launch(scale_program())
        first, second = rows(5), rows(5)
        watched = weakref.ref(first)
        launch.bind_output("position", first)
        del first
        launch.bind_output("o0", second)
        self.assertEqual(list(launch.results), [("output", "o0")])
        gc.collect()
        self.assertIsNone(watched())

    def test_unbind(self):
        launch = warpjit.Launch(scale_program())
        array = rows(5)
        watched = weakref.ref(array)
        launch.bind_input("v0", array)
        del array
        launch.unbind()
        gc.collect()
        self.assertIsNone(watched())

    def test_copies_and_stages_keep_arrays(self):
        launch = warpjit.Launch(scale_program(), uniforms={"scale": 1})
        source = rows(100)
        launch.bind(inputs={"v0": source}, outputs={"o0": rows(100)})
        watched = weakref.ref(source)
        copy = launch.copy()
        del launch, source
        gc.collect()
        self.assertIsNotNone(watched())
        result = numpy.zeros((100, 4), numpy.float32)
        copy.bind_output("o0", result)
        warpjit.run(copy)
        numpy.testing.assert_array_equal(result[:, 0], rows(100)[:, 0])
        del copy
        gc.collect()
        self.assertIsNone(watched())

    def test_mapped_memory(self):
        launch, memory = saxpy_launch()
        watched = weakref.ref(memory)
        del memory
        gc.collect()
        warpjit.run(launch)
        self.assertEqual(watched()[1, 99], 3 * 99 + 1000)
        launch.unmap_memory()
        gc.collect()
        self.assertIsNone(watched())

    def test_a_launch_keeps_its_program(self):
        launch = warpjit.Launch(scale_program(), inputs={"v0": rows(3)}, outputs={"o0": rows(3)})
        gc.collect()
        warpjit.run(launch)


if __name__ == "__main__":
    unittest.main()
