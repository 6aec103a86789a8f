"""Runs: engines, grids, fuel, time, faults, threads of Python, reports."""
import threading
import time
import unittest

import numpy

import warpjit
from common import ENDLESS, ENGINES, rows, saxpy_launch, scale_program


class Runs(unittest.TestCase):
    def test_all_engines(self):
        source, result = rows(100), numpy.zeros((100, 4), numpy.float32)
        launch = warpjit.Launch(scale_program(), inputs={"v0": source}, outputs={"o0": result},
                                uniforms={"scale": [1, 2, 3, 4], "more": True})
        engine = warpjit.Engine(threads=1)
        for name in ENGINES:
            result[...] = 0
            report = engine.run(launch, engine=name)
            numpy.testing.assert_array_equal(result, source * [1, 2, 3, 4] + 1)
            self.assertEqual(report.work, "rows")
            self.assertIn("rows", repr(report))
        if engine.jit:
            for target in engine.targets:
                self.assertEqual(engine.run(launch, target=target).target, target)
            self.assertTrue(engine.run(launch).cache_hit)
            self.assertGreater(engine.statistics["compiles"], 0)
        with self.assertRaises(warpjit.BadInput):
            engine.run(launch, engine="gpu")
        with self.assertRaises(warpjit.BadInput):
            warpjit.Engine(code_memory="much")

    def test_a_target_that_does_not_run_here(self):
        engine = warpjit.Engine()
        missing = {"v3", "v4", "a64"} - set(engine.targets)
        launch = warpjit.Launch(scale_program(), inputs={"v0": rows(3)}, outputs={"o0": rows(3)})
        for target in missing if engine.jit else ():
            with self.assertRaises(warpjit.TargetUnavailable):
                engine.run(launch, target=target)

    def test_values(self):
        launch = warpjit.Launch(scale_program())
        for values in (5, 5.0, [1, 2], numpy.eye(4), numpy.float64(2), (1, 2, 3, 4)):
            launch.set_uniform("c4", values)
        launch.set_uniform("i0", [1, 2, 3, 4])
        launch.set_uniform("more", False)
        launch.set_bits("c0", [0x3f800000])
        for bad in ("text", [None], {"a": 1}, 1j):
            with self.assertRaises((warpjit.BadInput, TypeError)):
                launch.set_uniform("c4", bad)
        with self.assertRaises(warpjit.BadInput):
            launch.set_uniform("i0", [1, 2, 3, 256])
        with self.assertRaises(warpjit.BadInput):
            launch.set_uniform("c95", numpy.zeros(8))
        for bad in (-1, 2**64, 1.5, "3", None):
            with self.assertRaises(warpjit.BadInput):
                launch.count = bad

    def test_kernels(self):
        launch, memory = saxpy_launch()
        report = warpjit.run(launch)
        numpy.testing.assert_array_equal(memory[1], 3 * memory[0] + 1000)
        self.assertEqual((report.work, report.fault), ("grid", None))

    def test_parameters(self):
        launch, memory = saxpy_launch()
        for form in ((0x1000, 0x1000 + memory[0].nbytes, 3.0, 100),
                     (numpy.uint32([0x1000, 0x1000 + memory[0].nbytes]), numpy.float32(3), numpy.int32(100)),
                     (numpy.array([(0x1000, 0x1000 + memory[0].nbytes, 3, 100)],
                                  [("x", "u4"), ("y", "u4"), ("a", "f4"), ("n", "u4")]),)):
            memory[1] = 0
            launch.set_parameters(*form)
            warpjit.run(launch)
            numpy.testing.assert_array_equal(memory[1], 3 * memory[0])
        for bad in (2**32, "text", None, numpy.array([None])):
            with self.assertRaises(warpjit.BadInput):
                launch.set_parameters(bad)

    def test_faults_are_reported(self):
        launch, memory = saxpy_launch()
        launch.set_parameters(0x1000, 0x1000 + memory[0].nbytes, 3.0, 101)
        for name in ENGINES:
            report = warpjit.run(launch, engine=name)
            self.assertIn("saxpy", report.fault)
            self.assertIn("thread", report.fault)

    def test_endless_programs_end(self):
        launch = warpjit.Launch(warpjit.assemble("tesla", ENDLESS, source_name="endless"))
        launch.set_block(32)
        for name in ENGINES:
            with self.assertRaises(warpjit.OutOfFuel) as caught:
                warpjit.run(launch, engine=name, fuel=1000)
            self.assertIn("endless", caught.exception.where)
        launch.fuel = 2**62
        for name in ENGINES:
            begin = time.monotonic()
            with self.assertRaises(warpjit.Cancelled) as caught:
                warpjit.run(launch, engine=name, timeout=0.05)
            self.assertIn("0.05 seconds", str(caught.exception))
            self.assertLess(time.monotonic() - begin, 20)
        launch.fuel = 1000
        with self.assertRaises(warpjit.OutOfFuel):
            warpjit.run(launch, timeout=60)

    def test_python_goes_on_during_a_run(self):
        launch = warpjit.Launch(warpjit.assemble("tesla", ENDLESS))
        launch.set_block(32)
        launch.fuel = 2**62
        turns = 0
        errors = []

        def run():
            try:
                warpjit.run(launch, timeout=0.5)
            except warpjit.Cancelled as error:
                errors.append(error)
        thread = threading.Thread(target=run)
        thread.start()
        while thread.is_alive():
            turns += 1
            time.sleep(0.001)
        self.assertGreater(turns, 5)
        self.assertEqual(len(errors), 1)

    def test_many_threads_with_one_engine(self):
        engine = warpjit.Engine(threads=2)
        failed = []

        def run(number):
            for _ in range(20):
                source, result = rows(100) + number, numpy.zeros((100, 4), numpy.float32)
                launch = warpjit.Launch(scale_program(), inputs={"v0": source}, outputs={"o0": result},
                                        uniforms={"scale": [number] * 4})
                engine.run(launch)
                if not (result == source * number).all():
                    failed.append(number)
        threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    def test_compilations(self):
        engine = warpjit.Engine()
        launch = warpjit.Launch(scale_program(), inputs={"v0": rows(3)}, outputs={"o0": rows(3)})
        compilation = engine.warm(launch)
        del launch
        report = compilation.wait(60)
        self.assertIsNotNone(report)
        self.assertEqual(compilation.state, "done")
        self.assertFalse(compilation.cancel())
        launch = warpjit.Launch(scale_program(), inputs={"v0": rows(3)}, outputs={"o0": rows(3)})
        self.assertTrue(engine.compile(launch).cache_hit)
        engine.clear_cache()
        self.assertEqual(engine.run(launch, background=True).work, "rows")
        engine.wait_for_compilations()


class Verify(unittest.TestCase):
    def test_engines_agree(self):
        launch, memory = saxpy_launch()
        verification = warpjit.verify(launch)
        self.assertTrue(verification)
        self.assertEqual(verification.engines[:2], ["guest", "ir"])
        self.assertIn("agree", repr(verification))
        # What they read was the same for each; the results stay.
        numpy.testing.assert_array_equal(memory[1], 3 * memory[0] + 1000)

    def test_differences_are_found(self):
        launch, memory = saxpy_launch()

        class Wrong:
            """Gives another result in one place."""
            def __init__(self):
                self.engine = warpjit.Engine()

            def run(self, launch, engine, target, fuel):
                report = self.engine.run(launch, engine=engine)
                if engine == "ir":
                    memory[1, 42] = -memory[1, 42]
                return report
        verification = warpjit.verify(launch, engine=Wrong(), engines=[("guest", None), ("ir", None), ("jit", None)])
        self.assertFalse(verification)
        mismatch, = verification.mismatches
        self.assertEqual((mismatch.engine, mismatch.index, mismatch.count), ("ir", (1, 42), 1))
        self.assertEqual(mismatch.expected, 3 * 42 + 1000)
        self.assertIn("ir differs from guest in memory g14 4096[1, 42]", repr(verification))


if __name__ == "__main__":
    unittest.main()
