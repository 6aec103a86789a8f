// Programs of all guests as sections of captures.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "capture/program_section.h"
#include "frontend/shader.h"
#include "hostile_bytes.h"
#include "launch/read_launch.h"
#include "support/source_dir.h"

namespace warpjit::tests {
namespace {

namespace fs = std::filesystem;
using capture::FileGuest;
using capture::guest_of;

void expect_kept(const std::shared_ptr<const frontend::Shader>& shader) {
  const Program program(shader);
  std::vector<std::byte> file;
  capture::SectionWriter writer(append, &file, guest_of(program.isa()));
  const Status written = capture::write_program(writer, program);
  ASSERT_TRUE(written.ok()) << to_string(written.error());
  ASSERT_TRUE(writer.finish().ok());
  const auto sections = capture::read_sections(file, "file");
  ASSERT_TRUE(sections.ok());
  ASSERT_EQ(sections->sections.size(), 1u);
  const auto again = capture::read_program(sections->file, sections->sections[0], sections->guest);
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_EQ(again->stage(), program.stage());
  EXPECT_EQ(again->entry(), program.entry());
  EXPECT_EQ(again->source_name(), program.source_name());
  frontend::Values before, after;
  shader->reset(before);
  frontend::shader_of(*again).reset(after);
  EXPECT_EQ(before.words, after.words);
  EXPECT_EQ(before.bools, after.bools);
  // Written again, it is the same.
  std::vector<std::byte> second;
  capture::SectionWriter rewriter(append, &second, guest_of(program.isa()));
  ASSERT_TRUE(capture::write_program(rewriter, *again).ok());
  ASSERT_TRUE(rewriter.finish().ok());
  const auto [a, b] = std::ranges::mismatch(second, file);
  EXPECT_TRUE(a == second.end() && b == file.end()) << "byte " << a - second.begin();
  // Cut anywhere, it is an error and no other program.
  for (std::size_t size = sections->sections[0].bytes.size(); size-- > 0;) {
    if (size > 200 && size % 97 != 0) continue;
    capture::Section cut = sections->sections[0];
    cut.bytes = cut.bytes.first(size);
    (void)capture::read_program(sections->file, cut, sections->guest);
  }
}

TEST(ProgramSection, ProgramsOfAllExamplesAreKept) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source_file("examples"))) {
    if (entry.path().extension() != ".json") continue;
    const auto launch = tool::read_launch(entry.path());
    if (!launch) continue;
    SCOPED_TRACE(entry.path().string());
    expect_kept(launch->program);
    for (const auto& stages : {launch->vertex, launch->geometry_stage})
      for (const tool::LaunchFile& stage : stages) expect_kept(stage.program);
    ++count;
  }
  EXPECT_GE(count, 50u);
}

}  // namespace
}  // namespace warpjit::tests
