// Captures of Mali GPUs by the public class, from every file that has some.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "capture/valhall/chain_frames.h"
#include "support/source_dir.h"
#include "support/unpacked.h"
#include "valhall/dump_text_writer.h"
#include "warpjit/capture.hpp"
#include "warpjit/valhall.hpp"

namespace warpjit {
namespace {

using valhall::DumpDialect;
using valhall::DumpTextWriter;

std::vector<std::byte> seed(const std::string& name) {
  std::ifstream stream(tests::source_file("fuzz/corpus/valhall_capture/" + name), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// What a run shows, in its order.
struct ChainRun final : CaptureVisitor {
  explicit ChainRun(const CaptureInterest& wanted = {}) : wanted(wanted) {}
  CaptureInterest interest() const override { return wanted; }
  bool job(const CaptureJob& job) override {
    EXPECT_EQ(job.number, jobs.size());
    EXPECT_LE(frame, job.frame);
    frame = job.frame;
    jobs.emplace_back(job.what);
    for (const CaptureProgram& program : job.programs) {
      EXPECT_NE(program.report, nullptr);
      job_programs.emplace_back(program.stage);
    }
    return true;
  }
  bool draw(const CaptureDraw& draw) override {
    EXPECT_EQ(draw.job, jobs.size());
    draws.emplace_back(draw.what);
    std::string stages;
    for (const CaptureProgram& program : draw.programs) stages += std::string(program.stage) + " ";
    programs.push_back(stages);
    return draws.size() < most_draws;
  }
  bool picture(const CapturePicture& picture) override {
    EXPECT_TRUE(picture.address != 0 || picture.name == "depth");
    EXPECT_FALSE(picture.bytes.empty());
    auto& list = picture.draw ? targets : pictures;
    EXPECT_EQ(picture.draw.value_or(draws.size() - 1) + 1, draws.size());
    list.push_back(std::string(picture.name) + " " + std::string(picture.pixels.size(), '#'));
    bytes.emplace_back(picture.bytes.begin(), picture.bytes.end());
    pixels.emplace_back(picture.pixels.begin(), picture.pixels.end());
    if (picture.compared) compared.push_back(*picture.compared);
    return true;
  }

  CaptureInterest wanted;
  std::size_t frame = 0, most_draws = SIZE_MAX;
  std::vector<std::string> jobs, job_programs, draws, programs, pictures, targets;
  std::vector<std::vector<std::byte>> bytes, pixels;
  std::vector<CaptureComparison> compared;
};

Result<Capture> load(std::span<const std::byte> bytes) { return Capture::load(bytes, "frame"); }

ChainRun run_of(const Capture& capture, EngineKind kind = EngineKind::jit,
                const CaptureInterest& wanted = {}) {
  ChainRun seen(wanted);
  RunOptions options;
  options.engine = kind;
  const Status status = capture.run(Engine(), seen, options);
  EXPECT_TRUE(status.ok()) << (status ? std::string() : to_string(status.error()));
  return seen;
}

// A text with a block for each chain of a capture, all with the same memory.
void add_chains(DumpTextWriter& writer, const valhall::CaptureFile& file) {
  for (const valhall::JobChain& chain : file.chains) {
    writer.job(chain.address, chain.fragment ? "Fragment" : "Malloc vertex");
    for (const valhall::ImageWindow& window : file.image.windows())
      writer.buffer(window.address(), window.bytes());
  }
}

TEST(ChainCapture, ShowsWhatARunDoes) {
  const auto capture = load(seed("triangle.wjcap"));
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  EXPECT_EQ(capture->isa(), Isa::valhall);
  EXPECT_EQ(capture->frames(), 1u);
  EXPECT_EQ(capture->jobs(), 2u);
  const ChainRun jit = run_of(*capture), guest = run_of(*capture, EngineKind::guest);
  EXPECT_EQ(jit.jobs.size(), 2u);
  EXPECT_EQ(jit.jobs[0].find("malloc vertex at 0x"), 0u) << jit.jobs[0];
  EXPECT_EQ(jit.draws, std::vector<std::string>{"triangles of 3 vertices"});
  EXPECT_NE(jit.programs[0].find("fragment"), std::string::npos);
  EXPECT_FALSE(jit.pictures.empty());
  EXPECT_EQ(jit.pixels, guest.pixels);
  EXPECT_EQ(jit.bytes, guest.bytes);
  // A run leaves the capture as it was.
  EXPECT_EQ(run_of(*capture).bytes, jit.bytes);
  // The pictures are those of the guest's own class.
  struct Own final : valhall::CaptureVisitor {
    bool picture(const valhall::CapturePicture& picture) override {
      pixels.emplace_back(picture.pixels.begin(), picture.pixels.end());
      return true;
    }
    std::vector<std::vector<std::byte>> pixels;
  } own;
  auto other = valhall::Capture::load(seed("triangle.wjcap"), "frame");
  ASSERT_TRUE(other.ok() && other->run(Engine(), own).ok());
  EXPECT_EQ(own.pixels, jit.pixels);
}

TEST(ChainCapture, ShowsTargetsAfterEachDraw) {
  for (const char* name : {"triangle.wjcap", "samples.wjcap", "state.wjcap"}) {
    const auto capture = load(seed(name));
    ASSERT_TRUE(capture.ok()) << to_string(capture.error());
    const CaptureInterest all{.draws = true, .targets_of_draws = true};
    const ChainRun jit = run_of(*capture, EngineKind::jit, all), ir = run_of(*capture, EngineKind::ir, all),
                   none = run_of(*capture);
    EXPECT_FALSE(jit.targets.empty()) << name;
    EXPECT_TRUE(none.targets.empty());
    EXPECT_EQ(jit.targets, ir.targets);
    EXPECT_EQ(jit.bytes, ir.bytes);
    EXPECT_EQ(jit.pictures, none.pictures);
  }
}

TEST(ChainCapture, EndsWhereTheVisitorSaysSo) {
  const auto capture = load(seed("triangle.wjcap"));
  ASSERT_TRUE(capture.ok());
  ChainRun seen;
  seen.most_draws = 1;
  EXPECT_TRUE(capture->run(Engine(), seen).ok());
  EXPECT_EQ(seen.draws.size(), 1u);
  EXPECT_TRUE(seen.pictures.empty());
  EXPECT_EQ(seen.jobs.size(), 1u);
}

TEST(ChainCapture, ReadsTextsOfOneRun) {
  const std::vector<std::byte> bytes = seed("triangle.wjcap");
  const auto file = valhall::read_capture(bytes, "frame");
  const auto whole = load(bytes);
  ASSERT_TRUE(file.ok() && whole.ok());
  for (const DumpDialect dialect : {DumpDialect::older, DumpDialect::newer}) {
    DumpTextWriter first(dialect), second(dialect);
    add_chains(first, *file);
    add_chains(second, *file);
    const CaptureBytes files[] = {{first.bytes(), "run.0000"}, {second.bytes(), "run.0001"}};
    const auto capture = Capture::load(files);
    ASSERT_TRUE(capture.ok()) << to_string(capture.error());
    EXPECT_EQ(capture->frames(), 2u);
    EXPECT_EQ(capture->jobs(), 4u);
    EXPECT_EQ(capture->product(), 0x9093u);
    ASSERT_FALSE(capture->notes().empty());
    EXPECT_NE(capture->notes()[0].find("Mali-G57"), std::string::npos);
    const ChainRun wanted = run_of(*whole), seen = run_of(*capture);
    ASSERT_EQ(seen.pixels.size(), 2 * wanted.pixels.size());
    EXPECT_TRUE(std::equal(wanted.pixels.begin(), wanted.pixels.end(), seen.pixels.begin()));
    EXPECT_EQ(seen.frame, 1u);
  }
}

TEST(ChainCapture, WhatNamesNoJobsIsRefused) {
  std::vector<std::byte> records(24);
  records[0] = std::byte{0x10};
  records[8] = std::byte{8};
  const auto error = load(records);
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.error().code, ErrorCode::bad_input);
  EXPECT_NE(error.error().message.find("--job"), std::string::npos) << to_string(error.error());
  records.resize(20);
  const auto other = load(records);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("does not begin with WJC1"), std::string::npos);
  EXPECT_FALSE(load({}).ok());
  const std::vector<std::byte> bytes = seed("triangle.wjcap");
  const CaptureBytes two[] = {{bytes, "a"}, {bytes, "b"}};
  EXPECT_FALSE(Capture::load(two).ok());
  EXPECT_FALSE(Capture::load(std::span<const CaptureBytes>()).ok());
}

}  // namespace
}  // namespace warpjit
