// Captures: `render`, `import` and `launch --draw` of them.
#include "tool/cli.h"

namespace warpjit::tool {

namespace {

using nlohmann::json;

// A seed of the fuzz targets: one triangle over half of a target of 32 x 32 pixels.
std::string triangle_capture() {
  return "'" + tests::source_file("fuzz/corpus/valhall_capture/triangle.wjcap") + "'";
}

using CaptureTest = ToolTest;

TEST_F(CaptureTest, Render) {
  std::string hash;
  for (const char* engine : {"guest", "ir", "jit"}) {
    const Outcome ran = run(std::string("render --json --engine ") + engine + " " + triangle_capture() +
                            " -o " + path("pictures"));
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json shown = json::parse(ran.out);
    EXPECT_EQ(shown["isa"], "valhall");
    ASSERT_EQ(shown["draws"].size(), 1U);
    const json& draw = shown["draws"][0];
    EXPECT_EQ(draw["draw"], 0);
    EXPECT_EQ(draw["job"], "0x200001000");
    EXPECT_EQ(draw["fragment_job"], "0x200001180");
    EXPECT_EQ(draw["mode"], "triangles");
    EXPECT_EQ(draw["targets"], (json{"color0"}));
    EXPECT_EQ(draw["fragment"]["engine"], engine);
    ASSERT_EQ(shown["pictures"].size(), 2U);
    const json& picture = shown["pictures"][0];
    EXPECT_EQ(picture["format"], "rgba8");
    EXPECT_EQ(picture["stored"], true);
    if (!hash.empty()) {
      EXPECT_EQ(picture["hash"], hash);
    }
    hash = picture["hash"];
    EXPECT_TRUE(std::filesystem::exists(picture["file"].get<std::string>()));
  }
  const Outcome text = run("render " + triangle_capture() + " --show depth -o " + path("depth.png"));
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("color0 of fragment job 0x200001180: 32 x 32 pixels, rgba8\n"), std::string::npos)
      << text.out;
  EXPECT_TRUE(std::filesystem::exists(path("depth.png")));
}

TEST_F(CaptureTest, RenderErrors) {
  const Outcome outside = run("render --job 0x100 " + triangle_capture());
  EXPECT_EQ(outside.code, 2);
  EXPECT_NE(outside.err.find("job at 0x100: its 32 bytes at 0x100 are outside of the image"),
            std::string::npos)
      << outside.err;
  const Outcome word = run("render --job first " + triangle_capture());
  EXPECT_EQ(word.code, 2);
  EXPECT_NE(word.err.find("an address is a number"), std::string::npos) << word.err;
}

// The fragment program reads u0 to u3, of which its environment has two.
TEST_F(CaptureTest, RenderFaults) {
  std::string bytes = read(tests::source_file("fuzz/corpus/valhall_capture/triangle.wjcap"));
  constexpr std::size_t kMemory = 0x90, kFragmentEnvironment = 0xc0;
  bytes.at(kMemory + kFragmentEnvironment + 4) = 1;
  write("fault.wjcap", bytes);
  const std::string fault = "load from u2", said = "warpjit: fault: draw 0, fragment program: " + fault;
  for (const char* engine : {"guest", "ir", "jit"}) {
    const Outcome text = run(std::string("render fault.wjcap --engine ") + engine);
    EXPECT_EQ(text.code, 1);
    EXPECT_EQ(text.err.find(said + " at fault.wjcap, byte 0x10"), 0U) << text.err;
    const Outcome ran = run(std::string("render fault.wjcap --json --ignore-faults --engine ") + engine);
    EXPECT_EQ(ran.code, 0);
    EXPECT_NE(ran.err.find(said), std::string::npos) << ran.err;
    const json shown = json::parse(ran.out);
    ASSERT_EQ(shown["faults"].size(), 1U);
    EXPECT_EQ(shown["faults"][0]["draw"], 0);
    EXPECT_EQ(shown["faults"][0]["program"], "fragment");
    EXPECT_EQ(shown["faults"][0]["what"], fault);
    EXPECT_NE(shown["draws"][0]["fragment"]["fault"].get<std::string>().find(fault), std::string::npos);
  }
  // A draw alone.
  ASSERT_EQ(run("launch fault.wjcap --draw 0 -o draw.json").code, 0);
  const Outcome draw = run("render draw.json");
  EXPECT_EQ(draw.code, 1);
  EXPECT_NE(draw.err.find("warpjit: fault: " + fault), std::string::npos) << draw.err;
  EXPECT_EQ(run("render draw.json --ignore-faults").code, 0);
  EXPECT_TRUE(json::parse(run("render draw.json --json").out).contains("fault"));
}

TEST_F(CaptureTest, Import) {
  const Outcome made =
      run("import " + triangle_capture() + " --job 0x200001180 --note hello -o " + path("clear.wjcap"));
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("1 chains, 0 draws"), std::string::npos) << made.out;
  const Outcome ran = run("render --json " + path("clear.wjcap"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json shown = json::parse(ran.out);
  EXPECT_EQ(shown["draws"].size(), 0U);
  EXPECT_EQ(shown["pictures"].size(), 2U);
}

// Texts of a driver, one file or one for each chain.
TEST_F(CaptureTest, Texts) {
  const json wanted = json::parse(run("render --json " + triangle_capture()).out)["pictures"];
  for (const char* dialect : {"older", "newer"}) {
    const std::string text =
        read(tests::source_file(std::string("fuzz/corpus/valhall_dump_text/") + dialect + ".txt"));
    const std::size_t second = text.rfind("Job Header");
    write("whole.0000", text);
    write("run.9", text.substr(0, second));
    write("run.10", text.substr(second));
    for (const char* files : {"whole.0000", "run.10 run.9"}) {
      const Outcome ran = run(std::string("render --json ") + files);
      ASSERT_EQ(ran.code, 0) << ran.err;
      const json shown = json::parse(ran.out);
      ASSERT_EQ(shown["pictures"].size(), wanted.size());
      for (std::size_t k = 0; k < wanted.size(); ++k)
        EXPECT_EQ(shown["pictures"][k]["hash"], wanted[k]["hash"]);
      EXPECT_EQ(shown["gpu"], "0x9093");
      EXPECT_NE(ran.err.find("a Mali-G57 (0x9093) is assumed"), std::string::npos) << ran.err;
      const json listed = json::parse(run(std::string("info --json ") + files).out);
      EXPECT_EQ(listed["chains"].size(), 2U);
      EXPECT_EQ(listed["draws"], 1);
      EXPECT_FALSE(listed["notes"].empty());
    }
    const Outcome made = run("import run.9 run.10 --gpu G78 -o frame.wjcap");
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.err.find("Mali-G57"), std::string::npos) << made.err;
    const json again = json::parse(run("render --json frame.wjcap").out);
    EXPECT_EQ(again["pictures"][0]["hash"], wanted[0]["hash"]);
    EXPECT_EQ(again["gpu"], "0x9002");
    for (const char* files : {"frame.wjcap", "run.9 run.10"}) {
      const Outcome verified = run(std::string("verify --json ") + files);
      ASSERT_EQ(verified.code, 0) << verified.out << verified.err;
      const json all = json::parse(verified.out);
      EXPECT_EQ(all["ok"], true);
      EXPECT_EQ(all["jobs"], 2);
      EXPECT_GE(all["engines"].size(), 2U);
      EXPECT_EQ(run(std::string("launch ") + files + " --draw 0 -o draw.json").code, 0);
      EXPECT_EQ(run(std::string("info ") + files).code, 0);
    }
    EXPECT_NE(again["notes"].dump().find("imported from run.9, run.10"), std::string::npos);
    EXPECT_EQ(run("verify frame.wjcap --random 3").code, 2);
    const Outcome alone = run("render run.10 run.9 --gpu G52");
    EXPECT_EQ(alone.code, 2);
    EXPECT_NE(alone.err.find("is no Valhall GPU"), std::string::npos) << alone.err;
    EXPECT_EQ(run("render whole.0000 --job 0x100").code, 2);
    EXPECT_NE(
        run("render whole.0000 " + triangle_capture()).err.find("several files are one capture only if"),
        std::string::npos);
    write("trace.0000", text.substr(0, text.find("Buffer: ")));
    const Outcome trace = run("import trace.0000 -o frame.wjcap");
    EXPECT_EQ(trace.code, 2);
    EXPECT_NE(trace.err.find("trace.0000, line 1, byte 0x0: the chain of jobs at 0x200001000: no memory"),
              std::string::npos)
        << trace.err;
  }
}

// A launch file of the draw draws what the capture draws.
TEST_F(CaptureTest, Launch) {
  const Outcome made = run("launch " + triangle_capture() + " --draw 0 -o " + path("draw.json"));
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(std::filesystem::exists(path("draw.valhall")));
  const Outcome drawn = run("render " + path("draw.json") + " -o " + path("draw.png"));
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  ASSERT_EQ(run("render " + triangle_capture() + " -o " + path("whole.png")).code, 0);
  const Outcome same = run("render " + path("draw.json") + " --compare " + path("whole.png"));
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  const Outcome none = run("launch " + triangle_capture() + " --draw 1");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("no fragment job draws a draw 1"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace warpjit::tool
