"""The package as a whole: what the headers say, examples, installation."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from ctypes import sizeof

import warpjit
from common import ROOT, example
from warpjit import c


class Binding(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(os.path.join(ROOT, "scripts", "python-binding")), "the sources are not here")
    def test_the_binding_is_what_the_headers_say(self):
        subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "python-binding"), "--check"], check=True)
        declared = set()
        folder = os.path.join(ROOT, "include", "warpjit")
        for name in os.listdir(folder):
            if name.endswith(".h"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    declared |= set(re.findall(r"WARPJIT_API [\w ]+?\**\s*(warpjit_\w+)\(", file.read()))
        self.assertEqual(declared, set(c.FUNCTIONS))

    @unittest.skipUnless(sys.maxsize > 2**32, "stated for 64-bit hosts")
    def test_sizes_of_structs(self):
        # Those that tests/runtime/c_api_test.cpp has.
        for struct, size in ((c.warpjit_error, 776), (c.warpjit_engine_options, 80), (c.warpjit_statistics, 112),
                             (c.warpjit_program_choice, 40), (c.warpjit_program_words, 72), (c.warpjit_program_info, 56),
                             (c.warpjit_attribute, 48), (c.warpjit_output_buffer, 40), (c.warpjit_run_options, 40),
                             (c.warpjit_report, 1280), (c.warpjit_geometry_input, 56), (c.warpjit_tesla_words, 64)):
            self.assertEqual(sizeof(struct), size, struct.__name__)
            self.assertEqual(struct().size, size)
        self.assertEqual(c.warpjit_report.draw.offset, 1168)

    def test_version(self):
        self.assertRegex(warpjit.__version__, r"^\d+\.\d+\.\d+$")

    def test_a_library_that_is_not_there(self):
        environment = dict(os.environ, WARPJIT_LIBRARY="/no/such/library.so")
        result = subprocess.run([sys.executable, "-c", "import warpjit"], env=environment, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("ImportError", result.stderr)
        self.assertIn("/no/such/library.so", result.stderr)


class Documents(unittest.TestCase):
    def test_code_in_the_documents_runs(self):
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)
        self.assertTrue(blocks)
        environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(os.path.abspath(warpjit.__file__))))
        for block in blocks:
            result = subprocess.run([sys.executable, "-c", block], cwd=ROOT, env=environment, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertIn("agree", result.stdout)


class Examples(unittest.TestCase):
    def run_example(self, name, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(os.path.abspath(warpjit.__file__))))
            result = subprocess.run([sys.executable, example("python", name + ".py"), *arguments], cwd=folder,
                                    env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(result.returncode, 0, result.stdout)
            return result.stdout, sorted(os.listdir(folder))

    def test_vertex_shader(self):
        self.assertIn("brightest at", self.run_example("vertex_shader")[0])

    def test_kernel(self):
        self.assertIn("fault: saxpy, byte", self.run_example("kernel")[0])

    def test_picture(self):
        text, files = self.run_example("picture", "phong.png")
        self.assertIn("wrote phong.png", text)
        self.assertEqual(files, ["phong.png"])

    def test_sweep(self):
        self.assertIn("1000  1.5", self.run_example("sweep")[0])

    def test_engines(self):
        self.assertIn("engines agree", self.run_example("engines")[0])

    def test_all_have_a_test(self):
        names = {"test_" + name[:-3] for name in os.listdir(example("python")) if name.endswith(".py")}
        self.assertEqual(names - set(dir(self)), set())


@unittest.skipUnless(os.path.exists(os.path.join(ROOT, "pyproject.toml")), "the sources are not here")
class Installation(unittest.TestCase):
    def test_pip(self):
        """`pip install .` with the library that is tested, into a folder of its own, without a network."""
        if subprocess.run([sys.executable, "-m", "pip", "--version"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("this Python has no pip (Debian: python3-pip)")
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, WARPJIT_LIBRARY=os.environ.get("WARPJIT_LIBRARY") or warpjit.LIBRARY._name,
                               PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
            environment.pop("PYTHONPATH", None)
            result = subprocess.run([sys.executable, "-m", "pip", "install", "--no-deps", "--no-warn-script-location",
                                     "--target", folder, ROOT], env=environment, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertTrue(os.path.isdir(os.path.join(folder, f"warpjit-{warpjit.__version__}.dist-info")))
            del environment["WARPJIT_LIBRARY"]
            environment["PYTHONPATH"] = folder
            script = ("import warpjit; print(warpjit.LIBRARY._name); "
                      "print(warpjit.assemble('pica200', '.proc main\\n  end\\n.end\\n'))")
            result = subprocess.run([sys.executable, "-c", script], env=environment, cwd=folder, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertTrue(result.stdout.startswith(os.path.join(folder, "warpjit")), result.stdout)


if __name__ == "__main__":
    unittest.main()
