// Launches that the C interface records.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/container/cubin.h"
#include "warpjit/capture.hpp"
#include "warpjit/launch_recorder.h"
#include "warpjit/warpjit.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tests {
namespace {

int take(void* to, const void* bytes, std::size_t size) {
  auto& all = *static_cast<std::vector<std::byte>*>(to);
  const auto* const from = static_cast<const std::byte*>(bytes);
  all.insert(all.end(), from, from + size);
  return 1;
}

TEST(LaunchRecorderC, RecordsAndRunsAgain) {
  warpjit_error error{};
  error.size = sizeof error;
  warpjit_engine* engine = nullptr;
  ASSERT_EQ(warpjit_engine_create(nullptr, &engine, &error), WARPJIT_OK) << error.message;
  // g14[0x1000] = 7
  const char source[] =
      ".kernel seven\n.registers 4\n  mov b32 $r0 0x1000\n  mov b32 $r1 0x7\n  exit st b32 g14[$r0] $r1\n";
  warpjit_program* program = nullptr;
  const auto container = tesla::assemble(source, "seven.tesla");
  ASSERT_TRUE(container.ok());
  const std::string cubin = tesla::write_text_cubin(*container);
  ASSERT_EQ(warpjit_program_load(cubin.data(), cubin.size(), nullptr, &program, &error), WARPJIT_OK)
      << error.message;
  warpjit_launch* launch = nullptr;
  ASSERT_EQ(warpjit_launch_create(program, &launch, &error), WARPJIT_OK);
  std::vector<std::uint64_t> memory(8);
  ASSERT_EQ(warpjit_launch_map_memory(launch, "g14", 0x1000, memory.data(), 64, &error), WARPJIT_OK);
  std::vector<std::byte> file;
  warpjit_launch_recorder* recorder = nullptr;
  EXPECT_EQ(warpjit_launch_recorder_create(nullptr, nullptr, &recorder, &error), WARPJIT_BAD_INPUT);
  ASSERT_EQ(warpjit_launch_recorder_create(take, &file, &recorder, &error), WARPJIT_OK);
  warpjit_report report{};
  report.size = sizeof report;
  ASSERT_EQ(warpjit_launch_recorder_run(recorder, engine, launch, nullptr, &report, &error), WARPJIT_OK)
      << error.message;
  EXPECT_EQ(memory[0], 7u);
  ASSERT_EQ(warpjit_launch_recorder_end_frame(recorder, &error), WARPJIT_OK);
  ASSERT_EQ(warpjit_launch_recorder_run(recorder, engine, launch, nullptr, nullptr, &error), WARPJIT_OK);
  ASSERT_EQ(warpjit_launch_recorder_finish(recorder, &error), WARPJIT_OK) << error.message;
  EXPECT_EQ(warpjit_launch_recorder_finish(recorder, &error), WARPJIT_BAD_INPUT);
  warpjit_launch_recorder_destroy(recorder);
  warpjit_launch_destroy(launch);
  warpjit_program_destroy(program);
  warpjit_engine_destroy(engine);
  const auto capture = Capture::load(file, "c.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  EXPECT_EQ(capture->jobs(), 2u);
  EXPECT_EQ(capture->frames(), 2u);
  struct : CaptureVisitor {
    bool picture(const CapturePicture& picture) override {
      equal = picture.compared && picture.compared->differ == 0;
      return true;
    }
    bool equal = false;
  } seen;
  ASSERT_TRUE(capture->run(Engine(), seen).ok());
  EXPECT_TRUE(seen.equal);
}

}  // namespace
}  // namespace warpjit::tests
