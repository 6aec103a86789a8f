// All threads of all shipped examples: what they leave in the guest interpreter, while an observer sees them, is what
// compiled code leaves, and what registers and stores say of it.
#include <gtest/gtest.h>

#include <filesystem>

#include "debug/any_capture.h"
#include "debug/observed_runs.h"
#include "support/share.h"
#include "support/source_dir.h"
#include "support/unpacked.h"

namespace warpjit::tests {
namespace {

namespace fs = std::filesystem;

// Launch files, scenes and captures, by their paths below examples/.
std::vector<std::string> examples() {
  std::vector<std::string> files;
  const fs::path folder = source_file("examples");
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string type = entry.path().extension().string();
    if (type == ".json" || type == ".launch" || type == ".wjcap")
      files.push_back(fs::relative(entry.path(), folder).generic_string());
  }
  std::ranges::sort(files);
  return files;
}

class EveryLane : public testing::TestWithParam<std::string> {};

TEST_P(EveryLane, AgreesWithCompiledCode) {
  const std::vector<std::string> all = examples();
  if (!in_share(static_cast<std::uint64_t>(std::ranges::find(all, GetParam()) - all.begin())))
    GTEST_SKIP() << "not of this share";
  // Its threads race: what they leave depends on who runs first.
  if (GetParam() == "debug/race.launch") GTEST_SKIP();
  const auto capture = tool::load_any_capture(source_file("examples/" + GetParam()));
  // Some files are data of programs, and some need liblzma.
  if (!capture) GTEST_SKIP() << to_string(capture.error());
  const Engine engine;
  ObservedRuns observer(engine);
  CaptureVisitor nobody;
  RunOptions options;
  options.threads = 1;
  const Status ran = capture->run(engine, nobody, options);
  EXPECT_TRUE(ran.ok()) << to_string(ran.error());
  EXPECT_EQ(observer.failed_alone(), "");
  const ObservedRuns::Counts& seen = observer.counts();
  EXPECT_GT(seen.programs, 0u);
  EXPECT_GT(seen.steps, 0u);
  std::printf(
      "%llu programs, %llu groups, %llu steps, %llu words of results in registers, %llu stored bytes\n",
      static_cast<unsigned long long>(seen.programs), static_cast<unsigned long long>(seen.groups),
      static_cast<unsigned long long>(seen.steps), static_cast<unsigned long long>(seen.words),
      static_cast<unsigned long long>(seen.stored));
}

INSTANTIATE_TEST_SUITE_P(Examples, EveryLane, testing::ValuesIn(examples()), [](const auto& chosen) {
  std::string name = chosen.param;
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
});

TEST(EveryLaneOf, ThereAreExamplesOfAllGuests) {
  std::array<unsigned, 4> count{};
  for (const std::string& file : examples())
    if (const auto capture = tool::load_any_capture(source_file("examples/" + file)))
      ++count.at(static_cast<std::size_t>(capture->isa()));
  for (const unsigned files : count) EXPECT_GT(files, 5u);
}

}  // namespace
}  // namespace warpjit::tests
