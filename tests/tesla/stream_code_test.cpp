// What code of a kernel that streams asks of memory ahead, as processors are tuned: nothing that results show.
#include <gtest/gtest.h>

#include "backend/host.h"
#include "backend/target.h"
#include "ir/pipeline.h"
#include "support/source_dir.h"
#include "tesla/translate_test.h"

namespace warpjit::tesla {
namespace {

// The listing of a kernel's code in blocks of 256 threads.
std::string listing_of(const std::string& source, const Modes& modes, backend::Target target,
                       const backend::Tuning& tuning) {
  const auto container = assemble(source, "saxpy");
  EXPECT_TRUE(container.ok());
  ComputeFacts facts;
  facts.block = {256, 1, 1};
  facts.shared_bytes = 64;
  facts.modes = modes;
  auto f = translate(container->programs.at(0), facts);
  EXPECT_TRUE(f.ok()) << to_string(f.error());
  const auto program = ir::run_pipeline(std::move(*f), backend::pipeline_options(target));
  EXPECT_TRUE(program.ok());
  backend::CompileOptions options;
  options.tuning = tuning;
  options.listing = true;
  const auto code = backend::compile(*program, target, options);
  EXPECT_TRUE(code.ok()) << to_string(code.error());
  return code.ok() ? backend::list(*code) : "";
}

std::size_t count(const std::string& text, std::string_view wanted) {
  std::size_t found = 0;
  for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++found;
  return found;
}

class StreamCode : public testing::Test {
 protected:
  void SetUp() override {
    if (backend::find_host(backend::Target::x64_v3) == nullptr) GTEST_SKIP() << "built without it";
  }
  const std::string saxpy_ = read_text(tests::source_file("examples/tesla/saxpy.tesla"));
  const Modes fast_{.fast_fmad = true};
};

// Each line of the two arrays is asked for ahead, if the processor gains by it.
TEST_F(StreamCode, PrefetchesLines) {
  for (const backend::Target target : {backend::Target::x64_v3, backend::Target::x64_v4}) {
    SCOPED_TRACE(name(target));
    const std::string lines = listing_of(saxpy_, fast_, target, {.bytes_ahead = 8192});
    EXPECT_GE(count(lines, "prefetcht0"), 4U) << lines;
    EXPECT_EQ(count(listing_of(saxpy_, fast_, target, {.bytes_ahead = 0}), "prefetcht0"), 0U);
  }
}

}  // namespace
}  // namespace warpjit::tesla
