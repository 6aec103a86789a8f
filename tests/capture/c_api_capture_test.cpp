// The C interface of captures: what a run shows, names, notes and files again.
#include <fstream>
#include <string>
#include <vector>

#include "runtime/c_api.h"
#include "support/source_dir.h"
#include "warpjit/capture.h"
#include "warpjit/pixels.h"

namespace warpjit::test {
namespace {

using OwnedCapture = Owned<warpjit_capture, warpjit_capture_destroy>;

std::string seed_bytes() {
  std::ifstream stream(tests::source_file("fuzz/corpus/valhall_capture/triangle.wjcap"), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct CSeen {
  std::vector<std::string> jobs, draws, pictures, stages;
  std::size_t targets = 0, most_draws = SIZE_MAX;

  warpjit_capture_visitor visitor() {
    auto visitor = sized<warpjit_capture_visitor>();
    visitor.context = this;
    visitor.job = [](void* context, const warpjit_capture_job* job) {
      auto& seen = *static_cast<CSeen*>(context);
      EXPECT_EQ(job->size, sizeof *job);
      EXPECT_EQ(job->number, seen.jobs.size());
      seen.jobs.emplace_back(job->what);
      return 1;
    };
    visitor.draw = [](void* context, const warpjit_capture_draw* draw) {
      auto& seen = *static_cast<CSeen*>(context);
      EXPECT_EQ(draw->drawn, 1u);
      seen.draws.emplace_back(draw->what);
      for (std::size_t n = 0; n < draw->program_count; ++n) {
        EXPECT_EQ(draw->programs[n].report->size, sizeof(warpjit_report));
        seen.stages.emplace_back(draw->programs[n].stage);
      }
      return seen.draws.size() < seen.most_draws ? 1 : 0;
    };
    visitor.picture = [](void* context, const warpjit_capture_picture* picture) {
      auto& seen = *static_cast<CSeen*>(context);
      EXPECT_NE(picture->bytes_size, 0u);
      if (picture->draw != WARPJIT_CAPTURE_NO_DRAW)
        ++seen.targets;
      else
        seen.pictures.emplace_back(picture->name);
      if (std::string(picture->name) == "color0") {
        EXPECT_EQ(picture->format, WARPJIT_PIXELS_RGBA8);
        EXPECT_EQ(picture->pixels_size, std::size_t{4} * picture->width * picture->height);
      }
      EXPECT_EQ(picture->compared, 0u);
      return 1;
    };
    return visitor;
  }
};

struct CApiCapture : ::testing::Test {
  warpjit_error error = sized<warpjit_error>();
  OwnedEngine engine;

  CApiCapture() { EXPECT_EQ(warpjit_engine_create(nullptr, engine.out(), &error), WARPJIT_OK); }
  OwnedCapture load(const std::string& bytes) {
    const warpjit_capture_file file{bytes.data(), bytes.size(), "frame.wjcap"};
    OwnedCapture capture;
    EXPECT_EQ(warpjit_capture_load(&file, 1, capture.out(), &error), WARPJIT_OK)
        << error.where << error.message;
    return capture;
  }
};

TEST_F(CApiCapture, ShowsARun) {
  const OwnedCapture capture = load(seed_bytes());
  EXPECT_EQ(warpjit_capture_isa(capture), WARPJIT_ISA_VALHALL);
  EXPECT_EQ(warpjit_capture_frames(capture), 1u);
  EXPECT_EQ(warpjit_capture_jobs(capture), 2u);
  CSeen seen;
  auto visitor = seen.visitor();
  ASSERT_EQ(warpjit_capture_run(capture, engine, &visitor, nullptr, &error), WARPJIT_OK) << error.message;
  EXPECT_EQ(seen.jobs.size(), 2u);
  EXPECT_EQ(seen.draws, std::vector<std::string>{"triangles of 3 vertices"});
  EXPECT_EQ(seen.stages.back(), "fragment");
  EXPECT_EQ(seen.pictures.front(), "color0");
  EXPECT_EQ(seen.targets, 0u);
  visitor.targets_of_draws = 1;
  CSeen apart;
  visitor.context = &apart;
  ASSERT_EQ(warpjit_capture_run(capture, engine, &visitor, nullptr, &error), WARPJIT_OK);
  EXPECT_NE(apart.targets, 0u);
  EXPECT_EQ(apart.pictures, seen.pictures);
  CSeen ended;
  ended.most_draws = 1;
  visitor.context = &ended;
  ASSERT_EQ(warpjit_capture_run(capture, engine, &visitor, nullptr, &error), WARPJIT_OK);
  EXPECT_TRUE(ended.pictures.empty());
  EXPECT_EQ(warpjit_capture_run(capture, engine, nullptr, nullptr, &error), WARPJIT_OK);
}

TEST_F(CApiCapture, KeepsNamesInItsFile) {
  const OwnedCapture capture = load(seed_bytes());
  const warpjit_capture_name name{WARPJIT_NAME_OF_DRAW, 0, "triangle"}, bad{9, 0, "triangle"},
      none{WARPJIT_NAME_OF_DRAW, 0, nullptr};
  EXPECT_EQ(warpjit_capture_set_names(capture, &bad, 1, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_capture_set_names(capture, &none, 1, &error), WARPJIT_BAD_INPUT);
  ASSERT_EQ(warpjit_capture_set_names(capture, &name, 1, &error), WARPJIT_OK);
  std::string bytes;
  const auto append = [](void* to, const void* part, std::size_t size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(part), size);
    return 1;
  };
  ASSERT_EQ(warpjit_capture_write(capture, append, &bytes, &error), WARPJIT_OK);
  const OwnedCapture again = load(bytes);
  ASSERT_EQ(warpjit_capture_name_count(again), 1u);
  warpjit_capture_name read{};
  ASSERT_EQ(warpjit_capture_get_name(again, 0, &read, &error), WARPJIT_OK);
  EXPECT_EQ(std::string(read.text), "triangle");
  EXPECT_EQ(read.of, WARPJIT_NAME_OF_DRAW);
  EXPECT_EQ(warpjit_capture_get_name(again, 1, &read, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_capture_note(again, warpjit_capture_note_count(again)), nullptr);
  EXPECT_EQ(warpjit_capture_product(again), warpjit_capture_product(capture));
  const auto full = [](void*, const void*, std::size_t) { return 0; };
  EXPECT_EQ(warpjit_capture_write(capture, full, nullptr, &error), WARPJIT_IO);
  EXPECT_EQ(warpjit_capture_write(capture, nullptr, nullptr, &error), WARPJIT_BAD_INPUT);
}

TEST_F(CApiCapture, RefusesWhatIsNoCapture) {
  warpjit_capture* capture = nullptr;
  const warpjit_capture_file file{"nothing", 7, nullptr};
  EXPECT_EQ(warpjit_capture_load(&file, 1, &capture, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(std::string(error.where), "capture, byte 0x0");
  EXPECT_EQ(warpjit_capture_load(nullptr, 1, &capture, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_capture_load(&file, 1, nullptr, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(capture, nullptr);
  EXPECT_EQ(warpjit_capture_isa(nullptr), -1);
  EXPECT_EQ(warpjit_capture_frames(nullptr), 0u);
  EXPECT_EQ(warpjit_capture_run(nullptr, engine, nullptr, nullptr, &error), WARPJIT_BAD_INPUT);
  warpjit_capture_destroy(nullptr);
}

}  // namespace
}  // namespace warpjit::test
