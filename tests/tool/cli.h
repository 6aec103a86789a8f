// What tests of the built tool share: it runs in a folder of the test's own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/source_dir.h"

namespace warpjit::tool {

// A generated source has them.
extern const char* const kToolPath;
extern const char* const kToolEmulator;  // what runs it, if it is for another machine

inline const std::string kExamples = tests::source_file("examples/pica200/");

class ToolTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("warpjit_cli_") + test->name() + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  struct Outcome {
    int code = -1;
    std::string out, err;
  };
  // Runs the tool in the test's folder.
  Outcome run(const std::string& arguments, const std::string& environment = "") const {
    const std::string out = path("stdout.txt"), err = path("stderr.txt");
    const std::string command = "cd '" + folder_.string() + "' && " + environment + " " +
                                setting("WARPJIT_TEST_EMULATOR", kToolEmulator) + " '" +
                                setting("WARPJIT_TEST_TOOL", kToolPath) + "' " + arguments + " >'" + out +
                                "' 2>'" + err + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
  }
  // The tool of another build, which the environment names (scripts/test-windows).
  static std::string setting(const char* name, const char* otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? text : otherwise;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  // A kernel's launch.
  static std::string source_launch(const std::string& name) {
    return "'" + tests::source_file("examples/tesla/" + name + ".json") + "'";
  }
  static std::string read(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(name).rdbuf();
    return text.str();
  }
  // A launch of raw words: mov o0, v0 over two vertices, and more members.
  void write_move(const std::string& name, const std::string& rest = "") const {
    write(
        name,
        R"({"warpjit":1,"isa":"pica200","stage":"vertex","program":{"words":["0x4c000000","0x88000000"],"descriptors":["0x0000036f"]},"count":2,
      "inputs":{"v0":{"format":"f32x4","data":[1,2,3,4,"0x7fc00000",-0.0,0,1e-45]}},"outputs":{"o0":{}})" +
            rest + "}");
  }
  // A launch whose threads never end.
  void write_endless(const std::string& name) const {
    write(
        name,
        R"({"warpjit":1,"isa":"pica200","stage":"vertex","program":{"words":["0xb0000000","0x88000000"]},"count":2,
      "state":{"cmp":[0,0]},"outputs":{"o0":{}}})");
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace warpjit::tool
