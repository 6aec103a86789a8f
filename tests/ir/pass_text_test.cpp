// Text in, text out: each file of tests/ir/cases holds cases of
//
//   ;; passes of the case, as "simplify dce"
//   function ... { ... }
//   ;; gives
//   function ... { ... }
//
// "in-order-of-use" is no pass: the text is compared in an order that does not depend on the compiler of the
// passes. With WARPJIT_UPDATE=1 in the environment the texts after ";; gives" are written anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <vector>

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

// The values a line names, in the order of the line; the first `results` of them are its results.
struct Line {
  std::string text;
  std::vector<unsigned> values;
  std::size_t results = 0;
};

Line read_line(const std::string& text) {
  Line line{text, {}, 0};
  const std::size_t equals = text.find(" = ");
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    line.values.push_back(static_cast<unsigned>(std::stoul(text.substr(at + 1))));
    if (equals != std::string::npos && at < equals) line.results = line.values.size();
  }
  return line;
}

// The same function with each block's instructions in the order of their uses, and values numbered by it:
// compilers differ in the order in which they evaluate arguments, and thus in what a pass that nests calls of
// the builder makes first.
std::string in_order_of_use(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> ordered;
  std::vector<Line> block;
  std::map<unsigned, std::size_t> defined;  // by value: its line in `block`
  std::vector<bool> done;
  const std::function<void(std::size_t)> place = [&](std::size_t number) {
    if (done[number]) return;
    done[number] = true;
    const Line& line = block[number];
    for (std::size_t k = line.results; k < line.values.size(); ++k)
      if (const auto found = defined.find(line.values[k]); found != defined.end()) place(found->second);
    ordered.push_back(line.text);
  };
  const auto end_block = [&] {
    done.assign(block.size(), false);
    for (std::size_t k = 0; k < block.size(); ++k)
      if (block[k].results == 0) place(k);
    for (std::size_t k = 0; k < block.size(); ++k) place(k);
    block.clear();
    defined.clear();
  };
  for (std::string text_line; std::getline(in, text_line);) {
    if (text_line.starts_with("  ")) {
      block.push_back(read_line(text_line));
      for (std::size_t k = 0; k < block.back().results; ++k)
        defined[block.back().values[k]] = block.size() - 1;
    } else {
      end_block();
      ordered.push_back(text_line);
    }
  }
  end_block();
  std::map<unsigned, std::size_t> number;
  std::string made;
  for (const std::string& line : ordered) {
    for (std::size_t at = 0; at < line.size(); ++at) {
      made += line[at];
      if (line[at] != '%') continue;
      std::size_t length = 0;
      const auto value = static_cast<unsigned>(std::stoul(line.substr(at + 1), &length));
      made += std::to_string(number.emplace(value, number.size()).first->second);
      at += length;
    }
    made += '\n';
  }
  return made;
}

// The text after all passes; a second function (of hoist) follows the first.
std::string run_passes(Function f, const std::string& passes) {
  static const std::map<std::string, void (*)(Function&)> kPasses = {
      {"simplify", simplify},
      {"gvn", [](Function& g) { number_values(g); }},
      {"dce", eliminate_dead_code},
      {"freeze", [](Function& g) { freeze_left_lanes(g, true); }},
      {"ahead", [](Function& g) { pull_ahead_of_exits(g, false); }},
      {"turns", [](Function& g) { pull_ahead_of_exits(g, true); }},
      {"addresses", split_addresses},
      {"lanes", [](Function& g) { fold_lane_sets(g); }},
      {"unroll", [](Function& g) { unroll_loops(g); }},
      {"places", [](Function& g) { assign_lanes(g, g.group_lanes); }},
      {"expand", expand_math},
      {"samples", [](Function& g) { EXPECT_TRUE(expand_samples(g)); }},
      {"floats", keep_floats},
      {"nans", drop_canonical_nans},
      {"gather", gather_canonical_nans},
      {"divisors", multiply_by_reciprocals},
      {"uniformity", [](Function& g) { analyze_uniformity(g); }},
      {"entries", [](Function& g) { give_loops_one_entry(g); }},
      {"normalize", [](Function& g) { normalize_loops(g); }},
      {"linearize", [](Function& g) { EXPECT_TRUE(linearize(g, false)); }},
  };
  std::string preamble_text;
  Function preamble;
  bool by_use = false;
  std::istringstream names(passes);
  for (std::string name; names >> name;) {
    if (name == "in-order-of-use") {
      by_use = true;
    } else if (name == "hoist") {
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
  return (by_use ? in_order_of_use(print(f)) : print(f)) + preamble_text;
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
                         ::testing::Values("control_flow", "gvn", "rows", "hoist", "dce", "freeze", "ahead",
                                           "lanes", "unroll", "addresses", "expand", "floats", "fold",
                                           "entries", "samples"),
                         [](const auto& case_info) { return case_info.param; });

}  // namespace
}  // namespace warpjit::ir
