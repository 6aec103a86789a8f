"""Many captures against a baseline, in parts that any job system can run:

    from warpjit import regress
    names = regress.captures("frames", against="right")
    parts = [regress.run("frames", name, against="right") for name in names]   # in any order, anywhere
    for part in parts:
        part.write("parts")
    differs = regress.merge("parts", "changes") != 0

The report is the one that `warpjit regress` writes without parts. Each part runs the command line tool, which the
environment variable WARPJIT_TOOL names, or `warpjit`. docs/captures.md has the whole.
"""
import hashlib
import os
import subprocess
import tempfile

from .errors import Error

__all__ = ["Part", "captures", "merge", "run"]

_REPORT, _PICTURES = "report.json", "pictures"


def _tool(*arguments):
    """Runs `warpjit regress` and returns its exit code, 0 or 1, and what it prints."""
    command = [os.environ.get("WARPJIT_TOOL", "warpjit"), "regress", *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Error(lines[-1] if lines else f"{command[0]} ended with {done.returncode}")
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape")


def _options(against, options):
    words = [] if against is None else ["--against", os.fspath(against)]
    for name, value in options.items():
        words += [f"--{name}", str(value)]
    return words


def captures(folder, against=None):
    """The names of all captures below a folder, and of those that the baseline alone has, which are missing."""
    return _tool(os.fspath(folder), *_options(against, {}), "--list")[1].splitlines()


class Part:
    """The report of one capture, with the pictures that it shows: bytes, so that it can be sent from machine to machine."""

    def __init__(self, name, report, pictures):
        self.name, self.report, self.pictures = name, report, pictures

    @staticmethod
    def folder_of(parts, name):
        """Where `write` puts the part of a capture."""
        return os.path.join(parts, hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32])

    def write(self, parts):
        """Into a folder of its own below `parts`. Its report is the last file, so that a part is whole if it has one."""
        folder = self.folder_of(parts, self.name)
        os.makedirs(os.path.join(folder, _PICTURES), exist_ok=True)
        for name, content in self.pictures.items():
            with open(os.path.join(folder, _PICTURES, name), "wb") as file:
                file.write(content)
        report = os.path.join(folder, _REPORT)
        with open(report + ".part", "wb") as file:
            file.write(self.report)
        os.replace(report + ".part", report)

    @classmethod
    def is_there(cls, parts, name):
        return os.path.exists(os.path.join(cls.folder_of(parts, name), _REPORT))


def run(folder, name, against=None, **options):
    """Renders one capture of a folder and compares it. `options`: engine, target, fuel. Errors of the capture are a part of
    the report. Raises Error for a name that is not there, or a baseline that cannot be read."""
    with tempfile.TemporaryDirectory(prefix="warpjit-") as out:
        # One task is one thread.
        _tool(os.fspath(folder), f"--capture={name}", "--out", out, "--threads", "1", *_options(against, options))
        with open(os.path.join(out, _REPORT), "rb") as file:
            report = file.read()
        pictures = {}
        for picture in sorted(os.listdir(os.path.join(out, _PICTURES))):
            with open(os.path.join(out, _PICTURES, picture), "rb") as file:
                pictures[picture] = file.read()
    return Part(name, report, pictures)


def merge(parts, out):
    """Makes the report of all parts in a folder. Returns 0 or, if a capture differs, 1."""
    return _tool("--merge", os.fspath(parts), "--out", os.fspath(out))[0]
