"""Engines: they run launches, keep compiled code, and say what it took."""
import ctypes
import os
import threading
from ctypes import POINTER, byref

from . import c
from .errors import BadInput, Cancelled
from .library import LIBRARY, Handle, call, name_of, number_of, text_of

_CODE_MEMORY = ("automatic", "dual", "flip", "none")


def _names_of(struct, members):
    return {name: getattr(struct, name) for name in members}


class Report:
    """What a run or a compilation took. Times are seconds; `fault` is None, or the first guest access outside its memory as
    "where: what"."""

    def __init__(self, report):
        self.engine = name_of(c.WARPJIT_NAMES_ENGINE, report.engine)
        self.target = name_of(c.WARPJIT_NAMES_TARGET, report.target) if self.engine == "jit" else None
        self.work = name_of(c.WARPJIT_NAMES_WORK, report.work)
        self.lanes, self.threads = report.lanes, report.threads
        self.cache_hit, self.generic = bool(report.cache_hit), bool(report.generic)
        self.code_bytes = report.code_bytes
        self.compile_time, self.run_time = report.compile_ns / 1e9, report.run_ns / 1e9
        self.interpreted = report.interpreted
        self.invocations, self.triangles = report.invocations, report.triangles
        self.primitives, self.groups = report.primitives, report.groups
        self.fault = None
        if report.fault:
            self.fault = f"{text_of(report.fault_where)}: {text_of(report.fault_what)}"
        self.fault_accesses = report.fault_accesses
        self.interpreted_because = text_of(report.interpreted_because)
        self.draw = _names_of(report.draw, [field[0] for field in report.draw._fields_])

    def __repr__(self):
        engine = self.engine + (f" {self.target}" if self.target else "")
        return (f"<warpjit.Report {self.work} by {engine}: run {self.run_time * 1e3:.3f} ms, compile "
                f"{self.compile_time * 1e3:.3f} ms{', fault ' + self.fault if self.fault else ''}>")


class Compilation(Handle):
    """A compilation in the background."""
    _destroy = "warpjit_compilation_destroy"

    def __init__(self, pointer, keep):
        super().__init__(pointer)
        self._keep = keep

    def wait(self, seconds=None):
        """Its report once it is done; None if the time is over before. Errors: its own."""
        report = c.warpjit_report()
        nanoseconds = c.WARPJIT_FOREVER if seconds is None else max(0, int(seconds * 1e9))
        error = c.warpjit_error()
        status = LIBRARY.warpjit_compilation_wait(self._pointer, nanoseconds, byref(report), byref(error))
        if status == c.WARPJIT_PENDING:
            return None
        if status != c.WARPJIT_OK:
            from .errors import error_of
            raise error_of(status, error)
        return Report(report)

    @property
    def state(self):
        """waiting, compiling, done, failed or cancelled."""
        return ("waiting", "compiling", "done", "failed",
                "cancelled")[LIBRARY.warpjit_compilation_state(self._pointer)]

    def cancel(self):
        """Gives it up if it has not begun. True if it did."""
        return LIBRARY.warpjit_compilation_cancel(self._pointer) == 1


class Engine(Handle):
    """Runs launches. Its calls may be made from several Python threads at once: they do not hold Python's lock."""
    _destroy = "warpjit_engine_destroy"

    def __init__(self, threads=0, cache_bytes=0, code_memory="automatic", perf_map=False, checks=False):
        """`threads`: of a pool of its own; 0: one for each CPU, which all engines share. `code_memory`: how executable memory
        is got: automatic, dual, flip, none (the interpreters run)."""
        if code_memory not in _CODE_MEMORY:
            raise BadInput(f"found {code_memory!r}, expected {', '.join(_CODE_MEMORY)}", "code_memory")
        options = c.warpjit_engine_options(threads=threads, cache_bytes=cache_bytes,
                                           code_memory=_CODE_MEMORY.index(code_memory))
        options.flags = (c.WARPJIT_ENGINE_PERF_MAP if perf_map else 0) | (c.WARPJIT_ENGINE_CHECKS if checks else 0)
        pointer = POINTER(c.warpjit_engine)()
        call("engine_create", byref(options), byref(pointer))
        super().__init__(pointer)
        info = c.warpjit_engine_info()
        call("engine_get_info", pointer, byref(info))
        self.jit = bool(info.jit)
        self.no_jit_reason = text_of(info.no_jit_reason)
        self.target = name_of(c.WARPJIT_NAMES_TARGET, info.target) if self.jit else None
        self.targets = [name_of(c.WARPJIT_NAMES_TARGET, number) for number in range(1, 32) if info.targets >> number & 1]
        self.concurrency = info.concurrency

    def _options(self, engine, target, threads, fuel, background=False, generic=False):
        options = c.warpjit_run_options(engine=number_of(c.WARPJIT_NAMES_ENGINE, engine), threads=threads, fuel=fuel or 0)
        if target is not None:
            options.target = number_of(c.WARPJIT_NAMES_TARGET, target)
        options.flags = (c.WARPJIT_RUN_BACKGROUND if background else 0) | (c.WARPJIT_RUN_GENERIC if generic else 0)
        return options

    def run(self, launch, engine="jit", target=None, threads=0, fuel=None, timeout=None, background=False, generic=False):
        """Runs all threads of a launch and returns a Report.

        `engine`: "jit", "ir" or "guest", with the same bits. `target`: of the JIT ("v3", "v4", "a64"); the widest that runs
        here. `threads`: of the host; 0: by the amount of work. `fuel`: instead of the launch's. `timeout`: seconds; after
        them Cancelled is raised. `background`: until code is compiled, the guest interpreter runs. After an error what is in
        the bound arrays is unspecified. Errors: BadInput, OutOfFuel, TargetUnavailable, ResourceLimit, Unsupported.
        """
        options = self._options(engine, target, threads, fuel, background, generic)
        report = c.warpjit_report()
        if timeout is None:
            call("engine_run", self._pointer, launch._pointer, byref(options), byref(report))
            return Report(report)
        cancel = ctypes.c_uint32(0)
        options.cancel = ctypes.pointer(cancel)
        timer = threading.Timer(timeout, LIBRARY.warpjit_store, (byref(cancel), 1))
        timer.daemon = True
        timer.start()
        try:
            call("engine_run", self._pointer, launch._pointer, byref(options), byref(report))
        except Cancelled as error:
            raise Cancelled(f"{timeout} seconds are over", error.where) from None
        finally:
            timer.cancel()
            timer.join()  # it has the address of `cancel`
        return Report(report)

    def compile(self, launch, engine="jit", target=None, generic=False):
        """Gets the code without running it, so that the first run finds it."""
        report = c.warpjit_report()
        options = self._options(engine, target, 0, None, generic=generic)
        call("engine_compile", self._pointer, launch._pointer, byref(options), byref(report))
        return Report(report)

    def warm(self, launch, engine="jit", target=None, generic=False):
        """The same in the background: a Compilation."""
        options = self._options(engine, target, 0, None, generic=generic)
        pointer = POINTER(c.warpjit_compilation)()
        call("engine_warm", self._pointer, launch._pointer, byref(options), byref(pointer))
        return Compilation(pointer, (self, launch))

    def wait_for_compilations(self):
        LIBRARY.warpjit_engine_wait_for_compilations(self._pointer)

    def clear_cache(self):
        LIBRARY.warpjit_engine_clear_cache(self._pointer)

    @property
    def statistics(self):
        """What the engine did since its creation: hits, misses, compiles, bytes and so on."""
        statistics = c.warpjit_statistics()
        call("engine_get_statistics", self._pointer, byref(statistics))
        return _names_of(statistics, [field[0] for field in statistics._fields_ if field[0] != "size"])

    def __repr__(self):
        return f"<warpjit.Engine {self.target or 'without JIT'}, {self.concurrency} threads>"


_shared = {}
_shared_lock = threading.Lock()


def default_engine():
    """The engine of functions that get none. A forked process gets one of its own."""
    with _shared_lock:
        process = os.getpid()
        if process not in _shared:
            _shared[process] = Engine()
        return _shared[process]
