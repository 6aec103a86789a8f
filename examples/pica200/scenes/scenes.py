"""What make.py draws, by name."""
import math
import random

from make import *


def rings(u, v):
    d = math.hypot(u - 0.5, v - 0.5)
    c = 128 + 127 * math.cos(40 * d)
    return c, c, c, 255


def tiles(u, v):
    edge = min(u * 4 % 1, v * 4 % 1) < 0.06
    c = 70 if edge else 255 if (int(u * 4) + int(v * 4)) % 2 else 185
    return c, c, c, 255


def combiners():
    s = Scene("what combiners make of two textures, row by row: each alone, their product, their sum; add signed, subtract, "
              "interpolate, dot product; multiply-add, add-multiply, four times the product, the product with one minus",
              (24, 24, 32))

    def wheel(u, v):
        a, d = math.atan2(v - 0.5, u - 0.5), math.hypot(u - 0.5, v - 0.5)
        return *(128 + 127 * min(1, 2 * d) * math.cos(a - k * 2 * math.pi / 3) for k in range(3)), 255
    s.use(0, s.texture(64, RGB565, wheel), wrap=0)
    s.use(1, s.texture(64, I8, rings), wrap=0)
    s.units(2)
    s.state(depth=False, write_depth=False)
    a, b, c = TEXTURE0, TEXTURE1, CONSTANT
    blue = rgba(40, 90, 200)
    cells = [(REPLACE, (a,)), (REPLACE, (b,)), (MODULATE, (a, b)), (ADD, (a, b)),
             (ADD_SIGNED, (a, b)), (SUBTRACT, (a, b)), (INTERPOLATE, (a, c, b)), (DOT3, (a, c)),
             (MULTIPLY_ADD, (a, b, c)), (ADD_MULTIPLY, (a, c, b)), (MODULATE, (a, b), 2), (MODULATE, (a, b), 0, (1, 0, 0))]
    for n, (operation, sources, *more) in enumerate(cells):
        constant = rgba(230, 150, 90) if operation == DOT3 else blue
        s.combine(0, operation, sources, constant, *more)
        s.draw(rectangle(14 + 95 * (n % 4), 162 - 76 * (n // 4), 87, 68), view=flat())
    return s


def bumps():
    s = Scene("a ball with a normal map and two lights, beside the same ball without the map", (16, 18, 26))
    half = 1 / 6

    def studs(u, v):
        x, y = (u % (2 * half) - half) / half, (v % (2 * half) - half) / half
        d = math.hypot(x, y)
        n = normalized((x, y, 0.7)) if 0.35 < d < 0.8 else (0, 0, 1)
        return *(127.5 * (c + 1) for c in n), 255
    s.use(0, s.texture(128, RGBA8, studs, 3))
    s.units(1)
    ball = sphere(48, 32)
    # The map lies over the ball as seen from the front, as the quaternions have it.
    ball = [(p, n, c, (1.5 * p[0], 1.5 * p[1], 1)) for p, n, c, _ in ball[0]], ball[1]
    for x, bump in ((-1.15, 0), (1.15, None)):
        s.state()
        s.light([((-0.5, 0.7, 0.7), (200, 150, 90), (255, 240, 220)), ((0.9, -0.2, 0.4), (30, 60, 130), (90, 120, 200))],
                (20, 20, 30), bump=bump)
        s.combine(0, ADD, (DIFFUSE, SPECULAR))
        s.draw(ball, move(x, 0, -3.9))
    return s


def knot(thick):
    def point(u):
        a = 2 * math.pi * u
        r = 1 + 0.42 * math.cos(3 * a)
        return r * math.cos(2 * a), r * math.sin(2 * a), 0.5 * math.sin(3 * a)

    def vertex(u, v):
        p = point(u)
        t = normalized([y - x for x, y in zip(point(u - 0.001), point(u + 0.001))])
        side = normalized((t[1], -t[0], 0))
        up = (t[1] * side[2] - t[2] * side[1], t[2] * side[0] - t[0] * side[2], t[0] * side[1] - t[1] * side[0])
        c, d = math.cos(2 * math.pi * v), math.sin(2 * math.pi * v)
        n = tuple(c * x + d * y for x, y in zip(side, up))
        return tuple(x + thick * y for x, y in zip(p, n)), n, WHITE, (u, v, 1)
    return grid(160, 14, vertex)


def toon():
    s = Scene("a knot as a drawing: a table gives light in three steps, and the back faces of a thicker knot are its outline",
              (236, 226, 200))
    place = chain(move(0, 0, -4), turn(0, -0.5), turn(2, 0.3))
    s.state(cull=2)
    s.combine(0, REPLACE, (CONSTANT,), rgba(30, 20, 40))
    s.draw(knot(0.34), place)
    s.state(cull=1)
    s.light([((0.4, 0.7, 0.6), (0, 0, 0), (255, 255, 255))], (0, 0, 0),
            lambda x: 0.35 if x < 0.3 else 0.7 if x < 0.75 else 1, of=3)
    s.combine(0, MODULATE, (SPECULAR, CONSTANT), rgba(90, 170, 230))
    s.draw(knot(0.29), place)
    return s


def fog():
    s = Scene("columns in fog on a floor with mip levels; both vanish in the colour of the background", (150, 165, 180))
    s.use(0, s.texture(64, I8, tiles, 4))
    s.units(1)
    s.state()
    s.light([((0.5, 0.8, 0.4), (200, 195, 180), (60, 60, 60))], (70, 75, 85))
    s.fog((150, 165, 180), lambda distance: 1.15 * math.exp(-distance / 9))
    camera = chain(turn(0, 0.2), move(0, -1.9, 0))
    s.combine(0, MODULATE, (TEXTURE0, CONSTANT), rgba(150, 170, 120))
    s.combine(1, MODULATE, (PREVIOUS, DIFFUSE))
    s.draw(floor(40, 14), camera)
    column = s.put(joined([box(0.35, 1.6, 0.35), ([((p[0], p[1] + 1.7, p[2]), n, c, t) for p, n, c, t in box(0.5, 0.12, 0.5)[0]],
                                                  box()[1])]))
    for n in range(12):
        s.combine(0, MODULATE, (TEXTURE0, CONSTANT), rgba(220, 150, 110) if n % 2 else rgba(200, 190, 170))
        s.draw(column, chain(camera, move((-1) ** n * 2.3, 1.6, -4 - 2.4 * (n // 2)), turn(1, 0.25 * n)))
    return s


def stencil_shadow():
    s = Scene("shadows of a ring and a box: their volumes count in the stencil, up for what faces the eye and down for the "
              "rest; where the count is not 0 the picture is darkened", (120, 150, 190))
    s.use(0, s.texture(64, I8, tiles, 4))
    s.units(1)
    camera = chain(move(0, -0.4, -6), turn(0, 0.6))
    light = normalized((-0.5, 1, 0.35))
    seen = [dot(row[:3], light) for row in camera[:3]]
    things = [(torus(32, 14), chain(move(-1.1, 0.75, 0.2), turn(0, 0.5), turn(1, 0.5)), rgba(235, 120, 70)),
              (box(0.6, 0.6, 0.6), chain(move(1.7, -0.2, 0.3), turn(1, 0.5)), rgba(90, 170, 120))]
    s.state()
    s.light([(seen, (200, 195, 180), (110, 110, 110))], (70, 70, 80))
    s.combine(0, MODULATE, (TEXTURE0, CONSTANT), rgba(190, 180, 170))
    s.combine(1, MODULATE, (PREVIOUS, DIFFUSE))
    s.draw(floor(12, 6), chain(camera, move(0, -0.8, 0)))
    s.combine(2, ADD, (PREVIOUS, SPECULAR))
    s.combine(0, REPLACE, (CONSTANT,))
    for mesh, place, color in things:
        s.combine(0, REPLACE, (CONSTANT,), color)
        s.draw(mesh, chain(camera, place))
    for mesh, place, _ in things:
        volume = s.put(shadow_volume(mesh, place, light, 12))
        for cull, operation in ((1, 6), (2, 7)):
            s.state(write_depth=False, colors=0, cull=cull)
            s.stencil(1, 0, 0, 0, operation)
            s.draw(volume, camera)
    s.state(depth=False, write_depth=False, blend=0x76760000)
    s.stencil(3, 0, 0, 0, 0)
    s.combine(0, REPLACE, (CONSTANT,), rgba(10, 10, 40, 140))
    s.draw(rectangle(0, 0, 400, 240), view=flat())
    return s


def cube_map():
    s = Scene("a ball of chrome in a landscape: both are looked up in a cube map of six faces", (0, 0, 0))
    sun = normalized((0.6, 0.45, -0.6))

    def look(d):
        d = normalized(d)
        if d[1] < 0:
            x, z = d[0] / -d[1], d[2] / -d[1]
            near = math.exp(-math.hypot(x, z) / 8)
            c = 60 + 120 * ((math.floor(x) + math.floor(z)) % 2) * near + 60 * (1 - near)
            return c, 0.85 * c, 0.6 * c, 255
        hill = 0.12 + 0.06 * math.sin(5 * math.atan2(d[0], d[2])) + 0.03 * math.sin(11 * math.atan2(d[0], d[2]))
        if d[1] < hill:
            return 40, 80 + 200 * d[1], 50, 255
        glow = max(0, dot(d, sun)) ** 40
        return (90 - 50 * d[1] + 255 * glow, 150 - 60 * d[1] + 220 * glow, 235 - 40 * d[1] + 100 * glow, 255)
    ways = (lambda a, b: (1, -b, -a), lambda a, b: (-1, -b, a), lambda a, b: (a, 1, b), lambda a, b: (a, -1, -b),
            lambda a, b: (a, -b, 1), lambda a, b: (-a, -b, -1))
    faces = [s.texture(128, RGB565, lambda u, v, way=way: look(way(2 * u - 1, 2 * v - 1))) for way in ways]
    s.use(0, faces[0], wrap=0, kind=1, faces=[face[0] for face in faces[1:]])
    s.units(1)
    s.state(depth=False, write_depth=False)
    s.combine(0, REPLACE, (TEXTURE0,))
    room = box(20, 20, 20)
    s.draw(([(p, n, c, tuple(x / 20 for x in p)) for p, n, c, _ in room[0]], room[1]))

    def reflected(p, n):
        way = normalized((p[0], p[1], p[2] - 3.4))
        return tuple(x - 2 * dot(way, n) * y for x, y in zip(way, n))
    ball = sphere(64, 40)
    s.state()
    s.light([(sun[:2] + (0.3,), (0, 0, 0), (255, 250, 220))], (225, 230, 235), lambda x: x ** 60)
    s.combine(0, MODULATE, (TEXTURE0, DIFFUSE))
    s.combine(1, ADD, (PREVIOUS, SPECULAR))
    s.draw(([(p, n, c, reflected(p, n)) for p, n, c, _ in ball[0]], ball[1]), move(0, 0, -3.4))
    return s


def procedural():
    s = Scene("marble, wood and fire without a texture in memory: the procedural unit bends coordinates with noise and looks "
              "colours up in a table", (28, 30, 36))

    def unit(function, noise, frequency, colors, clamp=3):
        s.write_from(0x0A8, clamp | clamp << 3 | function << 6 | 1 << 15,
                     round(4096 * noise) & 0xFFFF, round(4096 * noise) & 0xFFFF,
                     f16(frequency) | f16(frequency) << 16, 1 | 0x60 << 3 | 255 << 11, 0xE0C08000, 0xFEFCF8F0)
        s.write(0x0AF, 0)
        s.table(0x0B0, 128, lambda x: x * x * (3 - 2 * x), 4095, 4095, 12)
        s.write(0x0AF, 2 << 8)
        s.table(0x0B0, 128, lambda x: x, 4095, 4095, 12)
        entries = [[byte(c) for c in colors(n / 255)] for n in range(256)]
        s.write(0x0AF, 4 << 8)
        s.write(0x0B0, *(rgba(*c) for c in entries))
        s.write(0x0AF, 5 << 8)
        s.write(0x0B0, *(sum(((b - a) // 2 & 0xFF) << 8 * k for k, (a, b) in enumerate(zip(c, d)))
                         for c, d in zip(entries, entries[1:] + entries[-1:])))

    def between(a, b, t):
        return tuple(x + (y - x) * max(0, min(1, t)) for x, y in zip(a, b))
    materials = [
        (0, 0.45, 0.35, lambda t: between((70, 70, 95), (235, 230, 225), abs(math.sin(9 * t)) ** 0.4), 3,
         sphere(40, 28), (-2.45, 0, -5.2), lambda p, t: (0.9 * p[0] + 1, 0.9 * p[1] + 1)),
        (6, 0.06, 0.5, lambda t: between((105, 60, 25), (205, 145, 80), (14 * t) % 1), 3,
         box(0.8, 0.8, 0.8), (0, 0, -5.2), lambda p, t: (0.8 * t[0], 0.5 * t[1])),
        (2, 0.5, 0.8, lambda t: between((255, 240, 150), (255, 90, 10), 2 * t) if t < 0.5 else
         between((255, 90, 10), (60, 0, 10), 2 * t - 1), 1, torus(48, 20, 0.38), (2.45, 0, -5.2), lambda p, t: (0.7 * p[0] + 1, 0.36 * p[1] + 0.5))]
    for function, noise, frequency, colors, clamp, mesh, (x, y, z), place in materials:
        s.units(0, True)
        unit(function, noise, frequency, colors, clamp)
        s.state()
        s.light([((-0.4, 0.7, 0.6), (190, 185, 175), (120, 120, 120))], (65, 65, 75))
        s.combine(0, MODULATE, (PROCEDURAL, DIFFUSE))
        s.combine(1, ADD, (PREVIOUS, SPECULAR))
        s.draw(([(p, n, c, (*place(p, t), 1)) for p, n, c, t in mesh[0]], mesh[1]),
               chain(move(x, y, z), turn(0, 0.45), turn(1, 0.6)))
    return s


def render_to_texture():
    s = Scene("a box on whose sides a ring turns: the ring is drawn to a target of 128 x 128 pixels, which is then a texture",
              (44, 30, 50))
    s.fill(SMALL, 4 * SMALL_SIDE ** 2, 0x203A50FF)
    s.fill(SMALL_DEPTH, 4 * SMALL_SIDE ** 2, 0)
    lights = [((-0.4, 0.7, 0.6), (200, 195, 185), (200, 200, 200))]
    s.target(SMALL, SMALL_DEPTH, SMALL_SIDE, SMALL_SIDE)
    s.state()
    s.light(lights, (60, 60, 70))
    s.combine(0, MODULATE, (DIFFUSE, CONSTANT), rgba(255, 190, 70))
    s.combine(1, ADD, (PREVIOUS, SPECULAR))
    s.draw(torus(40, 20), chain(move(0, 0, -3.6), turn(0, -0.6), turn(1, 0.4)), perspective(aspect=1, upright=True))
    s.combine(0, MODULATE, (DIFFUSE, CONSTANT), rgba(90, 220, 160))
    s.draw(sphere(24, 16, 0.4), move(0, 0, -3.6), perspective(aspect=1, upright=True))
    s.target(COLOR, DEPTH, WIDTH, HEIGHT)
    s.use(0, (SMALL, SMALL_SIDE, RGBA8, 1), wrap=0)
    s.units(1)
    s.state()
    s.light(lights, (80, 80, 90))
    s.combine(0, MODULATE, (TEXTURE0, DIFFUSE))
    s.combine(1, ADD, (PREVIOUS, SPECULAR), 0)
    s.draw(box(), chain(move(0, 0, -4), turn(0, 0.5), turn(1, 0.7)))
    return s


ART = {
    "sky": ["bbbbbbbb"] * 8,
    "grass": ["gGgggGgg", "GgggGggg", "gnngnngn", "nnnnnnnn", "nnNnnnnn", "nnnnnNnn", "nNnnnnnn", "nnnnnnnn"],
    "brick": ["rrrRrrrR", "rrrRrrrR", "RRRRRRRR", "rRrrrRrr", "rRrrrRrr", "RRRRRRRR", "rrrRrrrR", "RRRRRRRR"],
    "coin": ["..yyyy..", ".yYYYYy.", "yYYyyYYy", "yYYyyYYy", "yYYyyYYy", "yYYyyYYy", ".yYYYYy.", "..yyyy.."],
    "hero": ["..rrrr..", ".rrrrrr.", "..ssks..", ".sssss..", "..bbbb..", ".sbbbbs.", "..bbbb..", ".nn..nn."],
    "ghost": ["..wwww..", ".wwwwww.", "wkwwkwww", "wkwwkwww", "wwwwwwww", "wwwwwwww", "wwwwwwww", "w.ww.ww."],
    "cloud": ["........", "...www..", "..wwwww.", ".wwwwwww", "wwwwwwww", "wwwwwwww", ".wwwwww.", "........"],
    "heart": [".rr..rr.", "rwrrrrrr", "rrrrrrrr", "rrrrrrrr", ".rrrrrr.", "..rrrr..", "...rr...", "........"],
}
INKS = {".": (0, 0, 0, 0), "b": (90, 150, 230, 255), "g": (80, 190, 70, 255), "G": (120, 220, 90, 255),
        "n": (130, 85, 50, 255), "N": (100, 65, 40, 255), "r": (210, 60, 50, 255), "R": (120, 40, 40, 255),
        "y": (230, 160, 30, 255), "Y": (255, 220, 90, 255), "s": (250, 200, 160, 255), "k": (20, 20, 30, 255),
        "w": (250, 250, 255, 255)}


def sprites():
    s = Scene("a game of tiles and sprites from one texture of 32 x 32 texels: the alpha test cuts sprites out, blending makes "
              "ghosts and clouds half transparent, the colour of vertices tints", (90, 150, 230))
    names = list(ART)

    def texel(u, v):
        column, row = int(u * 32), int((1 - v) * 32)
        return INKS[ART[names[row // 8 * 4 + column // 8]][row % 8][column % 8]] if row < 16 else INKS["."]
    s.use(0, s.texture(32, RGBA4, texel), linear=False)
    s.units(1)

    def sprite(name, x, y, size=24, color=WHITE):
        n = names.index(name)
        u, v = n % 4 / 4, 1 - n // 4 / 4
        return rectangle(x, y, size, size, u, v - 0.25, u + 0.25, v, color)
    chance = random.Random(7)
    level = [sprite("grass", 24 * n, 24) for n in range(17)] + \
            [sprite("brick", 24 * n, 0) for n in range(17)] + \
            [sprite("brick", 24 * n, 24 * k) for n, k in ((4, 5), (5, 5), (6, 5), (10, 3), (11, 3), (11, 4), (12, 3), (13, 6), (14, 6))]
    things = [sprite("coin", 24 * n, 24 * k) for n, k in ((4, 6), (5, 6), (6, 6), (13, 7), (14, 7), (2, 3))] + \
             [sprite("hero", 190, 48, 32)] + [sprite("heart", 8 + 22 * n, 212, 20) for n in range(3)]
    clouds = [sprite("cloud", chance.randrange(380), chance.randrange(150, 200), chance.choice((32, 48, 64)), (1, 1, 1, 0.7))
              for _ in range(6)]
    ghosts = [sprite("ghost", 330, 60, 40, (1, 0.7, 0.8, 0.65)), sprite("ghost", 60, 52, 32, (0.7, 1, 0.8, 0.5)),
              sprite("ghost", 255, 110, 28, (0.75, 0.8, 1, 0.6))]
    for meshes, alpha, blend in ((clouds, None, 0x76760000), (level, None, 0x01010000), (things, 128, 0x01010000),
                                 (ghosts, None, 0x76760000)):
        s.state(depth=False, write_depth=False, alpha=alpha, blend=blend)
        s.combine(0, MODULATE, (TEXTURE0, PRIMARY))
        s.write(COMBINERS[0] + 2, MODULATE | MODULATE << 16)
        s.write(COMBINERS[0], TEXTURE0 * 0x10001)
        s.draw(joined(meshes), view=flat())
    return s


SCENES = {"combiners": combiners, "bumps": bumps, "toon": toon, "fog": fog, "stencil_shadow": stencil_shadow,
          "cube_map": cube_map, "procedural": procedural, "render_to_texture": render_to_texture, "sprites": sprites}
