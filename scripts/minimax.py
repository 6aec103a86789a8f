#!/usr/bin/env python3
"""Derives the polynomials of src/base/math.h by weighted Remez exchange (standard library only).

  exp2: 2^f       = 1 + f P(f), f in [-1, 1],                     error relative to 2^f
  log2: log2(1+f) = f Q(f),     f in [sqrt(1/2) - 1, sqrt(2) - 1], error relative to log2(1+f)

Prints the coefficients rounded to binary32, c0 first. polish_polynomials.cpp then moves them by a few units
in the last place, so that they compensate each other's rounding; its results are in math.h.
"""
import math
import struct
from decimal import Decimal as D, getcontext

getcontext().prec = 60
LN2 = D(2).ln()


def to_f32(value):
    return D(struct.unpack("f", struct.pack("f", float(value)))[0])


def exp2_kernel(f):
    """(2^f - 1) / f and the weight that makes the error relative to 2^f."""
    if f == 0:
        return LN2, D(0)
    y = (f * LN2).exp()
    return (y - 1) / f, abs(f) / y


def log2_kernel(f):
    if f == 0:
        return 1 / LN2, LN2
    y = (1 + f).ln() / LN2 / f
    return y, 1 / y


def power(f, k):
    return D(1) if k == 0 else f**k


def evaluate(c, f):
    return sum(a * power(f, k) for k, a in enumerate(c))


def solve(matrix, rhs):
    n = len(rhs)
    rows = [row[:] + [value] for row, value in zip(matrix, rhs)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(n):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                for c in range(i, n + 1):
                    rows[r][c] -= factor * rows[i][c]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def remez(kernel, low, high, degree):
    """The coefficients that minimize the largest weight * |kernel - polynomial|, and that maximum."""
    n = degree + 2  # points where the error of the best polynomial alternates
    grid = [low + (high - low) * D(i) / 1000 for i in range(1001)]
    table = [kernel(f) for f in grid]
    nodes = [round(500 - 500 * math.cos(math.pi * (j + 0.5) / n)) for j in range(n)]
    for _ in range(40):
        # weight * (kernel - polynomial) = +-level at the nodes, level being the last unknown.
        matrix = [[table[i][1] * power(grid[i], k) for k in range(degree + 1)] + [D((-1)**j)]
                  for j, i in enumerate(nodes)]
        c = solve(matrix, [table[i][1] * table[i][0] for i in nodes])[:-1]
        error = [w * (t - evaluate(c, f)) for f, (t, w) in zip(grid, table)]
        # The largest error between sign changes, of these the n neighbours whose smallest is largest.
        extrema = []
        for i, e in enumerate(error):
            if e != 0 and extrema and (error[extrema[-1]] > 0) == (e > 0):
                if abs(e) > abs(error[extrema[-1]]):
                    extrema[-1] = i
            elif e != 0:
                extrema.append(i)
        starts = range(len(extrema) - n + 1)
        best = max(starts, key=lambda s: min(abs(error[i]) for i in extrema[s:s + n]), default=0)
        if not starts or extrema[best:best + n] == nodes:
            break
        nodes = extrema[best:best + n]
    return c, max(abs(e) for e in error)


def show(name, kernel, low, high, degree):
    c, error = remez(kernel, low, high, degree)
    rounded = [to_f32(value) for value in c]
    grid = [low + (high - low) * D(i) / 2000 for i in range(2001)]
    rounded_error = max(abs(w * (t - evaluate(rounded, f))) for f in grid for t, w in [kernel(f)])
    print(f"{name}, degree {degree}: error 2^{float(error.ln() / LN2):.2f}, "
          f"in binary32 2^{float(rounded_error.ln() / LN2):.2f}")
    for k, value in enumerate(rounded):
        print(f"  c{k} = {float(value).hex()}")


if __name__ == "__main__":
    show("P of exp2", exp2_kernel, D(-1), D(1), 6)
    show("Q of log2", log2_kernel, D("0.5").sqrt() - 1, D(2).sqrt() - 1, 8)
