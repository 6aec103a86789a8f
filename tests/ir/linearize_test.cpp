// Text in, text out: each file of tests/ir/linearize holds a thread form and, after a line of dashes, the
// group form that the pipeline makes of it. WARPJIT_UPDATE=1 rewrites the second part, for review.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/parser.h"
#include "ir/pipeline.h"
#include "ir/printer.h"
#include "support/source_dir.h"

namespace warpjit::ir {
namespace {

constexpr std::string_view kLine = "----\n";

class LinearizeText : public ::testing::TestWithParam<std::string> {};

TEST_P(LinearizeText, GivesTheGroupForm) {
  const std::string path = tests::source_file("tests/ir/linearize/" + GetParam() + ".ir");
  std::stringstream content;
  content << std::ifstream(path).rdbuf();
  const std::string text = content.str();
  const std::size_t line = text.find(kLine);
  ASSERT_NE(line, std::string::npos) << path;
  const auto thread_form = parse(text.substr(0, line));
  ASSERT_TRUE(thread_form.ok()) << path << ":" << to_string(thread_form.error());
  PipelineOptions options;
  options.verify = true;
  const auto program = run_pipeline(*thread_form, options);
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const std::string made = print(program->kernel);
  if (std::getenv("WARPJIT_UPDATE") != nullptr) {
    std::ofstream(path) << text.substr(0, line) << kLine << made;
    return;
  }
  EXPECT_EQ(made, text.substr(line + kLine.size()));
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_file("tests/ir/linearize")))
    if (entry.path().extension() == ".ir") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, LinearizeText, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpjit::ir
