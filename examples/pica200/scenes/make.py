#!/usr/bin/env python3
"""Writes the scenes of this folder: memory and jobs as the console has them, and the screen that must come out.

  examples/pica200/scenes/make.py [--tool PATH] [--recorded FOLDER] [NAME ...]

FOLDER has what `emulator picture.png FOLDER` (examples/emulator) wrote; without it that scene stays as it is.
"""
import argparse
import json
import lzma
import math
import os
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY, VIDEO, VIDEO_SIZE = 0x20000000, 0x18000000, 0x140000
COLOR, DEPTH, SCREEN = VIDEO, VIDEO + 0x60000, VIDEO + 0xC0000
SMALL, SMALL_DEPTH, SMALL_SIDE = VIDEO + 0x110000, VIDEO + 0x120000, 128  # another target, to be a texture
WIDTH, HEIGHT = 240, 400  # the screen lies on its side
PRIMARY, DIFFUSE, SPECULAR, TEXTURE0, TEXTURE1, TEXTURE2, PROCEDURAL, CONSTANT, PREVIOUS = 0, 1, 2, 3, 4, 5, 6, 14, 15
REPLACE, MODULATE, ADD, ADD_SIGNED, INTERPOLATE, SUBTRACT, DOT3, _, MULTIPLY_ADD, ADD_MULTIPLY = range(10)
COMBINERS = (0x0C0, 0x0C8, 0x0D0, 0x0D8, 0x0F0, 0x0F8)
UNITS = ((0x081, 0x08E), (0x091, 0x096), (0x099, 0x09E))
RGBA8, RGB565, RGBA4, I8 = 0, 3, 4, 7


def small_float(value, exponent_bits, mantissa_bits):
    sign = 1 if value < 0 else 0
    if value == 0:
        return 0
    mantissa, exponent = math.frexp(abs(value))
    exponent += (1 << (exponent_bits - 1)) - 2
    return (sign << exponent_bits | exponent) << mantissa_bits | int((2 * mantissa - 1) * (1 << mantissa_bits))


def f24(value):
    return small_float(value, 7, 16)


def f16(value):
    return small_float(value, 5, 10)


def byte(value):
    return max(0, min(255, round(value)))


def rgba(r, g, b, a=255):
    return byte(r) | byte(g) << 8 | byte(b) << 16 | byte(a) << 24


def normalized(v):
    length = math.sqrt(sum(x * x for x in v)) or 1
    return tuple(x / length for x in v)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


# ---- Matrices, as rows


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def move(x, y, z):
    return [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]]


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    a, b = ((1, 2), (2, 0), (0, 1))[axis]
    m = move(0, 0, 0)
    m[a][a], m[a][b], m[b][a], m[b][b] = c, -s, s, c
    return m


def chain(*matrices):
    m = move(0, 0, 0)
    for other in matrices:
        m = product(m, other)
    return m


def perspective(scale=1.8, aspect=HEIGHT / WIDTH, near=1, far=40, upright=False):
    a, b = near / (far - near), -near * far / (far - near)
    rows = [[0, scale, 0, 0], [-scale / aspect, 0, 0, 0]]
    if upright:
        rows = [[scale / aspect, 0, 0, 0], [0, scale, 0, 0]]
    return rows + [[0, 0, -a, b], [0, 0, -1, 0]]


def flat():
    """Pixels of the upright picture, (0, 0) at the bottom left."""
    return [[0, 2 / WIDTH, 0, -1], [-2 / HEIGHT, 0, 0, 1], [0, 0, 1, -0.5], [0, 0, 0, 1]]


# ---- Meshes: vertices (position, normal, colour, texture coordinates) and triangles

WHITE = (1, 1, 1, 1)


def grid(columns, rows, vertex):
    vertices = [vertex(x / columns, y / rows) for y in range(rows + 1) for x in range(columns + 1)]
    triangles = []
    for y in range(rows):
        for x in range(columns):
            n = y * (columns + 1) + x
            triangles += [(n, n + 1, n + columns + 1), (n + columns + 1, n + 1, n + columns + 2)]
    return vertices, triangles


def sphere(columns=32, rows=20, radius=1.0):
    def vertex(u, v):
        a, b = 2 * math.pi * u, math.pi * (v - 0.5)
        n = (math.cos(b) * math.sin(a), math.sin(b), math.cos(b) * math.cos(a))
        return tuple(radius * x for x in n), n, WHITE, (u, v, 1)
    return grid(columns, rows, vertex)


def torus(columns=40, rows=20, thin=0.4):
    def vertex(u, v):
        a, b = 2 * math.pi * u, 2 * math.pi * v
        r = 1 + thin * math.cos(b)
        n = (math.cos(b) * math.cos(a), math.cos(b) * math.sin(a), math.sin(b))
        return (r * math.cos(a), r * math.sin(a), thin * math.sin(b)), n, WHITE, (u, v, 1)
    return grid(columns, rows, vertex)


def box(x=1.0, y=1.0, z=1.0):
    vertices, triangles = [], []
    for axis in range(3):
        for sign in (-1, 1):
            n = tuple(sign if i == axis else 0 for i in range(3))
            first = len(vertices)
            for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                p = [0, 0, 0]
                p[axis] = sign
                p[(axis + 1) % 3], p[(axis + 2) % 3] = (2 * u - 1) * sign, 2 * v - 1
                if axis == 0:
                    u, v = v, u
                vertices.append(((p[0] * x, p[1] * y, p[2] * z), n, WHITE, (u, v, 1)))
            triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return vertices, triangles


def floor(side, repeat, steps=1):
    def vertex(u, v):
        return (side * (2 * u - 1), 0, side * (1 - 2 * v)), (0, 1, 0), WHITE, (repeat * u, repeat * v, 1)
    return grid(steps, steps, vertex)


def rectangle(x, y, width, height, u0=0, v0=0, u1=1, v1=1, color=WHITE):
    corners = ((x, y, u0, v0), (x + width, y, u1, v0), (x + width, y + height, u1, v1), (x, y + height, u0, v1))
    return [((a, b, 0), (0, 0, 1), color, (u, v, 1)) for a, b, u, v in corners], [(0, 1, 2), (0, 2, 3)]


def joined(meshes):
    vertices, triangles = [], []
    for v, t in meshes:
        triangles += [tuple(len(vertices) + n for n in triangle) for triangle in t]
        vertices += v
    return vertices, triangles


def shadow_volume(mesh, place, light, length):
    """What lies in the shadow of a closed mesh: ends of triangles in the light, and sides of their outline."""
    where = [tuple(sum(place[i][k] * (*v[0], 1)[k] for k in range(4)) for i in range(3)) for v in mesh[0]]
    edges, ends = {}, []

    def key(p):
        return tuple(round(x, 4) for x in p)
    for t in mesh[1]:
        a, b, c = (where[n] for n in t)
        p, q = [y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, c)]
        normal = (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])
        if dot(normal, light) <= 0 or key(a) == key(b) or key(b) == key(c) or key(a) == key(c):
            continue
        ends.append((a, b, c))
        for s, e in ((a, b), (b, c), (c, a)):
            if (key(e), key(s)) in edges:
                del edges[key(e), key(s)]
            else:
                edges[key(s), key(e)] = (s, e)

    def far(p):
        return tuple(x - length * y for x, y in zip(p, light))
    # A little below the surface, which is not to shade itself.
    ends = [tuple(tuple(x - 0.04 * y for x, y in zip(p, light)) for p in end) for end in ends]
    faces = list(ends) + [(far(c), far(b), far(a)) for a, b, c in ends]
    for s, e in edges.values():
        s, e = (tuple(x - 0.04 * y for x, y in zip(p, light)) for p in (s, e))
        faces += [(s, far(s), e), (e, far(s), far(e))]
    vertices = [(p, (0, 0, 1), WHITE, (0, 0, 1)) for face in faces for p in face]
    return vertices, [(n, n + 1, n + 2) for n in range(0, len(vertices), 3)]


# ---- A scene


class Scene:
    def __init__(self, shows, background):
        self.shows, self.memory, self.words, self.registers = shows, bytearray(), [], {}
        self.fills = []
        self.fill(COLOR, 4 * WIDTH * HEIGHT, rgba(255, *background[::-1]))
        self.fill(DEPTH, 4 * WIDTH * HEIGHT, 0)
        code, descriptors = program()
        self.write(0x229, 0)
        self.write(0x2CB, 0)
        self.write(0x2CC, *code)
        self.write(0x2BF, 1)
        self.write(0x2D5, 0)
        self.write(0x2D6, *descriptors)
        self.write(0x2BA, 0x7FFF0000)
        self.write(0x242, 3)
        self.write(0x2B9, 0xA0000003)
        self.write_from(0x2BB, 0x76543210, 0xFEDCBA98)
        self.write(0x2BD, 0x3F)
        self.write(0x24A, 5)
        self.write(0x251, 5)
        self.write_from(0x04F, 6, 0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C, 0x1F1F1F10, 0x1F141312)
        self.write_from(0x200, MEMORY >> 3, 0xBFBB, 3 << 28, 0, 0x3210, 4 << 28 | 52 << 16)
        self.floats(95, [(0, 1, 0.001, 0)])
        self.write_from(0x04D, f24(-1), 0)  # depth: larger is nearer
        self.write(0x06D, 1)
        self.write_from(0x112, 15, 15, 3, 3)
        self.write_from(0x116, 3, 2)  # depth of 24 bits with stencil, colours RGBA8
        self.target(COLOR, DEPTH, WIDTH, HEIGHT)
        self.state()

    def fill(self, address, size, value):
        self.fills.append({"fill": {"start": hex(address), "end": hex(address + size), "value": hex(value), "control": "0x201"}})

    def packet(self, register, values, consecutive):
        for at in range(0, len(values), 256):
            part = values[at:at + 256]
            self.words += [part[0], register | 15 << 16 | (len(part) - 1) << 20 | consecutive << 31] + part[1:]
            self.words += [0] * (len(self.words) % 2)

    def write(self, register, *values):
        self.packet(register, list(values), 0)

    def write_from(self, register, *values):
        self.packet(register, list(values), 1)

    def floats(self, first, vectors):
        self.write(0x2C0, 0x80000000 | first)
        self.write(0x2C1, *struct.unpack(f"<{4 * len(vectors)}I", b"".join(struct.pack("<4f", *reversed(v)) for v in vectors)))

    def target(self, color, depth, width, height):
        self.write_from(0x11C, depth >> 3, color >> 3, width | (height - 1) << 12 | 1 << 24)
        self.write(0x041, f24(width / 2))
        self.write(0x043, f24(height / 2))

    def state(self, depth=True, write_depth=True, colors=15, blend=0x01010000, alpha=None, cull=0):
        """Tests and blending; without tests of stencil, lighting and fog, and with combiners that do nothing."""
        self.write_from(0x100, 0xE40100, blend)
        self.write_from(0x104, 0 if alpha is None else 1 | 6 << 4 | alpha << 8, 0, 0,
                        int(depth) | 6 << 4 | colors << 8 | int(write_depth) << 12)
        self.write(0x040, cull)
        self.write(0x08F, 0)
        self.write(0x0E0, 0)
        for stage in range(6):
            self.combine(stage, REPLACE, (PREVIOUS,))

    def stencil(self, function, reference, fail, depth_fail, ok):
        self.write_from(0x105, 1 | function << 4 | 0xFF00 | reference << 16 | 0xFF << 24, fail | depth_fail << 4 | ok << 8)

    def combine(self, stage, operation, sources, constant=0, scale=0, operands=(0, 0, 0)):
        """Colours as said; alpha is that of the first source."""
        words = sum(source << 4 * n for n, source in enumerate(sources))
        operand = sum(o << 4 * n for n, o in enumerate(operands))
        self.write_from(COMBINERS[stage], words | sources[0] << 16, operand, operation, constant, scale)

    def data(self, content):
        self.memory += bytes(-len(self.memory) % 128)
        address = MEMORY + len(self.memory)
        self.memory += content
        return address

    def texture(self, side, form, texel, levels=1):
        """texel(u, v): bytes r, g, b, a; u and v from 0 to 1, v upwards."""
        content = bytearray()
        for level in range(levels):
            n = side >> level
            for tile in range(n * n // 64):
                for m in range(64):
                    x = tile % (n // 8) * 8 + ((m & 1) | (m >> 1 & 2) | (m >> 2 & 4))
                    y = tile // (n // 8) * 8 + ((m >> 1 & 1) | (m >> 2 & 2) | (m >> 3 & 4))
                    taps = 1 << level if level < 4 else 16
                    colors = [texel((x + (i + 0.5) / taps) / n, 1 - (y + (j + 0.5) / taps) / n)
                              for i in range(taps) for j in range(taps)]
                    r, g, b, a = (byte(sum(c[k] for c in colors) / len(colors)) for k in range(4))
                    content += {RGBA8: lambda: bytes((a, b, g, r)), I8: lambda: bytes((r,)),
                                RGB565: lambda: struct.pack("<H", r >> 3 << 11 | g >> 2 << 5 | b >> 3),
                                RGBA4: lambda: struct.pack("<H", r >> 4 << 12 | g >> 4 << 8 | b & 0xF0 | a >> 4)}[form]()
        return self.data(content), side, form, levels

    def use(self, unit, texture, wrap=2, linear=True, kind=0, faces=()):
        address, side, form, levels = texture
        self.write_from(UNITS[unit][0], 0, side | side << 16,
                        6 * linear | wrap << 8 | wrap << 12 | 1 << 24 | kind << 28, (levels - 1) << 16, address >> 3)
        if faces:
            self.write_from(0x086, *(face >> 3 & 0x3FFFFF for face in faces))
        self.write(UNITS[unit][1], form)

    def units(self, count, procedural=False):
        self.write(0x080, (1 << count) - 1 | procedural << 10 | 1 << 12)

    def light(self, lights, ambient=(40, 40, 50), highlight=lambda x: x ** 30, of=0, bump=None):
        """Lights: directions with their diffuse and specular colours; `of`: what the table takes, 0 N.H, 3 L.N."""
        def ten(color):
            return byte(color[0]) << 20 | byte(color[1]) << 10 | byte(color[2])
        self.write(0x08F, 1)
        for n, (direction, diffuse, specular) in enumerate(lights):
            x, y, z = (f16(c) for c in normalized(direction))
            self.write_from(0x140 + 16 * n, ten(specular), 0, ten(diffuse), 0, x | y << 16, z)
            self.write(0x149 + 16 * n, 1)
        self.write(0x1C0, ten(ambient))
        self.write_from(0x1C2, len(lights) - 1, 0 if bump is None else 1 << 28 | bump << 22, 0xFFFEFFFF)
        self.write_from(0x1D0, 0, of, 0)
        self.write(0x1D9, 0x76543210)
        self.write(0x1C5, 0)
        self.table(0x1C8, 256, highlight, 4095, 2047, 12, sign=23)

    def table(self, port, count, function, unit, step, shift, sign=None):
        words = []
        for n in range(count):
            value = min(4095, round(unit * function(n / count)))
            difference = step * (function((n + 1) / count) - function(n / count))
            bits = (int(difference < 0) << sign | min(2047, round(abs(difference))) << shift) if sign else \
                (round(difference) & 0xFFF) << shift
            words.append(value | bits)
        self.write(port, *words)

    def fog(self, color, function):
        """function(distance): how much of a colour stays."""
        self.write_from(0x0E0, 5, rgba(*color, 0))
        self.write(0x0E6, 0)
        values = [max(0, min(1, function(128 / max(n, 0.5)))) for n in range(129)]
        self.write(0x0E8, *(round(2047 * a) << 13 | round(2047 * (b - a)) & 0x1FFF for a, b in zip(values, values[1:])))

    def put(self, mesh):
        vertices = self.data(b"".join(struct.pack("<13f", *p, *n, *c, *t) for p, n, c, t in mesh[0]))
        return vertices, self.data(b"".join(struct.pack("<3H", *t) for t in mesh[1])), 3 * len(mesh[1])

    def draw(self, mesh, place=None, view=None):
        vertices, indices, count = mesh if isinstance(mesh[0], int) else self.put(mesh)
        self.floats(0, (view or perspective()) + (place or move(0, 0, 0)))
        self.write(0x203, vertices - MEMORY)
        self.write_from(0x227, 1 << 31 | (indices - MEMORY), count)
        self.write(0x25F, 1)
        self.write(0x22F, 1)

    def files(self):
        self.write(0x010, 0x12345678)
        self.words += [0] * (-len(self.words) % 4)
        commands = self.data(struct.pack(f"<{len(self.words)}I", *self.words))
        size = hex(WIDTH | HEIGHT << 16)
        description = {
            "format": "pica-frame 1", "shows": self.shows,
            "memory": [{"address": hex(MEMORY), "file": "memory.bin.xz"}, {"address": hex(VIDEO), "bytes": VIDEO_SIZE}],
            "queue": self.fills + [
                {"commands": {"address": hex(commands), "bytes": 4 * len(self.words)}},
                {"transfer": {"input": hex(COLOR), "output": hex(SCREEN), "input_size": size, "output_size": size, "flags": "0x1000"}}],
            "outputs": [{"name": "screen", "address": hex(SCREEN), "bytes": 3 * WIDTH * HEIGHT, "layout": "linear",
                         "width": WIDTH, "height": HEIGHT, "format": 1}]}
        return description, bytes(self.memory)


def program(cache=[]):
    """The words of scene.v.pica."""
    if not cache:
        text = subprocess.run([TOOL, "asm", f"{HERE}/scene.v.pica", "--json"], check=True, capture_output=True, text=True).stdout
        found = json.loads(text)["programs"][0]["program"]
        cache.append([[int(word, 16) for word in found[name]] for name in ("words", "descriptors")])
    return cache[0]


def compressed(content):
    return lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)


def store(name, description, memory):
    folder = f"{HERE}/{name}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/memory.bin.xz", "wb") as file:
        file.write(compressed(memory))

    def write():
        with open(f"{folder}/scene.json", "w", encoding="utf-8") as file:
            def lines(items):
                return "[\n  " + ",\n  ".join(json.dumps(item) for item in items) + "]"
            file.write("{\n " + ",\n ".join(f'"{key}": ' + (lines(value) if isinstance(value, list) else json.dumps(value))
                                            for key, value in description.items()) + "\n}\n")
    output = description["outputs"][0]
    output.pop("file", None)
    write()
    with tempfile.TemporaryDirectory() as raw:
        subprocess.run([TOOL, "render", f"{folder}/scene.json", "--engine", "guest", "--raw", raw], check=True)
        with open(f"{raw}/screen.bin", "rb") as file:
            content = file.read()
    with open(f"{folder}/screen.bin.xz", "wb") as file:
        file.write(compressed(content))
    output["file"] = "screen.bin.xz"
    write()


def main():
    import scenes
    global TOOL
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=f"{HERE}/../../../build/release/tools/warpjit/warpjit")
    parser.add_argument("--recorded")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    TOOL = arguments.tool
    for name, make in scenes.SCENES.items():
        if not arguments.names or name in arguments.names:
            store(name, *make().files())
    if arguments.recorded:
        with open(f"{arguments.recorded}/scene.json", encoding="utf-8") as file:
            description = json.load(file)
        with open(f"{arguments.recorded}/fcram.bin", "rb") as file:
            memory = file.read()
        description["memory"][0]["file"] = "memory.bin.xz"
        store("emulator", description, memory)


TOOL = ""
if __name__ == "__main__":
    import sys
    sys.modules["make"] = sys.modules["__main__"]
    main()
