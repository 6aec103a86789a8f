// What sessions know of a program: which words are floats, its calls, the lines of its source.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/words.h"
#include "debug/any_capture.h"
#include "debug/saved_memory.h"
#include "frontend/shader.h"
#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/facts/instruction_facts.h"
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/facts/instruction_facts.h"
#include "frontend/valhall/assembly/assemble.h"
#include "frontend/valhall/facts/instruction_facts.h"
#include "guest/guest.h"
#include "support/own_folder.h"
#include "warpjit/debug.hpp"

namespace warpjit::tests {
namespace {

namespace fs = std::filesystem;

TEST(Words, AreWithoutBlanks) {
  EXPECT_EQ(text::words_of("  a bc\t\r\n d "), (std::vector<std::string_view>{"a", "bc", "d"}));
  EXPECT_TRUE(text::words_of(" \t").empty());
}

TEST(SavedMemory, IsPutBackAlsoByAnException) {
  std::vector<std::byte> bytes(8, std::byte{1});
  debug::SavedMemory memory;
  const auto change = [&] { bytes[3] = std::byte{7}; };
  ASSERT_TRUE(memory.lend({bytes}, change).ok());
  EXPECT_EQ(bytes[3], std::byte{1});
  const auto change_and_throw = [&] {
    change();
    throw std::runtime_error("in the middle");
  };
  EXPECT_THROW((void)memory.lend({bytes}, change_and_throw), std::runtime_error);
  EXPECT_EQ(bytes[3], std::byte{1});
}

// Vertices of a PICA200 program, as a launch file names it.
Result<Capture> pica_vertices(const std::string& source, const std::string& vertices, std::size_t count) {
  const fs::path folder = own_folder("warpjit-program-facts");
  std::ofstream(folder / "program.pica") << source;
  const fs::path launch = folder / "launch.json";
  std::ofstream(launch)
      << R"({"warpjit": 1, "isa": "pica200", "stage": "vertex", "program": {"file": "program.pica"},
    "count": )"
      << count << R"(, "inputs": {"v0": {"format": "f32x4", "data": [)" << vertices
      << R"(]}}, "outputs": {"o0": {"format": "f32x4"}}})";
  return tool::load_any_capture(launch.string());
}

constexpr const char* kNegatives = "-1,-2,0,0, -2,-3,0,0, -3,-4,0,0, -4,-5,0,0, -5,-1,0,0";

// -1 to -5 as integers have the bits of NaNs.
TEST(Births, AddressRegistersHoldNoFloats) {
  const auto capture =
      pica_vertices(".out result position\n.proc main\n  mova a0.xy, v0.xy\n  mov result, v0\n  end\n.end\n",
                    kNegatives, 5);
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  const auto births = find_births(*capture);
  ASSERT_TRUE(births.ok()) << to_string(births.error());
  EXPECT_TRUE(births->empty()) << births->front().text;

  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE(session->go({.number = 3}).ok());
  const auto found = session->search({.nan = true, .infinity = true, .copies = true}, 0);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->has_value());
  const auto step = session->step(0);
  ASSERT_TRUE(step.ok());
  ASSERT_EQ(step->writes.size(), 2U);
  EXPECT_EQ(step->writes[0].after, 0xfffffffcU);
  EXPECT_FALSE(step->writes[0].nan);
}

TEST(Births, OfNegativeRootsAreCounted) {
  const auto capture = pica_vertices(
      ".out result position\n.proc main\n  mova a0.xy, v0.xy\n  rsq r0.x, v0.x\n  mov result, r0.xxxx\n  "
      "end\n.end\n",
      kNegatives, 5);
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  const auto births = find_births(*capture);
  ASSERT_TRUE(births.ok()) << to_string(births.error());
  ASSERT_EQ(births->size(), 1U);
  EXPECT_EQ(births->front().address, 1U);
  EXPECT_EQ(births->front().count, 5U);
}

// "result operand": n none, h halves, s singles, u upper halves of doubles.
std::string floats(const std::vector<frontend::InstructionFacts>& facts) {
  std::string text;
  for (const frontend::InstructionFacts& one : facts) {
    for (const frontend::FloatFormats& formats : {one.results, one.operands})
      text += !formats.any() ? "n" : formats.single ? "s" : formats.half ? "h" : "u";
    text += one.calls ? "c " : " ";
  }
  return text;
}

TEST(InstructionFacts, SayWhichFloatsThereAre) {
  const auto tesla = tesla::assemble(
      "add rn f32 $r0 $r1 $r2\ncvt rni s32 $r0 f32 $r1\ncvt rn f32 $r0 s32 $r1\nset $r0 l f32 $r1 $r2\n"
      "add b32 $r0 $r1 $r2\nmul rn f64 $r0d $r2d $r4d\ncall #sub\nexit nop\nsub: ret\n",
      "test.tesla");
  ASSERT_TRUE(tesla.ok()) << to_string(tesla.error());
  EXPECT_EQ(floats(tesla::instruction_facts(tesla->programs[0])), "ss ns sn ns nn uu nnc nn nn ");

  const auto valhall = valhall::assemble(
      "FADD.f32 r0, r1, r2\nF32_TO_S32 r0, r1\nF16_TO_F32 r0, r1.h0\nFCMP_OR.f32.gt.m1 r0, r1, r2, 0x0\n"
      "IADD.u32 r0, r1, r2\nFMA.v2f16 r0, r1, r2, r3\nNOP.end\n",
      "test.valhall");
  ASSERT_TRUE(valhall.ok()) << to_string(valhall.error());
  EXPECT_EQ(floats(valhall::instruction_facts(*valhall)), "ss ns sh ns nn hh nn ");

  const auto usse = usse::assemble(
      "vmul.f32 r0, r2, r4\nvpck.u8.f32 r0.x, r2, r4\nvrcp.f32.f16 r0.x, r2.x\nand r0, r1, r2, rot:0\n"
      "br.link offset:sub\nnop.end\nsub: ret\n",
      "test.usse");
  ASSERT_TRUE(usse.ok()) << to_string(usse.error());
  EXPECT_EQ(floats(usse::instruction_facts(*usse)), "ss ns sh nn nnc nn nn ");
}

constexpr const char* kCalls =
    ".out result position\n"  // 1
    ".proc inner\n"           // 2
    "  add r0, r0, v0\n"      // 3
    ".end\n"                  // 4
    ".proc outer\n"           // 5
    "  mov r0, v0\n"          // 6
    "  call inner\n"          // 7
    ".end\n"                  // 8
    ".proc main\n"            // 9
    "  call outer\n"          // 10
    "  call inner\n"          // 11
    "  mov result, r0\n"      // 12
    "  end\n"                 // 13
    ".end\n";                 // 14

// The assembler puts a nop after a call that would end a procedure.
TEST(Calls, AreThoseThatAThreadIsIn) {
  const auto capture = pica_vertices(kCalls, "1,2,3,4", 1);
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE(session->go({}).ok());
  std::vector<std::size_t> depths;
  for (std::uint64_t step = 0; step < session->steps(); ++step) {
    ASSERT_TRUE(session->go_to(step).ok());
    const auto calls = session->calls(session->lane());
    ASSERT_TRUE(calls.ok()) << to_string(calls.error());
    depths.push_back(calls->size());
    if (calls->size() == 2) {
      EXPECT_EQ((*calls)[0].step, 0U);
      EXPECT_EQ((*calls)[1].step, 2U);
      EXPECT_EQ((*calls)[1].back, (*calls)[1].address + 1);
    }
  }
  // main, outer, outer, inner, outer, main, inner, main, main
  EXPECT_EQ(depths, (std::vector<std::size_t>{0, 1, 1, 2, 1, 0, 1, 0, 0}));
  EXPECT_FALSE(session->calls(session->lanes()).ok());
}

TEST(SourceNotes, HaveTheLineOfEachInstruction) {
  const auto capture = pica_vertices(kCalls, "1,2,3,4", 1);
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE(session->go({}).ok());
  const frontend::Shader& shader = frontend::shader_of(session->program());
  const tool::Guest& guest = tool::guest_of(Isa::pica200);
  EXPECT_EQ(shader.source_name(), "program.pica");
  const auto notes = guest.source_notes(shader, {"program.pica", kCalls});
  ASSERT_TRUE(notes.ok() && *notes);
  std::vector<std::uint32_t> lines;
  for (std::uint64_t step = 0; step < session->steps(); ++step)
    for (const auto& [address, line] : (*notes)->lines)
      if (address == session->step(step)->address) lines.push_back(line);
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{10, 6, 7, 3, 7, 11, 3, 12, 13}));
  // Captures keep the labels.
  EXPECT_EQ(guest.labels(shader), (*notes)->labels);
  EXPECT_TRUE(
      std::ranges::any_of((*notes)->labels, [](const auto& label) { return label.second == "outer"; }));
  // Another source than that of the program.
  const auto other =
      guest.source_notes(shader, {"program.pica", ".out o position\n.proc main\n  end\n.end\n"});
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE(other->has_value());
}

using Lines = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using Labels = std::vector<std::pair<std::uint32_t, std::string>>;

TEST(SourceNotes, HaveTheAddressesOfListings) {
  assembly::SourceNotes notes;
  ASSERT_TRUE(usse::assemble(".secondary\nnop.end\n.primary\n\nagain: nop\n.word 0x0 0x1\nnop.end\n",
                             "t.usse", &notes)
                  .ok());
  EXPECT_EQ(notes.lines, (Lines{{0, 5}, {1, 6}, {2, 6}, {3, 7}, {4, 2}}));
  EXPECT_EQ(notes.labels, (Labels{{0, "again"}}));

  notes = {};
  ASSERT_TRUE(valhall::assemble("NOP\n\nend:\nNOP.end\n", "t.valhall", &notes).ok());
  EXPECT_EQ(notes.lines, (Lines{{0, 1}, {8, 4}}));
  EXPECT_EQ(notes.labels, (Labels{{8, "end"}}));

  std::vector<assembly::SourceNotes> of_each;
  ASSERT_TRUE(tesla::assemble(".kernel a\nmov b32 $r0 $r1 {short}\nmov b32 $r0 $r1 {short}\non:\nexit nop\n"
                              ".kernel b\nexit nop\n",
                              "t.tesla", &of_each)
                  .ok());
  ASSERT_EQ(of_each.size(), 2U);
  EXPECT_EQ(of_each[0].lines, (Lines{{0, 2}, {4, 3}, {8, 5}}));
  EXPECT_EQ(of_each[0].labels, (Labels{{8, "on"}}));
  EXPECT_EQ(of_each[1].lines, (Lines{{0, 7}}));
}

}  // namespace
}  // namespace warpjit::tests
