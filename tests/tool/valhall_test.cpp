// The built tool and Valhall programs: listings, compute and vertex launches.
#include "tool/cli.h"
#include "tool/schema.h"

namespace warpjit::tool {
namespace {

using nlohmann::json;
using ValhallToolTest = ToolTest;

TEST_F(ValhallToolTest, ExamplesAgreeOnEveryEngine) {
  unsigned count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_file("examples/valhall"))) {
    if (entry.path().extension() != ".json") continue;
    const Outcome verify = run("verify '" + entry.path().string() + "' --json");
    EXPECT_EQ(verify.code, 0) << entry.path() << verify.out << verify.err;
    ++count;
    if (entry.path().stem() == "mandelbrot") continue;  // nothing of it can be random
    const Outcome random = run("verify '" + entry.path().string() + "' --random 5");
    EXPECT_EQ(random.code, 0) << entry.path() << random.out << random.err;
  }
  EXPECT_GE(count, 6u);
}

// Images: named by `info`, in the launch file to fill in, which runs; and one that is not given is a fault.
TEST_F(ValhallToolTest, Images) {
  write("copy.valhall",
        "U16_TO_U32 r0, r55.h00\n"
        "LD_TEX_IMM.v4.f32.slot0.wait0 @r4:r5:r6:r7, r0, 0x0, index:0x0, table:0x5\n"
        "LEA_TEX_IMM.slot0.wait0 @r8:r9:r10, r0, 0x0, table:0x5, index:0x1\n"
        "ST_CVT.v4.f32.slot0.wait0 @r4:r5:r6:r7, r8, r10, offset:0x0\nNOP.end\n");
  EXPECT_NE(run("info copy.valhall").out.find("images   0, 1"), std::string::npos);
  EXPECT_EQ(json::parse(run("info --json copy.valhall").out)["programs"][0]["images"], json({0, 1}));
  json launch = json::parse(run("launch copy.valhall").out);
  EXPECT_EQ(validate(json::parse(read(tests::source_file("docs/launch.schema.json"))), launch), "");
  ASSERT_EQ(launch["images"].size(), 2U);
  launch["block"] = {4};
  launch["images"][1]["address"] = "0x1800";
  launch["memory"][0]["data"] = {1, 2, 3, "0xfffefdfc"};
  launch["expect"] = {
      {{"space", "mem"}, {"address", "0x1800"}, {"format", "u32"}, {"data", {1, 2, 3, "0xfffefdfc"}}}};
  write("copy.json", launch.dump());
  const Outcome verify = run("verify copy.json");
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  launch["images"][1] = nullptr;
  launch.erase("expect");
  write("fault.json", launch.dump());
  EXPECT_EQ(run("run fault.json").code, 1);
  EXPECT_EQ(run("run fault.json --ignore-faults").code, 0);
}

TEST_F(ValhallToolTest, Listings) {
  write("count.valhall",
        ".stage fragment\nIADD_IMM.i32 r0, 0x0, #0x8\nloop: IADD_IMM.i32 r0, ^r0, #0xFFFFFFFF\n"
        "BRANCHZ.reconverge r0, offset:loop\nNOP.end\n");
  ASSERT_EQ(run("asm count.valhall -o count.bin").code, 0);
  EXPECT_EQ(read(path("count.bin")).size(), 32U);
  const std::string words = " count.bin --words valhall --program fragment";
  ASSERT_EQ(run("disasm" + words + " -o again.valhall").code, 0);
  const std::string listing = read(path("again.valhall"));
  EXPECT_NE(listing.find("BRANCHZ.reconverge r0, offset:l8"), std::string::npos) << listing;
  ASSERT_EQ(run("asm again.valhall -o again.bin").code, 0);
  EXPECT_EQ(read(path("again.bin")), read(path("count.bin")));
  const json rows = json::parse(run("disasm --json" + words).out)["code"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[3]["text"], "NOP.end");
  EXPECT_EQ(rows[3]["words"][0], "0x7800c00000000000");
  const json info = json::parse(run("info --json count.valhall").out)["programs"][0];
  EXPECT_EQ(info["stage"], "fragment");
  EXPECT_EQ(info["instructions"]["IADD_IMM.i32"], 2);

  write("odd.bin", "123456789012");
  const Outcome odd = run("disasm odd.bin --words valhall");
  EXPECT_EQ(odd.code, 2);
  EXPECT_NE(odd.err.find("8 bytes each"), std::string::npos) << odd.err;
  EXPECT_NE(run("info").out.find("valhall (compute, vertex, fragment)"), std::string::npos);
}

TEST_F(ValhallToolTest, Kernels) {
  // Each thread adds its number to a word, through a buffer's word and two uniforms.
  write("add.valhall",
        ".word 0x8000000000000000\n"
        "U16_TO_U32 r0, r55.h00\nSHADDX.u64 r2, u0, r0.w0, shift:0x2\n"
        "LOAD.i32.unsigned.slot0 @r4, r2, offset:0\n"
        "LD_BUFFER.i32.unsigned.slot0 @r5, 0x0, 0x0\n"
        "IADD.u32 r4, r4, r0\nIADD.u32 r4, r4, r5\n"
        "STORE.i32.slot0.end @r4, r2, offset:0\n");
  json launch = json::parse(R"({"warpjit": 1, "isa": "valhall", "stage": "compute",
    "program": {"file": "add.valhall", "entry": 8}, "grid": [1], "block": [4, 1, 2],
    "params": ["0x00001000", 7],
    "memory": [{"space": "mem", "address": "0x700001000", "data": [10, 20, 30, 40]},
               {"space": "c0", "data": [100, 0]}],
    "outputs": [{"space": "mem", "address": "0x700001008", "format": "u32", "count": 2}],
    "expect": [{"space": "mem", "address": "0x700001000", "format": "u32", "data": [110, 121, 132, 143]}]})");
  write("add.json", launch.dump());
  const Outcome good = run("run add.json --engine guest");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_NE(good.out.find("mem[0x700001008]"), std::string::npos) << good.out;
  EXPECT_EQ(run("run add.json").code, 0);  // what cannot be compiled is interpreted
  launch["expect"][0]["data"][1] = 0;
  write("bad.json", launch.dump());
  const Outcome bad = run("run bad.json");
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE((bad.out + bad.err).find("mem[0x700001004]"), std::string::npos) << bad.out << bad.err;
  launch.erase("expect");
  launch["block"] = {5};
  write("fault.json", launch.dump());
  const Outcome fault = run("run fault.json");
  EXPECT_EQ(fault.code, 1);
  EXPECT_NE((fault.out + fault.err).find("load from mem[0x700001010] by thread 4"), std::string::npos)
      << fault.out << fault.err;
  launch["program"]["entry"] = 4;
  write("entry.json", launch.dump());
  EXPECT_EQ(run("run entry.json").code, 2);
  ASSERT_EQ(run("asm add.valhall -o add.bin").code, 0);
  EXPECT_EQ(run("launch add.bin --words valhall --program compute -o template.json").code, 0);
  const json made = json::parse(read(path("template.json")));
  EXPECT_EQ(made["params"].size(), 2U);
  EXPECT_EQ(made["memory"][0]["space"], "c0");
  EXPECT_EQ(made["memory"][1]["space"], "mem");
}

// Workgroups 7 and 8 of columns, 2^32 - 1 and 0 of rows.
TEST_F(ValhallToolTest, FirstBlock) {
  write("number.valhall",
        "IADD_IMM.i32 r0, r57, #0xFFFFFFF9\nIADD_IMM.i32 r1, r58, #0x1\n"
        "IADD.u32 r0, r0, r1\nIADD.u32 r0, r0, r1\nSHADDX.u64 r2, u0, r0.w0, shift:0x3\n"
        "MOV.i32 r6, r57\nMOV.i32 r7, r58\n"
        "STORE.i64.slot0.end @r6:r7, r2, offset:0\n");
  json launch = json::parse(R"({"warpjit": 1, "isa": "valhall", "stage": "compute",
    "program": {"file": "number.valhall"}, "grid": [2, 2], "block": [1], "first_block": [7, 4294967295],
    "params": ["0x00001000", 7],
    "memory": [{"space": "mem", "address": "0x700001000", "size": 32}],
    "expect": [{"space": "mem", "address": "0x700001000", "format": "u32",
                "data": [7, 4294967295, 8, 4294967295, 7, 0, 8, 0]}]})");
  write("number.json", launch.dump());
  EXPECT_EQ(validate(json::parse(read(tests::source_file("docs/launch.schema.json"))), launch), "");
  const Outcome verified = run("verify number.json");
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_NE(verified.out.find("as expected"), std::string::npos) << verified.out;
  const auto failure = [&](const json& value) {
    launch["first_block"] = value;
    write("bad.json", launch.dump());
    return run("run bad.json").err;
  };
  EXPECT_NE(failure(json::array({-1})).find("first_block"), std::string::npos);
  EXPECT_NE(failure(json::array()).find("one to three numbers"), std::string::npos);
  EXPECT_NE(failure(json{1, 2, 3, 4}).find("one to three numbers"), std::string::npos);
  launch["isa"] = "tesla";
  launch["program"] = {{"words", {"0xf0000001", "0xe0000781"}}};
  launch.erase("params");
  launch.erase("memory");
  launch.erase("expect");
  EXPECT_NE(failure(json{1}).find("begin with block 0"), std::string::npos) << failure(json{1});
}

TEST_F(ValhallToolTest, PicturesOfExamples) {
  unsigned count = 0;
  const json schema = json::parse(read(tests::source_file("docs/launch.schema.json")));
  for (const auto& entry :
       std::filesystem::directory_iterator(tests::source_file("examples/valhall/graphics"))) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_EQ(validate(schema, json::parse(read(entry.path()))), "") << entry.path();
    const Outcome verified = run("verify '" + entry.path().string() + "'");
    EXPECT_EQ(verified.code, 0) << entry.path() << verified.out << verified.err;
    EXPECT_NE(verified.out.find("as expected"), std::string::npos) << verified.out;
    ++count;
  }
  EXPECT_GE(count, 4u);
}

// A word of the uniforms to target 1, whose descriptor is number 0; and a word of a buffer to target 0.
TEST_F(ValhallToolTest, Fragments) {
  write("two.valhall",
        ".stage fragment\nMOV.i32 r0, u1\nLD_BUFFER.i32.unsigned.slot0.wait0 @r1, 0x0, 0x0\n"
        "BLEND.slot0.u32 @r0, blend_descriptor_0.w0, r60, target:0x0\n"
        "BLEND.slot0.u32.end @r1, blend_descriptor_1.w0, r60, target:0x0\n");
  json launch = json::parse(R"({"warpjit": 1, "isa": "valhall", "stage": "fragment", "count": 3,
    "program": {"file": "two.valhall"}, "modes": {"blend-targets": [1, 0]}, "params": [{"offset": 4}, 7],
    "memory": [{"space": "c0", "data": [9]}],
    "vertices": {"slots": 4, "data": [0, 0, 0.5, 1, 64, 0, 0.5, 1, 0, 64, 0.5, 1]},
    "raster": {"window-positions": true},
    "targets": {"size": [8, 8], "colors": [{"format": "r32ui"}, {"format": "r32ui"}]},
    "expect": {"color0": {"file": "nine.bin"}, "color1": {"file": "seven.bin"}}})");
  const auto filled = [](char byte) {
    std::string bytes(256, '\0');
    for (std::size_t k = 0; k < bytes.size(); k += 4) bytes[k] = byte;
    return bytes;
  };
  write("nine.bin", filled(9));
  write("seven.bin", filled(7));
  write("two.json", launch.dump());
  const json schema = json::parse(read(tests::source_file("docs/launch.schema.json")));
  EXPECT_EQ(validate(schema, launch), "");
  for (const std::string engine : {"ir", "jit"}) {
    const Outcome drawn = run("render two.json --engine " + engine);
    EXPECT_EQ(drawn.code, 0) << drawn.out << drawn.err;
  }
  const auto failure = [&](const json& changed) {
    write("bad.json", changed.dump());
    return run("render bad.json --engine jit").err;
  };
  json bad = launch;
  bad["modes"] = {{"blend-targets", {8}}};
  EXPECT_NE(failure(bad).find("blend-targets"), std::string::npos) << failure(bad);
  bad["modes"] = {{"blend-targets", {1, nullptr}}};
  EXPECT_NE(failure(bad).find("color0"), std::string::npos) << failure(bad);  // which is not written
  bad = launch;
  bad["isa"] = "tesla";
  bad["program"] = {{"words", {"0xf0000001", "0xe0000781"}}};
  bad.erase("modes");
  EXPECT_NE(failure(bad).find("params"), std::string::npos) << failure(bad);

  EXPECT_EQ(run("launch two.valhall -o template.json").code, 0);
  const json made = json::parse(read(path("template.json")));
  EXPECT_EQ(validate(schema, made), "");
  EXPECT_EQ(made["params"].size(), 2U);
  EXPECT_EQ(made["memory"][0]["space"], "c0");
  EXPECT_TRUE(made["raster"]["window-positions"]);
  EXPECT_EQ(run("render template.json --engine jit").code, 0);
  EXPECT_EQ(run("ir two.valhall").code, 0);
}

// Vertices 5 and 6 of two instances: the sum of a pair, a colour of each instance, the vertex's number.
// A program of every dimension and result: assembly and bare words have textures and samplers in their
// templates.
constexpr const char* kSampling =
    ".stage fragment\n"
    "LD_VAR_IMM.slot0.v3.f32.center.store.wait0 @r0:r1:r2, r61, table:0x0, index:0x0\n"
    "IADD_IMM.i32 r8, 0x0, #0x20051803\nMOV.i32 r9, 0x0\n"
    "TEX_SINGLE.slot0.u.32.3d.computed.wait0 @r4:r5:r6:r7, @r0:r1:r2, ^r8\n"
    "IADD_IMM.i32 r8, 0x0, #0x20001800\n"
    "TEX_SINGLE.slot0.f.32.2d.r.shadow.zero.wait0 @r4, @r0:r1:r2, r8\n"
    "IADD_IMM.i32 r8, 0x0, #0x20011801\nIADD_IMM.i32 r2, 0x0, #0x30000000\n"
    "TEX_SINGLE.slot0.auto.32.cube.g.zero.wait0 @r5, @r2:r3, r8\n"
    "IADD_IMM.i32 r8, 0x0, #0x20061803\n"
    "TEX_FETCH.slot0.s.32.2d.array_enable.b.wait0 @r6, @r0:r1:r2, r8\n"
    "IADD_IMM.i32 r8, 0x0, #0x20001800\n"
    "TEX_FETCH.slot0.f.32.1d.a.wait0 @r7, @r0, r8\n"
    "BLEND.slot0.v4.f32.end @r4:r5:r6:r7, blend_descriptor_0.w0, r60, target:0x0\n";

TEST_F(ValhallToolTest, TemplatesHaveTexturesAndSamplers) {
  write("sampling.valhall", kSampling);
  ASSERT_EQ(run("asm sampling.valhall -o sampling.bin").code, 0);
  for (const std::string program : {"sampling.valhall", "sampling.bin --words valhall --program fragment"}) {
    SCOPED_TRACE(program);
    const json launch = json::parse(run("launch " + program).out);
    EXPECT_EQ(validate(json::parse(read(tests::source_file("docs/launch.schema.json"))), launch), "");
    EXPECT_EQ(launch["textures"].size(), 4U);
    EXPECT_EQ(launch["textures"]["5"]["dimension"], "3d");
    EXPECT_EQ(launch["textures"]["5"]["format"], "rgba8ui");
    EXPECT_EQ(launch["textures"]["1"]["dimension"], "cube");
    EXPECT_EQ(launch["textures"]["6"]["layers"], 2);
    EXPECT_EQ(launch["samplers"].size(), 3U);
    EXPECT_EQ(launch["samplers"]["3"]["magnify"], "nearest");
    EXPECT_EQ(launch["samplers"]["0"]["compare"], "less-equal");
    const Outcome verify = run("verify --json " + program);
    EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
    EXPECT_EQ(run("ir " + program).code, 0);
    EXPECT_EQ(run("host " + program).code, 0);
    EXPECT_EQ(run("verify --random 10 " + program).code, 0);
  }
  // Without its texture: which are there.
  json launch = json::parse(run("launch sampling.valhall").out);
  launch["textures"].erase("1");
  write("fewer.json", launch.dump());
  const Outcome fewer = run("run fewer.json");
  EXPECT_EQ(fewer.code, 2);
  EXPECT_NE(fewer.err.find("it samples 4 textures, 0, 1, 5, 6, of which 3 are set"), std::string::npos)
      << fewer.err;
}

// What a texture instruction names in a table that the launch's slots are not of is a fault in every engine.
TEST_F(ValhallToolTest, TexturesOfOtherTables) {
  write("other.valhall",
        ".stage fragment\nMOV.i32 r0, 0x0\nMOV.i32 r1, 0x0\nIADD_IMM.i32 r2, 0x0, #0x18001000\nMOV.i32 r3, "
        "0x0\n"
        "TEX_SINGLE.slot0.f.32.2d.zero.wait0 @r4:r5:r6:r7, @r0:r1, ^r2\n"
        "BLEND.slot0.v4.f32.end @r4:r5:r6:r7, blend_descriptor_0.w0, r60, target:0x0\n");
  json launch = json::parse(run("launch other.valhall").out);
  EXPECT_FALSE(launch.contains("textures"));
  write("zeros.json", launch.dump());
  const Outcome zeros = run("verify zeros.json");
  EXPECT_EQ(zeros.code, 1) << zeros.out << zeros.err;
  EXPECT_NE(zeros.out.find("all agree, and fault"), std::string::npos) << zeros.out;
  EXPECT_NE(zeros.out.find("\nir "), std::string::npos) << zeros.out;
  EXPECT_EQ(zeros.out.find("not supported"), std::string::npos) << zeros.out;
  // As slots of the launch.
  launch["program"]["file"] = "other.valhall";
  launch["modes"] = {{"texture-table", 3}, {"sampler-table", 2}};
  EXPECT_EQ(validate(json::parse(read(tests::source_file("docs/launch.schema.json"))), launch), "");
  write("slots.json", launch.dump());
  EXPECT_NE(run("run slots.json").err.find("texture 0"), std::string::npos);
  launch["textures"]["0"] = {{"format", "rgba8"}, {"size", {1, 1}}, {"data", {"0x40302010"}}};
  launch["samplers"]["0"] = json::object();
  launch["targets"]["size"] = {1, 1};
  launch["expect"]["color0"]["hash"] = "0x623637059e5851b5";  // of the bytes 10 20 30 40
  write("slots.json", launch.dump());
  const Outcome slots = run("verify slots.json");
  EXPECT_EQ(slots.code, 0) << slots.out << slots.err;
  launch["modes"]["texture-table"] = 32;
  write("slots.json", launch.dump());
  EXPECT_NE(run("run slots.json").err.find("texture-table"), std::string::npos);
}

// Words that are no instructions, with the reason; and what there is in place of what the assembler does not
// know.
TEST_F(ValhallToolTest, ReasonsInListingsAndOfTheAssembler) {
  write("odd.valhall",
        "NOP.reconverge\n.word 0x0 0x8000000000000001 0x0070000000000000 0x0001000000000000 "
        "0x00c06800000000\nNOP.end\n");
  ASSERT_EQ(run("asm odd.valhall -o odd.bin").code, 0);
  for (const std::string options : {"", " --no-words", " --flat"}) {
    const Outcome listed = run("disasm odd.bin --words valhall --program compute" + options);
    ASSERT_EQ(listed.code, 0) << listed.err;
    for (const char* reason : {"padding", "bit 63 is set", "LD_CVT is known by name alone", "is not defined"})
      EXPECT_NE(listed.out.find(reason), std::string::npos) << reason << "\n" << listed.out;
    write("again.valhall", listed.out);
    ASSERT_EQ(run("asm again.valhall -o again.bin").code, 0);
    EXPECT_EQ(read(path("again.bin")), read(path("odd.bin")));
  }
  const json rows = json::parse(run("disasm --json odd.bin --words valhall --program compute").out);
  EXPECT_NE(rows.dump().find("\"why\":\"bit 63 is set"), std::string::npos) << rows.dump();
  write("wrong.valhall", "NOP\nFADD.f32.clamp r0, r1, r2\n");
  const Outcome wrong = run("asm wrong.valhall -o wrong.bin");
  EXPECT_NE(wrong.err.find("wrong.valhall:2:1"), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.err.find("clamp_0_inf, clamp_m1_1, clamp_0_1"), std::string::npos) << wrong.err;
}

// Buffers that constants in registers name, and memory of the workgroup.
TEST_F(ValhallToolTest, TemplatesHaveBuffersAndSharedMemory) {
  write("uses.valhall",
        "IADD_IMM.i32 r4, 0x0, #0x3\nLD_BUFFER.i32.unsigned.slot0.wait0 @r1, 0x0, r4\n"
        "MOV.i32 r6, workgroup_local_pointer.w0\nMOV.i32 r7, workgroup_local_pointer.w1\n"
        "STORE.i32.slot0 @r1, r6, offset:16\nNOP.end\n");
  ASSERT_EQ(run("asm uses.valhall -o uses.bin").code, 0);
  for (const std::string program : {"uses.valhall", "uses.bin --words valhall --program compute"}) {
    const json launch = json::parse(run("launch " + program).out);
    EXPECT_EQ(launch["memory"][0]["space"], "c3");
    EXPECT_EQ(launch["shared"]["size"], 4096);
    const Outcome verify = run("verify " + program);
    EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
    EXPECT_EQ(verify.out.find("fault"), std::string::npos) << verify.out;
  }
}

// Several programs in one source: where threads begin.
TEST_F(ValhallToolTest, EntriesByAddress) {
  const std::string store = "SHADDX.u64 r2, u0, r60.w0, shift:0x2\nSTORE.i32.slot0.end @r0, r2, offset:0\n";
  write("two.valhall", "IADD_IMM.i32 r0, 0x0, #0x1\n" + store + "IADD_IMM.i32 r0, 0x0, #0x2\n" + store);
  for (const unsigned wanted : {1U, 2U}) {
    const std::string entry = wanted == 1 ? "0" : "0x18";
    const Outcome made = run("launch two.valhall --entry " + entry);
    ASSERT_EQ(made.code, 0) << made.err;
    json launch = json::parse(made.out);
    launch["block"] = {1};
    launch["params"] = {"0x1000", 0};
    launch["expect"] = {{{"space", "mem"}, {"address", "0x1000"}, {"format", "u32"}, {"data", {wanted}}}};
    write("two.json", launch.dump());
    const Outcome verify = run("verify two.json");
    EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  }
  EXPECT_NE(run("launch two.valhall --entry 0x4").err.find("entry 0x4: expected a multiple of 8 below"),
            std::string::npos);
  EXPECT_NE(run("launch two.valhall --entry 0x30").err.find("0x30"), std::string::npos);
}

TEST_F(ValhallToolTest, Vertices) {
  write("fetch.valhall",
        ".stage vertex\n"
        "LD_ATTR_IMM.v2.f32.slot0 @r0:r1, r60, r61, index:0x0, table:0x1\n"
        "LD_ATTR_IMM.f32.slot1.wait01 @r2, r60, r61, index:0x1, table:0x1\n"
        "FADD.f32 r0, r0, r1\nMOV.i32 r1, r2\nMOV.i32 r2, r60\nMOV.i32 r3, u1\n"
        "LEA_BUF_IMM.slot1.wait1 @r8:r9, r59, table:0xD, index:0x0\n"
        "STORE.i128.slot2.end @r0:r1:r2:r3, r8, offset:0\n");
  json launch = json::parse(R"({"warpjit": 1, "isa": "valhall", "stage": "vertex",
    "program": {"file": "fetch.valhall"},
    "vertices": {"count": 2, "instances": 2, "first": 5, "attribute_offset": 7, "packet_stride": 16},
    "attributes": [{"format": "rg32f", "address": "0x700001000", "bytes": 64, "offset": -40, "stride": 8},
                   {"format": "r8unorm", "address": "0x700001010", "bytes": 8, "offset": -7, "stride": 1,
                    "per_instance": true, "from_first": true}],
    "params": [0, 9],
    "memory": [{"space": "mem", "address": "0x700001000", "format": "f32", "size": 64,
                "data": [1, 2, 3, 4, "0x0000ff00"]}],
    "outputs": [{"space": "results", "address": 16, "format": "f32", "count": 1}],
    "expect": [{"space": "results", "address": 0, "format": "u32",
      "data": ["0x40400000", 0, 5, 9, "0x40e00000", 0, 6, 9,
               "0x40400000", "0x3f800000", 5, 9, "0x40e00000", "0x3f800000", 6, 9]}]})");
  write("fetch.json", launch.dump());
  for (const char* engine : {"guest", "ir", "jit"}) {
    const Outcome good = run(std::string("run fetch.json --engine ") + engine);
    EXPECT_EQ(good.code, 0) << good.out << good.err;
    EXPECT_NE(good.out.find("results[0x10]\n       0  7 (0x40e00000)"), std::string::npos) << good.out;
    EXPECT_NE(good.err.find("2 vertices, 2 instances"), std::string::npos) << good.err;
  }
  EXPECT_EQ(run("verify fetch.json").code, 0);
  EXPECT_EQ(run("verify fetch.json --random 3").code, 0);
  EXPECT_EQ(run("ir fetch.json").code, 0);
  EXPECT_EQ(run("host fetch.json --target a64").code, 0);
  for (const char* command : {"ir fetch.valhall", "host fetch.valhall --target a64", "verify fetch.valhall"})
    EXPECT_EQ(run(command).code, 0) << command << run(command).err;

  EXPECT_EQ(json::parse(run("run fetch.json --json").out)["count"], 4);
  const Outcome observed = run("run fetch.json --stats");
  EXPECT_EQ(observed.code, 0) << observed.err;
  EXPECT_NE(observed.out.find("instructions of warps"), std::string::npos) << observed.out;
  ASSERT_EQ(run("launch fetch.valhall -o template.json").code, 0);
  const json made = json::parse(read(path("template.json")));
  EXPECT_EQ(made["attributes"].size(), 2U);
  EXPECT_EQ(made["params"].size(), 2U);
  EXPECT_EQ(made["outputs"][0]["space"], "results");
  EXPECT_EQ(run("run template.json").code, 0) << run("run template.json").err;

  const auto refused = [&](const char* pointer, const char* value, const std::string& why) {
    json bad = launch;
    bad[json::json_pointer(pointer)] = json::parse(value);
    write("bad.json", bad.dump());
    const Outcome outcome = run("run bad.json");
    EXPECT_EQ(outcome.code, 2) << pointer << outcome.out;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << pointer << outcome.err;
  };
  refused("/grid", "[1]", "grid: does not belong");
  refused("/count", "1", "count: does not belong");
  refused("/uniforms", "{}", "uniforms: does not belong");
  refused("/vertices/count", "0", "vertices.count");
  refused("/vertices/count", "4194241", "vertices.count");
  refused("/vertices/instances", "65536", "vertices.instances");
  refused("/vertices", R"({"count": 4194240, "instances": 5})",
          "vertices in all instances; at most 16777216 are allowed");
  refused("/vertices", R"({"count": 16777216})", "vertices.count");
  refused("/vertices", R"({"count": 4194240, "packet_stride": 2048})", "results need more than");
  refused("/vertices/packet_stride", "24", "multiple of 16");
  refused("/vertices/packet_stride", "4096", "vertices.packet_stride");
  refused("/vertices/threads", "1", "vertices.threads");
  refused("/attributes", "{}", "attributes");
  refused("/attributes/0/format", "\"rgb33f\"", "there is no format 'rgb33f'");
  refused("/attributes/0/format", "\"0xffffffff\"", "22 bits");
  refused("/attributes/0/offset", "2147483648", "attributes[0].offset");
  refused("/attributes/1/shift", "32", "attributes[1].shift");
  refused("/attributes/1/add", "true", "'multiplier', which is missing");
  refused("/attributes/0", R"({"format": "r32f", "bytes": 4})", "address");
  refused("/memory/0/space", "\"results\"", "memory[0].space");
  refused("/outputs/0/address", "64", "outside the results");
  refused("/expect/0/space", "\"c0\"", "expect[0]");
  json many = launch;
  for (unsigned k = 0; k < 15; ++k) many["attributes"].push_back(launch["attributes"][0]);
  write("many.json", many.dump());
  EXPECT_NE(run("run many.json").err.find("attributes; at most 16 are allowed"), std::string::npos);
  refused("/stage", "\"compute\"", "belongs to stage");
}

}  // namespace
}  // namespace warpjit::tool
