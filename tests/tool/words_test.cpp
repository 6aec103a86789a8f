// The built tool on bare words, which have no container: their code says what they need.
#include "tool/cli.h"

namespace warpjit::tool {
namespace {

using nlohmann::json;

using WordsTest = ToolTest;

// The bytes of a listing's words.
std::string bytes_of(const json& listing) {
  std::string bytes;
  for (const json& row : listing["code"])
    for (const json& text : row["words"]) {
      const auto word = static_cast<std::uint32_t>(std::stoul(text.get<std::string>(), nullptr, 16));
      for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift);
    }
  return bytes;
}

TEST_F(WordsTest, BareWords) {
  const auto little_endian = [](std::initializer_list<std::uint32_t> words) {
    std::string bytes;
    for (const std::uint32_t word : words)
      for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift);
    return bytes;
  };
  write("code.bin", little_endian({0x4c000000, 0x88000000}));
  write("opdesc.bin", little_endian({0x36f}));
  write("kernel.bin", little_endian({0xf0000001, 0xe0000001}));
  write("odd.bin", "1234567");
  const std::string pica = " code.bin --words pica200 --descriptors opdesc.bin";
  for (const char* command : {"disasm", "info", "ir", "host --target a64", "verify --random 20"}) {
    const Outcome outcome = run(command + pica);
    EXPECT_EQ(outcome.code, 0) << command << outcome.err;
    const Outcome kernel = run(std::string(command) + " kernel.bin --words tesla");
    EXPECT_EQ(kernel.code, 0) << command << kernel.out << kernel.err;
  }
  EXPECT_NE(run("disasm" + pica).out.find("mov"), std::string::npos);
  EXPECT_EQ(json::parse(run("info --program geometry --json" + pica).out)["programs"][0]["stage"],
            "geometry");
  for (const std::string& command : {"launch" + pica, std::string("launch kernel.bin --words tesla")}) {
    ASSERT_EQ(run(command + " -o run.json").code, 0) << command;
    const Outcome ran = run("run run.json");
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << arguments << outcome.err;
  };
  refused("disasm code.bin", "--words");
  refused("disasm code.bin --words riscv", "--words");
  refused("disasm odd.bin --words tesla", "odd.bin");
  refused("disasm code.bin --words tesla --descriptors opdesc.bin", "--descriptors");
  refused("disasm code.bin --words pica200 --entry main", "--entry");
  refused("disasm code.bin --words pica200 --entry 7", "code.bin");
}

// l[] of bare words is as large as the code needs it.
TEST_F(WordsTest, BareWordsHaveLocalMemory) {
  const auto local = [&](const std::string& code) {
    write("l.tesla", ".type fragment\n" + code);
    write("l.bin", bytes_of(json::parse(run("disasm --json l.tesla").out)));
    const std::string given = "l.bin --words tesla --program fragment";
    EXPECT_EQ(run("verify --random 4 " + given).code, 0) << code;
    return json::parse(run("launch " + given).out)["program"].value("local", 0);
  };
  EXPECT_EQ(local("st b32 l[0x0] $r0\nst b32 l[0x10] $r0\nexit ld b32 $r0 l[0x0]\n"), 20);
  EXPECT_EQ(local("st b32 l[0x0] $r0\nshl $a1 $r1 0x2\nexit ld b32 $r0 l[$a1+0x0]\n"), 1024);
  EXPECT_EQ(local("exit mov b32 $r0 $r1\n"), 0);
}

// Vertex and geometry words have a result map as their code is; several programs may stand in one file.
TEST_F(WordsTest, BareGraphicsWords) {
  write("vertex.tesla",
        ".type vertex\n.results 0 1 2 3\nmov b32 $r0 a[0x4]\nexit st b32 o[0x14] $r0\n"
        "mov b32 $r1 a[0x0]\nexit st b32 o[0x0] $r1\n");
  write("geometry.tesla",
        ".type geometry\n.results 0 1 2 3\nshl $a1 a[0x0] 0x0\nmov b32 o[0x0] p[$a1]\nemit\nexit emit\n");
  for (const std::string stage : {"vertex", "geometry"}) {
    write(stage + ".bin", bytes_of(json::parse(run("disasm --json " + stage + ".tesla").out)));
    const std::string words = " " + stage + ".bin --words tesla --program " + stage;
    for (const std::string command : {"disasm", "info", "ir", "host --target v3", "verify --random 5"}) {
      const Outcome outcome = run(command + words);
      EXPECT_EQ(outcome.code, 0) << command << words << outcome.out << outcome.err;
    }
    const json info = json::parse(run("info --json" + words).out)["programs"][0];
    EXPECT_EQ(info["graphics"]["results"], stage == "vertex" ? json({0, 1, 2, 3, 4, 5}) : json({0, 1, 2, 3}));
    EXPECT_EQ(info["graphics"].value("vertices", 0), stage == "geometry" ? 2 : 0);
  }
  const std::string words = " vertex.bin --words tesla --program vertex";
  ASSERT_EQ(run("launch -o first.json" + words).code, 0);
  ASSERT_EQ(run("launch -o second.json --entry 0x10" + words).code, 0);
  const json first = json::parse(read(path("first.json"))), second = json::parse(read(path("second.json")));
  EXPECT_EQ(first["program"]["graphics"]["results"], json({0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(second["program"]["entry"], 16);
  EXPECT_EQ(second["program"]["graphics"]["results"], json({0, 1, 2, 3}));
  for (const char* file : {"first.json", "second.json"}) {
    const Outcome verified = run(std::string("verify ") + file);
    EXPECT_EQ(verified.code, 0) << file << verified.out << verified.err;
  }
  // A geometry program runs in a draw.
  ASSERT_EQ(run("launch -o draw.json geometry.bin --words tesla --stage geometry").code, 0);
  EXPECT_EQ(json::parse(read(path("draw.json")))["geometry"]["program"]["words"], "geometry.bin");
  const Outcome drawn = run("verify draw.json");
  EXPECT_EQ(drawn.code, 0) << drawn.out << drawn.err;
  EXPECT_EQ(run("launch -o draw.json geometry.tesla").code, 0);
  EXPECT_NE(run("disasm --entry 16" + words).out.find(".entry 16"), std::string::npos);
  const Outcome refused = run("disasm --entry 0x12" + words);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("expected a multiple of 4"), std::string::npos) << refused.err;
}

// Each kernel of a blob by its address; a word that is no instruction says why.
TEST_F(WordsTest, EntriesAndReasons) {
  write("two.tesla",
        "mov b32 $r1 0x10\nexit st b32 g0[$r1] $r1\nmov b32 $r2 0x20\nexit st b32 g0[$r2] $r2\n");
  const json rows = json::parse(run("disasm --json two.tesla").out)["code"];
  std::string list;
  for (const json& row : rows)
    for (const json& text : row["words"]) list += (list.empty() ? "" : ",") + text.dump();
  const auto written = [&](int entry) {
    write("run.json", R"({"warpjit":1,"isa":"tesla","stage":"compute","program":{"words":[)" + list +
                          R"(],"entry":)" + std::to_string(entry) +
                          R"(},"grid":[1],"block":[1],"memory":[{"space":"g0","address":0,"size":64}],
                          "outputs":[{"space":"g0","address":0,"format":"u32","count":16}]})");
    const Outcome verified = run("verify run.json");
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    return json::parse(run("run --json run.json").out)["outputs"][0]["data"].dump();
  };
  EXPECT_NE(written(0).find("16"), std::string::npos);
  EXPECT_NE(written(16).find("32"), std::string::npos);

  ASSERT_EQ(run("asm '" + tests::source_file("examples/valhall/reduce.valhall") + "' -o valhall.bin").code,
            0);
  EXPECT_EQ(json::parse(run("info --json valhall.bin --words valhall --entry 8").out)["programs"][0]["entry"],
            8);
  EXPECT_EQ(run("info valhall.bin --words valhall --entry 12").code, 2);

  write("bad.bin", std::string("\x01\x00\x00\x20\x80\x07\x00\x20", 8));
  const std::string listed = run("disasm bad.bin --words tesla").out;
  EXPECT_NE(listed.find("// 0000: 20000001  "), std::string::npos) << listed;
  write("listed.tesla", listed);
  EXPECT_EQ(run("asm listed.tesla -o again.bin").code, 0);
  EXPECT_NE(run("disasm bad.bin --words tesla --json").out.find("\"why\""), std::string::npos);
}

}  // namespace
}  // namespace warpjit::tool
