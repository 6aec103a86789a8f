"""Compares engines: the same launch by each of them, bit by bit."""
from collections import namedtuple

import numpy

from .engine import default_engine
from .errors import Unsupported

Mismatch = namedtuple("Mismatch", "engine result index found expected count")
Mismatch.__doc__ = """A result that differs from the reference's: of which engine, what it is bound to, where it first differs
(an index of the array) with both values, and how many numbers differ."""


class Verification:
    """`engines`: those that ran, the reference first; `skipped`: those that refuse the program, with the reason;
    `mismatches`: a list of Mismatch. True if all results are equal."""

    def __init__(self):
        self.engines, self.skipped, self.mismatches, self.reports = [], {}, [], {}

    def __bool__(self):
        return not self.mismatches

    def __repr__(self):
        if not self.mismatches:
            return f"<warpjit.Verification: {', '.join(self.engines)} agree>"
        first = self.mismatches[0]
        return (f"<warpjit.Verification: {first.engine} differs from {self.engines[0]} in {' '.join(map(str, first.result))}"
                f"{list(first.index)}: {first.found}, expected {first.expected}; {len(self.mismatches)} results differ>")


def _first_difference(found, expected):
    """Where bits differ: the first index and how many; None if they are equal."""
    found, expected = numpy.ascontiguousarray(found), numpy.ascontiguousarray(expected)
    a, b = (array.reshape(-1).view(numpy.uint8).reshape(array.size, array.itemsize) for array in (found, expected))
    different = numpy.flatnonzero((a != b).any(axis=1))
    if different.size == 0:
        return None
    return numpy.unravel_index(different[0], found.shape), int(different.size)


def verify(launch, engine=None, engines=None, fuel=None):
    """Runs a launch with every engine, and with the JIT for every target that runs here, and compares what they write with
    the first one's. Each begins with what the arrays hold now; afterwards they hold the results of the first.

    `engines`: pairs (engine, target) instead, the reference first, such as [("guest", None), ("jit", "v3")].
    """
    engine = engine or default_engine()
    if engines is None:
        engines = [("guest", None), ("ir", None)] + [("jit", target) for target in (engine.targets if engine.jit else [])]
    results = launch.results
    before = {name: array.copy() for name, array in results.items()}
    reference = None
    verification = Verification()
    for kind, target in engines:
        name = f"{kind} {target}" if target else kind
        for result, array in results.items():
            array[...] = before[result]
        try:
            report = engine.run(launch, engine=kind, target=target, fuel=fuel)
        except Unsupported as error:
            verification.skipped[name] = str(error)
            continue
        verification.engines.append(name)
        verification.reports[name] = report
        if reference is None:
            reference = {result: array.copy() for result, array in results.items()}
            continue
        for result, array in results.items():
            difference = _first_difference(array, reference[result])
            if difference is not None:
                index, count = difference
                verification.mismatches.append(Mismatch(name, result, tuple(int(n) for n in index), array[index],
                                                        reference[result][index], count))
    for result, array in results.items():
        array[...] = (reference or before)[result]
    return verification
