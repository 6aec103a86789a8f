// Text in, text out: each file of tests/ir/cases holds cases of
//
//   ;; passes of the case, as "simplify dce"
//   function ... { ... }
//   ;; gives
//   function ... { ... }
//
// With WARPJIT_UPDATE=1 in the environment the texts behind ";; gives" are written anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "ir/analysis/uniformity.h"
#include "ir/parser.h"
#include "ir/pass/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "support/source_dir.h"

namespace warpjit::ir {
namespace {

namespace fs = std::filesystem;

struct TextCase {
  std::string passes, before, after;
};

std::vector<TextCase> read_cases(const fs::path& file) {
  std::ifstream in(file);
  std::vector<TextCase> cases;
  std::string line;
  bool after = false;
  while (std::getline(in, line)) {
    if (line == ";; gives") {
      after = true;
    } else if (line.starts_with(";; ")) {
      cases.push_back({line.substr(3), "", ""});
      after = false;
    } else if (!cases.empty()) {
      (after ? cases.back().after : cases.back().before) += line + "\n";
    }
  }
  return cases;
}

// The text after all passes; a second function (of hoist) follows the first.
std::string run_passes(Function f, const std::string& passes) {
  static const std::map<std::string, void (*)(Function&)> kPasses = {
      {"simplify", simplify},
      {"gvn", number_values},
      {"dce", eliminate_dead_code},
      {"expand", expand_math},
      {"samples", expand_samples},
      {"floats", keep_floats},
      {"nans", drop_canonical_nans},
      {"uniformity", [](Function& g) { analyze_uniformity(g); }},
      {"entries", [](Function& g) { give_loops_one_entry(g); }},
      {"normalize", [](Function& g) { normalize_loops(g); }},
      {"linearize", [](Function& g) { EXPECT_TRUE(linearize(g, false)); }},
  };
  std::string preamble_text;
  std::istringstream names(passes);
  for (std::string name; names >> name;) {
    if (name == "hoist") {
      Function preamble;
      hoist_launch_uniform(f, preamble);
      EXPECT_TRUE(verify(preamble).ok()) << to_string(verify(preamble).error());
      preamble_text = print(preamble);
    } else {
      EXPECT_TRUE(kPasses.contains(name)) << name;
      if (kPasses.contains(name)) kPasses.at(name)(f);
    }
    const Status valid = verify(f);
    EXPECT_TRUE(valid.ok()) << name << ": " << to_string(valid.error());
  }
  return print(f) + preamble_text;
}

class PassText : public ::testing::TestWithParam<std::string> {};

TEST_P(PassText, Gives) {
  const fs::path file = tests::source_file("tests/ir/cases/" + GetParam() + ".ir");
  std::vector<TextCase> cases = read_cases(file);
  ASSERT_FALSE(cases.empty()) << file;
  for (TextCase& c : cases) {
    Result<Function> f = parse(c.before);
    ASSERT_TRUE(f.ok()) << file << ": " << to_string(f.error()) << "\n" << c.before;
    const std::string got = run_passes(std::move(*f), c.passes);
    if (std::getenv("WARPJIT_UPDATE") == nullptr) {
      EXPECT_EQ(got, c.after) << file << ", " << c.passes;
    }
    c.after = got;
  }
  if (std::getenv("WARPJIT_UPDATE") == nullptr) return;
  std::ofstream out(file);
  for (const TextCase& c : cases) out << ";; " << c.passes << "\n" << c.before << ";; gives\n" << c.after;
}

INSTANTIATE_TEST_SUITE_P(Cases, PassText,
                         ::testing::Values("control_flow", "gvn", "rows", "hoist", "dce", "expand", "floats",
                                           "fold", "entries", "samples"),
                         [](const auto& case_info) { return case_info.param; });

}  // namespace
}  // namespace warpjit::ir
