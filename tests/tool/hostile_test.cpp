// Files that are changed at random, and names that nobody may print as they are: what the built tool prints
// is UTF-8 without control characters, its JSON is JSON, and messages are short.
#include <random>

#include "base/text.h"
#include "tool/cli.h"

namespace warpjit::tool {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kLongestMessage = 2500;  // bytes of a line

class HostileTest : public ToolTest {
 protected:
  void check(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_GE(outcome.code, 0) << arguments;
    EXPECT_LE(outcome.code, 4) << arguments << outcome.err;
    for (const std::string* text : {&outcome.out, &outcome.err})
      EXPECT_EQ(text::visible_lines(*text), *text) << arguments;
    EXPECT_EQ(outcome.err.find("internal error"), std::string::npos) << arguments << outcome.err;
    std::istringstream lines(outcome.err);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kLongestMessage) << arguments;
    const bool is_json = arguments.find("--json") != std::string::npos && !outcome.out.empty();
    EXPECT_TRUE(!is_json || json::accept(outcome.out)) << arguments;
  }
};

TEST_F(HostileTest, ChangedFiles) {
  const std::vector<std::string> programs = {"info FILE",
                                             "info FILE --json",
                                             "disasm FILE",
                                             "disasm FILE --json",
                                             "launch FILE",
                                             "verify FILE --random 8 --engines guest,ir --timeout 9",
                                             "verify FILE --random 8 --engines guest --timeout 9 --json"};
  const std::vector<std::string> launches = {"info FILE", "run FILE --timeout 9",
                                             "run FILE --json --timeout 9",
                                             "verify FILE --engines guest --json --timeout 9"};
  const std::vector<std::string> captures = {"info FILE", "info FILE --json",
                                             "render FILE --json --timeout 9", "launch FILE --draw 0"};
  struct Kind {
    std::string file;
    const std::vector<std::string>& commands;
  };
  fs::copy(kExamples + "mvp_light.shbin", path("mvp_light.shbin"));
  fs::copy(kExamples + "mvp_light.inputs.bin", path("mvp_light.inputs.bin"));
  ASSERT_EQ(run("asm '" + tests::source_file("examples/tesla/reduce.tesla") + "' -o reduce.cubin").code, 0);
  std::minstd_rand random(7);
  constexpr std::uint8_t kBytes[] = {0xff, 0x1b, 0x80, 0x00, '\n', 0x9b, 0xc2, '\t', 0x7f};
  for (const Kind& kind : {Kind{kExamples + "mvp_light.shbin", programs},
                           {path("reduce.cubin"), programs},
                           {tests::source_file("fuzz/corpus/tesla_elf_cubin/elf32"), programs},
                           {tests::source_file("examples/vita/shaders/mesh_vertex.gxp"), programs},
                           {tests::source_file("examples/tesla/reduce.tesla"), programs},
                           {kExamples + "mvp_light.v.pica", programs},
                           {kExamples + "mvp_light.json", launches},
                           {tests::source_file("fuzz/corpus/valhall_capture/triangle.wjcap"), captures}}) {
    const std::string bytes = read(kind.file);
    ASSERT_FALSE(bytes.empty()) << kind.file;
    for (int n = 0; n < 24; ++n) {
      std::string changed = bytes;
      for (unsigned k = random() % 4 + 1; k != 0; --k)
        changed[random() % bytes.size()] = static_cast<char>(kBytes[random() % std::size(kBytes)]);
      const std::string name = "changed" + fs::path(kind.file).extension().string();
      write(name, changed);
      std::string arguments = kind.commands[static_cast<std::size_t>(n) % kind.commands.size()];
      check(arguments.replace(arguments.find("FILE"), 4, name));
    }
  }
}

// Every byte of the names of an SHBIN.
TEST_F(HostileTest, NamesInShbins) {
  const std::string bytes = read(kExamples + "mvp_light.shbin");
  const std::size_t names = bytes.find("projection");
  ASSERT_NE(names, std::string::npos);
  for (const char c : {'\xff', '\x1b', '\n'})
    for (std::size_t at = names; at < names + 10; at += 3) {
      std::string changed = bytes;
      changed[at] = c;
      write("a.shbin", changed);
      for (const char* arguments : {"info a.shbin", "verify a.shbin --random 4 --engines guest --json"})
        check(arguments);
      EXPECT_EQ(run("verify a.shbin --random 4 --engines guest").code, 0);
      EXPECT_NE(run("info a.shbin").out.find(text::visible(std::string(1, c))), std::string::npos);
    }
}

TEST_F(HostileTest, NamesOfFilesAndFields) {
  const std::string evil = "QX\nQY\x1b[2J\u009b31m\u202e\xff";
  fs::copy(kExamples + "mvp_light.shbin", path(evil + ".shbin"));
  write_move(evil + ".json");
  for (const std::string command : {"info", "disasm", "launch", "verify --engines guest", "run", "run --json",
                                    "asm -o x", "render", "texture"})
    for (const char* extension : {".shbin", ".json", ".none"}) {
      const std::string arguments = command + " '" + evil + extension + "'";
      check(arguments);
      const Outcome outcome = run(arguments);
      EXPECT_EQ((outcome.out + outcome.err).find("QX\n"), std::string::npos) << outcome.out << outcome.err;
    }
  for (const std::string option :
       {"run move.json --engine ", "info --words ", "run move.json --fuel ", "", "info --"})
    check(option + "'" + evil + "'");
  write_move("field.json", R"(,"QX\nQY\u001b":1)");
  check("run field.json");
  EXPECT_NE(run("run field.json").err.find("QX\\x0aQY\\x1b"), std::string::npos);
}

TEST_F(HostileTest, LongNamesAreCut) {
  const std::string name(5'000'000, 'a');
  write("a.json", R"({"warpjit":1,"isa":")" + name + "\"}");
  write("b.json", "{\"" + name + "\":1}");
  write("c.json", "{\"a\":" + name + "}");
  write("d.json", R"({"warpjit":1,"isa":"pica200","stage":"vertex","program":{"file":")" + name + "\"}}");
  write("e.tesla", ".kernel " + name + "\n");
  write("f.v.pica", ".fvec " + name + "\n.proc main\nend\n.end\n");
  write("g.usse", name);
  write("h.valhall", name);
  for (const std::string file :
       {"a.json", "b.json", "c.json", "d.json", "e.tesla", "f.v.pica", "g.usse", "h.valhall"})
    for (const std::string command : {"info ", "run ", "asm -o x ", "verify --json "}) {
      check(command + file);
      const Outcome outcome = run(command + file);
      EXPECT_LT(outcome.out.size() + outcome.err.size(), 10'000U) << command << file;
    }
  std::string shbin = read(kExamples + "mvp_light.shbin");
  write("i.shbin", shbin.replace(shbin.find("projection"), 10, name));
  check("info i.shbin");
}

TEST_F(HostileTest, NumbersOutOfRangeAreRefused) {
  write_move("move.json");
  for (const std::string arguments : {"run move.json --fuel -1",
                                      "run move.json --count -1",
                                      "run move.json --threads -1",
                                      "run move.json --threads 1025",
                                      "run move.json --fuel 18446744073709551616",
                                      "run move.json --fuel 1.5",
                                      "run move.json --count 0",
                                      "verify move.json --seed -1",
                                      "verify move.json --random -1",
                                      "bench move.json --seconds nan",
                                      "bench move.json --seconds inf",
                                      "bench move.json --seconds -1",
                                      "bench move.json --counts 64,-64",
                                      "bench move.json --parts 17",
                                      "launch x.wjcap --draw -1",
                                      "launch x.shbin --count -1",
                                      "host move.json --parts -1",
                                      "host move.json --registers -1",
                                      "render move.json --frames -1",
                                      "render move.json --milliseconds -1",
                                      "render move.json --from nan",
                                      "render move.json --to inf",
                                      "texture x --level -1",
                                      "texture x --offset -1",
                                      "texture x --layers -1",
                                      "texture x --block-height -1"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(" is no "), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  // Decimal, also with a leading 0.
  EXPECT_EQ(run("run move.json --json --count 010").out.find("\"count\": 8"), std::string::npos);
  EXPECT_EQ(run("info ''").code, 2);
  EXPECT_EQ(
      run("render '" + tests::source_file("examples/tesla/graphics/phong.json") + "' --size 16x-16").code, 2);
}

TEST_F(HostileTest, InfoShowsCaptures) {
  const std::string capture = tests::source_file("fuzz/corpus/valhall_capture/triangle.wjcap");
  const json shown = json::parse(run("info '" + capture + "' --json").out);
  EXPECT_EQ(shown["draws"], 1);
  EXPECT_EQ(shown["chains"].size(), 2U);
  EXPECT_EQ(shown["chains"][0]["jobs"][0]["mode"], "triangles");
  EXPECT_EQ(shown["programs"].size(), 2U);
  EXPECT_NE(run("info '" + capture + "'").out.find("draws 1"), std::string::npos);
}

}  // namespace
}  // namespace warpjit::tool
