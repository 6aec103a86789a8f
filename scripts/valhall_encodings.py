#!/usr/bin/env python3
"""Writes src/frontend/valhall/encoding/encoding.inc from a description of the Valhall instruction set.

usage: scripts/valhall_encodings.py ENCODINGS.json > src/frontend/valhall/encoding/encoding.inc

The table is the source of truth and is edited like any other source; this script is the record of how it was made.
The description is JSON:
  enums         name -> the words of field values 0, 1, ...; "reserved" for those that mean nothing
  instructions  name, opcode (bits 48 to 56), secondary {start, mask, value}, srcs [{byte, size, kind, fields}],
                dests (0 or 1), sr (staging registers: start, read, write, flags for bits 46 and 47),
                imms {name, start, size, signed}, mods {name, start, size, default, values, implied}
"""
import json
import sys

NOT_DEFINED = "reserved"

# Modifiers by the name that the description gives them: the member of Instruction that holds the value, and what
# field value 0 means there.
MEMBERS = {
    "absolute": ("absolute_target", 0), "array_enable": ("array", 0), "atomic_operation": ("atomic", 0),
    "atomic_operation_with_1": ("atomic", 16), "clamp": ("clamp", 0), "compare": ("compare", 0),
    "condition": ("condition", 0), "conservative": ("conservative", 0), "dimension": ("dimension", 0),
    "eq": ("if_zero", 0), "fetch_component": ("component", 0), "inactive_result": ("inactive", 0),
    "integer_coordinates": ("integer_coordinates", 0), "lane_operation": ("lane_operation", 0),
    "load_lane_128_bit": ("lane", 1), "load_lane_16_bit": ("lane", 4), "load_lane_24_bit": ("lane", 8),
    "load_lane_32_bit": ("lane", 6), "load_lane_48_bit": ("lane", 4), "load_lane_64_bit": ("lane", 1),
    "load_lane_8_bit": ("lane", 0), "load_lane_96_bit": ("lane", 2), "lod_mode": ("lod_mode", 0),
    "lod_mode_0": ("lod_mode_0", 0), "lod_mode_1": ("lod_mode_1", 0), "log": ("log", 0),
    "mask_zero": ("mask_zero", 0), "memory_access": ("access", 0), "mux": ("mux", 0), "neg": ("subtract", 0),
    "neg_result": ("negate_result", 0), "not_result": ("not_result", 0), "preserve_null": ("preserve_null", 0),
    "propagate_nan": ("propagate_nan", 0), "register_format": ("register_format", 0),
    "register_type": ("register_type", 0), "register_width": ("register_width", 0), "result_type": ("result_type", 0),
    "rhadd": ("round_up", 0), "round_mode": ("round", 0), "sample_and_update_mode": ("sample_and_update", 0),
    "sample_mode": ("sample", 0), "saturate": ("saturate", 0), "second": ("second", 0),
    "secondary_register_width": ("second_width", 0), "shadow": ("shadow", 0), "signed": ("arithmetic", 0),
    "skip": ("skip", 0), "slot": ("slot", 0), "source_format": ("source_format", 0), "sqrt": ("sqrt", 0),
    "stencil": ("stencil", 0), "subgroup_size": ("subgroup", 0), "texel_offset": ("texel_offset", 0),
    "unsigned": ("zero_extend", 0), "update_mode": ("update", 0),
    "varying_texture_register_width": ("register_width", 0), "vector_size": ("vector_size", 0),
    "wide_indices": ("wide_indices", 0), "write_mask": ("channels", 0), "z": ("depth", 0),
}
# How a source selects a part of its register: the kind in the description, its enumeration, the bits of the field
# and the word that is not written.
SELECTS = {
    "widen32": ("swizzles_32_bit", 4, "none"), "widen16": ("swizzles_16_bit", 4, "h01"),
    "swz16": ("swizzles_16_bit", 2, "h01"), "widen8": ("swizzles_8_bit", 4, "b0123"),
    "widen64": ("swizzles_64_bit", 4, "none"), "widenf": ("widen", 2, "none"), "lanes8": ("lanes_8_bit", 4, None),
    "lane8": ("lane_8_bit", 2, None), "half8": ("half_swizzles_8_bit", 4, None), "lane16": ("lane_16_bit", 1, None),
    "combine": ("combine", 3, "none"),
}
# Operand classes (bits 52 to 56) of messages.
MESSAGE_CLASSES = {4, 5, 6, 7, 0xE, 0x12, 0x13, 0x17}


# Modifiers that later descriptions have: bit 30 of these opcodes.
LATER_FLAGS = {"FMIN": "propagate_nan", "FMAX": "propagate_nan", "CLZ": "mask_zero", "FREXPE": "neg_result"}


def correct(data):
    """What the description lacks and other sources have."""
    data["enums"]["slot"][6] = "slot6"  # depth and coverage order
    data["enums"]["swizzles_64_bit"][9] = "w1"
    data["enums"]["lane_operation"].append("rotate")  # in a third bit
    data["enums"]["atomic_operation"][0:2] = ["aaddu", "aadds"]  # saturating
    for instruction in data["instructions"]:
        for mod in instruction["mods"]:
            if mod["name"] in ("slot", "lane_operation", "atomic_operation"):
                mod["values"] = data["enums"][mod["name"]]
            if mod["name"] == "lane_operation":
                mod["size"] = 3
            if mod["name"] == "round_mode":
                round_mode = mod
            if mod["name"] == "lod_mode" and mod["size"] == 1:
                mod["name"] = "lod_mode_%d" % (mod["start"] - 13)  # two bits of one name
        # Bits 32 to 34 choose the kind of shift. The description has bit 32, left, and the bit `signed`; with bit 33
        # the same opcodes rotate.
        if instruction["name"].startswith(("RSHIFT", "LSHIFT")):
            left = instruction["name"][0] == "L"
            secondary = instruction["secondary"]
            secondary["mask"] |= (6 if left else 2) << 8
    for instruction in data["instructions"]:
        name = instruction["name"].split(".")[0]
        if name in LATER_FLAGS:
            flag = {"name": LATER_FLAGS[name], "start": 30, "size": 1, "default": 0, "values": None, "implied": False}
            instruction["mods"].append(flag)
        if name in ("FADD", "FMA"):
            instruction["mods"].append(dict(round_mode, start=30))
        if name == "FREXPM":
            instruction["srcs"][0]["fields"].update({"neg": [38, 1], "abs": [39, 1]})
    rotates = []
    for instruction in data["instructions"]:
        if not instruction["name"].startswith("LSHIFT"):
            continue
        for name, kind in (("RROT", 2), ("LROT", 3)):
            rotate = json.loads(json.dumps(instruction))
            rotate["name"] = name + instruction["name"][len("LSHIFT"):]
            logic = instruction["secondary"]["value"] & 3
            rotate["secondary"]["value"] = logic | kind << 8
            rotates.append(rotate)
    load = next(i for i in data["instructions"] if i["name"] == "LD_BUFFER.i64")
    lea = json.loads(json.dumps(load))
    lea.update(name="LEA_PKA", opcode=0x6B, secondary=None)
    lea["mods"] = [mod for mod in lea["mods"] if mod["name"] in ("staging_register_count", "slot")]
    data["instructions"] += rotates + [lea]
    data["instructions"].sort(key=lambda i: i["opcode"])


def quoted(words):
    return ", ".join("kNone" if word == NOT_DEFINED else '"%s"' % word for word in words)


def modifier_rows(data):
    """Name -> its row. The word of a default value is not written."""
    rows = {}
    for instruction in data["instructions"]:
        for mod in instruction["mods"]:
            if mod["implied"]:
                continue
            words = list(mod["values"] or [mod["name"]])
            if not mod["values"]:
                words = ["", mod["name"]]
            elif mod["default"] is not None:
                words[mod["default"]] = ""
            words = words[:1 << mod["size"]]
            while words[-1] == NOT_DEFINED:
                words.pop()
            member, first = MEMBERS[mod["name"]]
            row = "VALHALL_WORDS(%s, %s, %d, %s)" % (mod["name"], member, first, quoted(words))
            assert rows.setdefault(mod["name"], row) == row, mod["name"]
    return [rows[name] for name in sorted(rows)]


def select_rows(data):
    for kind, (enum, width, identity) in SELECTS.items():
        words = (data["enums"][enum] + [NOT_DEFINED] * 16)[:1 << width]
        while words[-1] == NOT_DEFINED:
            words.pop()
        lanes = ", ".join("none_" if w == "none" else "both" if w == "and" else w for w in words)
        implied = {"none": "none_", None: "reserved"}.get(identity, identity)
        yield "VALHALL_SELECT(%s, %d, %s, %s)" % (kind, width, implied, lanes)


def fixed_bits(instruction):
    secondary = instruction["secondary"]
    if not secondary:
        return
    start, mask, value = secondary["start"], secondary["mask"], secondary["value"]
    bit = 0
    while mask >> bit:
        if mask >> bit & 1 == 0:
            bit += 1
            continue
        width = 1
        while mask >> (bit + width) & 1:
            width += 1
        text = value >> bit & ((1 << width) - 1)
        yield "[%d:%d=%d]" % (start + bit, width, text) if width > 1 else "[%d=%d]" % (start + bit, text)
        bit += width


def source_word(source):
    assert source["bits"] == [8 * source["byte"], 8 * source["byte"] + 7]
    word = "ABCE"[source["byte"]] + ("64" if source["size"] == 64 else "")
    fields = source["fields"]
    for name in ("not", "neg", "abs"):
        if name in fields:
            assert fields[name][1] == 1
            word += "|%s@%d" % (name, fields[name][0])
    for name, (start, width) in fields.items():
        if name in ("not", "neg", "abs"):
            continue
        assert width == SELECTS[source["kind"]][1]
        word += "|%s@%d" % (source["kind"], start)
    return word


def syntax(instruction):
    mods = instruction["mods"]
    words = list(fixed_bits(instruction))
    flags = {sr["flags"] for sr in instruction["sr"] if sr["flags"]}
    assert len(flags) < 2 and (not flags or len(instruction["sr"]) == 1 or flags == {3})
    if flags:
        words.append("[46:2=%d]" % flags.pop())
    for mod in mods:
        if not mod["implied"]:
            words.append("%s@%d" % (mod["name"], mod["start"]) + (":%d" % mod["size"] if mod["size"] > 1 else ""))
    counts = {mod["name"]: mod["start"] for mod in mods if mod["implied"]}
    if instruction["dests"]:
        words.append("D64" if instruction["opcode"] >> 4 in (0x19, 0x1A, 0x1B) else "D")
    elif not any(sr["start"] == 40 for sr in instruction["sr"]):
        words.append("-")
    for sr in instruction["sr"]:
        if sr["write"] and "staging_register_write_count" in counts:
            count = "#%d+1" % counts["staging_register_write_count"]
        else:
            count = "#%d" % counts["staging_register_count"]
            if instruction["name"].startswith("TEX"):
                count += "|8"
        words.append(("W" if sr["write"] else "R") + "@%d" % sr["start"] + count)
    words += [source_word(source) for source in instruction["srcs"]]
    for imm in instruction["imms"]:
        words.append("#%s@%d:%d%s" % (imm["name"], imm["start"], imm["size"], "s" if imm["signed"] else ""))
    return " ".join(words)


HEADER = """\
// The Valhall encoding, written once (docs/guests/valhall.md). Decoder, encoder, disassembler, assembler and the
// generators of random words all read these rows. scripts/valhall_encodings.py made them.
//
// VALHALL_OPCODE(opcode, mnemonic)
//   The part of the mnemonic before the type.
// VALHALL_WORDS(name, member, first, words...)
//   A modifier: field value n means first + n in that member of Instruction and is written as the n-th word. "" is
//   what is meant when nothing is written.
// VALHALL_SELECT(name, width, implied, lanes...)
//   How a source selects a part of its value: field value n means the n-th of Lanes; `implied` is not written.
// VALHALL_ENCODING(opcode, type, primary, syntax)
//   One mnemonic. primary is in bits 48 to 56. The syntax has the order of the text. It says where fields are by the
//   grammar of frontend/encoding/pattern.h; its operands are
//     D D64        the destination, in bits 40 to 45 with a mask of halves in 46 and 47; a pair of registers
//     -            none: these bits are 0xc0, which no decoder minds
//     A B C E      a source in byte 0, 1, 2, 3; A64: of 64 bits. |neg@b |abs@b |not@b: bits that change it;
//                  |SELECT@b: a field from bit b
//     R@b#c W@b#c  staging registers that are read, written: the first one in six bits from b, their number in three
//                  bits from c; +1: less one; |8: 0 stands for 8
//     #name@b:n    an immediate of n bits; s: signed
//   In every row, bits 59 to 62 are `flow`, 57 and 58 the page of uniforms and special values, and 63 is 0.
"""


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    correct(data)
    lines = []
    opcodes = {}
    for instruction in data["instructions"]:
        opcodes.setdefault(instruction["name"].split(".")[0])
        assert instruction["message"] == (instruction["opcode"] >> 4 in MESSAGE_CLASSES), instruction["name"]
    print(HEADER, end="")
    print("#ifdef VALHALL_OPCODE")
    for opcode in opcodes:
        print('VALHALL_OPCODE(%s, "%s")' % (opcode.lower(), opcode))
    print("#undef VALHALL_OPCODE\n#endif\n\n#ifdef VALHALL_WORDS")
    flow = list(data["enums"]["flow"])
    flow[0] = ""
    print("VALHALL_WORDS(flow, flow, 0, %s)" % quoted(flow))
    print("\n".join(modifier_rows(data)))
    print("#undef VALHALL_WORDS\n#endif\n\n#ifdef VALHALL_SELECT")
    print("\n".join(select_rows(data)))
    print("#undef VALHALL_SELECT\n#endif\n\n#ifdef VALHALL_ENCODING")
    for instruction in data["instructions"]:
        name, _, kind = instruction["name"].partition(".")
        print('VALHALL_ENCODING(%s, %s, 0x%03x, "%s")' %
              (name.lower(), kind or "none", instruction["opcode"], syntax(instruction)))
    print("#undef VALHALL_ENCODING\n#endif")


if __name__ == "__main__":
    main()
