// The cases shared by everyone who implements this ISA, on the guest interpreter.
#include <fstream>

#include "pica200/pica_test.h"
#include "support/pica_cases.h"

namespace warpjit::pica200 {
namespace {

TEST(PicaSharedGate, GuestInterpreter) {
  const std::string path = tests::pica_cases_path();
  if (!std::ifstream(path)) GTEST_SKIP() << path << " is not there";
  const auto cases = tests::load_pica_cases(path);
  ASSERT_TRUE(cases.ok()) << to_string(cases.error());
  int runs = 0;
  for (const tests::PicaCase& test : *cases) {
    if (test.tier != "gate") continue;
    for (const tests::PicaRun& wanted : test.runs) {
      if (wanted.geometry) continue;
      const Finished result = run(test.program, wanted.start, test.uniforms);
      ASSERT_TRUE(result.status.ok()) << test.name << ": " << to_string(result.status.error());
      for (const tests::PicaExpectation& expected : wanted.expect)
        if (const auto wrong = tests::mismatch(expected, result.state))
          ADD_FAILURE() << test.name << ": " << *wrong;
      ++runs;
    }
  }
  EXPECT_GT(runs, 300);
  RecordProperty("runs", runs);
}

}  // namespace
}  // namespace warpjit::pica200
