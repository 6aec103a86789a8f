// The built tool on programs: assembly, listings, containers.
#include "frontend/tesla/assembly/assemble.h"
#include "support/elf_cubin.h"
#include "tool/cli.h"

namespace warpjit::tool {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using CliTest = ToolTest;

TEST_F(CliTest, AssembleAndDisassemble) {
  for (const char* name : {"mvp_light", "skin_loop", "branchy", "breakc_loop"}) {
    ASSERT_EQ(run("asm " + kExamples + name + ".v.pica -o a.shbin").code, 0) << name;
    EXPECT_EQ(read(path("a.shbin")), read(kExamples + name + ".shbin")) << name;
  }
  // A listing gives the container back.
  for (const char* name : {"mvp_light", "skin_loop", "branchy", "breakc_loop", "point_quads"})
    for (const char* form : {"", " --exact", " --no-words", " --no-names"}) {
      const std::string file = kExamples + name + ".shbin";
      ASSERT_EQ(run("disasm " + file + form + " -o again.pica").code, 0);
      const Outcome assembled = run("asm again.pica -o b.shbin");
      ASSERT_EQ(assembled.code, 0) << assembled.err;
      EXPECT_EQ(read(path("b.shbin")), read(file)) << name << form;
    }
  // One program of several: its tables alone.
  const std::string one = run("disasm " + kExamples + "point_quads.shbin --program geometry").out;
  EXPECT_EQ(one.find(".program"), std::string::npos) << one;
  EXPECT_NE(one.find(".gsh"), std::string::npos) << one;
  write("bad.v.pica", ".proc main\n bogus\n.end\n");
  const Outcome bad = run("asm bad.v.pica -o c.shbin");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("bad.v.pica:2"), std::string::npos) << bad.err;
  EXPECT_EQ(run("asm bad.v.pica").code, 2);
}

TEST_F(CliTest, AssemblerWarnings) {
  write("w.v.pica", ".out p position\n.constf k(1/4, 0, 0, 0)\n.proc main\n mov p, k\n.end\n");
  const Outcome warned = run("asm w.v.pica -o w.shbin");
  EXPECT_EQ(warned.code, 0);
  EXPECT_NE(warned.err.find("w.v.pica:2:11: warning: this is 0.25 here; picasso reads 1"), std::string::npos)
      << warned.err;
  EXPECT_NE(warned.err.find("w.v.pica:4:2: warning: the program has no `end` here"), std::string::npos);
  const json made = json::parse(run("asm w.v.pica --json").out);
  ASSERT_EQ(made["warnings"].size(), 2u);
  EXPECT_EQ(made["warnings"][1]["where"], "w.v.pica:4:2");
  const Outcome refused = run("asm w.v.pica --werror -o none.shbin");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("w.v.pica:4:2: error: "), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists(path("none.shbin")));
  // Where it runs, every engine names the last word.
  ASSERT_EQ(run("launch w.shbin -o w.json").code, 0);
  for (const char* engine : {"guest", "ir"}) {
    const Outcome ran = run(std::string("run w.json --engine ") + engine);
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find("w.shbin, word 0"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("without an `end`"), std::string::npos) << ran.err;
  }
  write("fine.v.pica", ".out p position\n.proc main\n mov p, v0\n end\n.end\n");
  EXPECT_FALSE(json::parse(run("asm fine.v.pica --json --werror").out).contains("warnings"));
  // Sources of an unknown kind.
  write("odd.txt", "nothing\n");
  const Outcome odd = run("asm odd.txt -o none.shbin");
  EXPECT_EQ(odd.code, 2);
  EXPECT_NE(odd.err.find("odd.txt is taken as a source of pica200"), std::string::npos) << odd.err;
}

// Listings say why a word is no instruction.
TEST_F(CliTest, ReasonsOfUndefinedWords) {
  write("code.bin", std::string("\0\0\0\x4c\1\0\0\x40\0\0\0\x88", 12));
  const std::string reason = "no instruction has the opcode 0x10 (bits 26-31)";
  EXPECT_NE(run("disasm code.bin --words pica200").out.find(reason), std::string::npos);
  const json listed = json::parse(run("disasm code.bin --words pica200 --json").out);
  EXPECT_EQ(listed["code"][1]["reason"], reason);
  EXPECT_FALSE(listed["code"][0].contains("reason"));
}

TEST_F(CliTest, UsseListings) {
  write("count.usse",
        ".stage fragment\nphas.imm mode:0, rate:0, wait:7, temps:0, address:0\nvmov.f32 r0.x, pa2\n"
        "out: p0 br offset:out\nnop.end\n");
  ASSERT_EQ(run("asm count.usse -o count.bin").code, 0);
  EXPECT_EQ(read(path("count.bin")).size(), 32U);
  const std::string words = " count.bin --words usse --program fragment";
  ASSERT_EQ(run("disasm" + words + " -o again.usse").code, 0);
  const std::string listing = read(path("again.usse"));
  EXPECT_NE(listing.find("p0 br offset:L0002"), std::string::npos) << listing;
  ASSERT_EQ(run("asm again.usse -o again.bin").code, 0);
  EXPECT_EQ(read(path("again.bin")), read(path("count.bin")));
  const json rows = json::parse(run("disasm --json" + words).out)["code"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[3]["text"], "nop.end");
  EXPECT_EQ(rows[3]["section"], "primary");
  const json info = json::parse(run("info --json count.usse").out)["programs"][0];
  EXPECT_EQ(info["stage"], "fragment");
  EXPECT_EQ(info["instructions"]["vmov"], 1);
  for (const std::string& command : {"launch" + words, "ir" + words, "host --target v3" + words}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << command << outcome.err;
  }

  fs::copy_file(tests::source_file("fuzz/corpus/usse_gxp/vertex"), path("a.gxp"));
  const json container = json::parse(run("info --json a.gxp").out)["programs"][0];
  EXPECT_EQ(container["stage"], "vertex");
  EXPECT_EQ(container["parameters"][0]["name"], "aPosition");
  EXPECT_EQ(container["parameters"][0]["semantic"], "position2");
  EXPECT_EQ(container["literals"][0]["value"], "0x3f800000");
  EXPECT_EQ(container["vertex_outputs"][3]["name"], "texcoord0");
  EXPECT_NE(run("disasm a.gxp").out.find(".secondary"), std::string::npos);
  fs::copy_file(tests::source_file("fuzz/corpus/usse_gxp/fragment"), path("b.gxp"));
  const json fragment = json::parse(run("info --json b.gxp").out)["programs"][0];
  EXPECT_EQ(fragment["fragment_inputs"][1]["sampled"]["unit"], 3);
  EXPECT_EQ(fragment["fragment_output"]["type"], "f16");
}

// Text and ELF cubins are told apart by their content, not by their name.
TEST_F(CliTest, Cubins) {
  const std::string source = read(kKernels + "saxpy.tesla");
  const auto container = tesla::assemble(source, "saxpy.tesla");
  ASSERT_TRUE(container) << to_string(container.error());
  const std::vector<std::byte> elf = tests::write_elf_cubin(*container);
  write("elf.bin", {reinterpret_cast<const char*>(elf.data()), elf.size()});
  ASSERT_EQ(run("asm '" + kKernels + "saxpy.tesla' -o text.bin").code, 0);
  for (const char* file : {"elf.bin", "text.bin"}) {
    EXPECT_EQ(json::parse(run(std::string("info --json ") + file).out)["programs"][0]["name"], "saxpy")
        << file;
    const Outcome made = run(std::string("launch -o run.json --entry saxpy ") + file);
    ASSERT_EQ(made.code, 0) << file << made.err;
    const Outcome ran = run("run run.json --fuel 1000 --ignore-faults");
    EXPECT_TRUE(ran.code == 0 || ran.code == 3) << file << ran.err;
    EXPECT_EQ(run(std::string("disasm --entry saxpy ") + file).code, 0) << file;
  }
  EXPECT_EQ(run("launch --entry nothing elf.bin").code, 2);
}

}  // namespace
}  // namespace warpjit::tool
