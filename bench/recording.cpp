// What recording a capture costs: the same frames without and with it, ten alternating runs of each, of which the
// median counts. Beside it how long it takes to compare what draws read with a copy, and to copy what they leave, without
// which nothing is recorded. Times are those of the processor, so that other programs count little.
//   bench_recording [NAME]                    all cases, or those whose name has NAME in it
//   bench_recording NAME off|on|least FRAMES  runs FRAMES frames of the first such case, for a profiler
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/vector.h"
#include "capture/launch/recorded_launch.h"
#include "device/pica200/pipeline.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "scene/load_scene.h"
#include "warpjit/launch_recorder.hpp"
#include "warpjit/pica200.hpp"

namespace {

using namespace warpjit;
using pica200::Pipeline;
using pica200::Scene;

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "bench_recording: %s\n", to_string(error).c_str());
  std::exit(2);
}
void require(const Status& status) {
  if (!status) fail(status.error());
}
template <class T>
T take(Result<T> result) {
  if (!result) fail(result.error());
  return std::move(*result);
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool write_file(void* file, std::span<const std::byte> bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), static_cast<std::FILE*>(file)) == bytes.size();
}
std::FILE* scratch_file() {
  static std::FILE* const file = std::tmpfile();
  std::rewind(file);
  return file;
}

// Frames of one kind: begin(how), then frames, then end().
enum class How { off, on, least };
class Case {
 public:
  explicit Case(std::string name) : name_(std::move(name)) {}
  virtual ~Case() = default;
  const std::string& name() const { return name_; }
  virtual void begin(How) {}
  virtual void frame() = 0;
  virtual void end() {}

 private:
  std::string name_;
};

// ---- Frames of the 3DS

// Memory that a job reads or leaves, with what is known of it.
struct Bound {
  std::span<const std::byte> bytes;
  bool reads = true, writes = false;
  std::vector<std::byte> known{};
};
// What no recording does without: what is read is compared with what is known, and what is left is copied, or at least
// read, if a hash of it is all that a file has.
void look_at(std::vector<Bound>& all) {
  static std::atomic<std::uint64_t> sums;
  for (Bound& bound : all) {
    if (bound.reads && std::memcmp(bound.bytes.data(), bound.known.data(), bound.bytes.size()) != 0)
      std::abort();
    if (!bound.writes) continue;
    if (bound.reads) {
      std::memcpy(bound.known.data(), bound.bytes.data(), bound.bytes.size());
      continue;
    }
    using Words = Vector<std::uint64_t, 2>;
    Words sum[4] = {};
    for (std::size_t at = 0; at + sizeof sum <= bound.bytes.size(); at += sizeof sum)
      for (std::size_t k = 0; k < std::size(sum); ++k) {
        Words words;
        std::memcpy(&words, bound.bytes.data() + at + k * sizeof words, sizeof words);
        sum[k] += words;
      }
    const Words all = sum[0] + sum[1] + (sum[2] + sum[3]);
    sums.store(all[0] + all[1], std::memory_order_relaxed);
  }
}

struct Draws final : pica200::CommandVisitor {
  bool draw(const Result<pica200::DrawResult>& result) override {
    if (result && seen != nullptr) {
      add(std::as_bytes(result->vertices));
      add(std::as_bytes(result->indices));
    }
    return result.ok();
  }
  void add(std::span<const std::byte> bytes) const {
    if (!bytes.empty()) seen->push_back({bytes, false, true, {bytes.begin(), bytes.end()}});
  }
  std::vector<Bound>* seen = nullptr;
};
// Bytes that several have, once.
std::vector<Bound> united(std::vector<Bound> all) {
  std::ranges::sort(all, {}, [](const Bound& bound) { return bound.bytes.data(); });
  std::vector<Bound> apart;
  for (const Bound& bound : all) {
    const std::byte* const end = bound.bytes.data() + bound.bytes.size();
    if (apart.empty() || bound.bytes.data() > apart.back().bytes.data() + apart.back().bytes.size()) {
      apart.push_back(bound);
      continue;
    }
    Bound& last = apart.back();
    last.bytes = {last.bytes.data(), std::max(end, last.bytes.data() + last.bytes.size())};
    last.writes = last.writes || bound.writes;
  }
  for (Bound& bound : apart) bound.known.assign(bound.bytes.begin(), bound.bytes.end());
  return apart;
}
struct Reads final : pica200::MemoryWatch {
  void reach(const std::byte* data, std::size_t size, bool) override { seen.push_back({{data, size}}); }
  std::vector<Bound> take() { return united(std::exchange(seen, {})); }
  std::vector<Bound> seen;
};

class PipelineCase : public Case {
 public:
  PipelineCase(const std::string& name, const std::string& scene)
      : Case(name),
        scene_(take(tool::load_scene(WARPJIT_EXAMPLES "pica200/scenes/" + scene + "/scene.json"))) {
    std::vector<pica200::MemoryRange> ranges;
    for (const auto& piece : scene_.memory)
      ranges.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
    require(pipeline_.set_memory(ranges));
    for (const auto& job : scene_.jobs)
      if (const auto* list = std::get_if<pica200::CommandList>(&job))
        for (const auto& piece : scene_.memory)
          if (list->address - piece.address < piece.bytes.size()) {
            std::vector<std::uint32_t>& words = lists_.emplace_back(list->bytes / 4);
            std::memcpy(words.data(), piece.bytes.data() + (list->address - piece.address), list->bytes);
          }
    options_.threads = 1;
  }
  void begin(How how) override {
    if (how == How::on) require(pipeline_.record(write_file, scratch_file()));
    how_ = how;
    if (how != How::least || !memory_.empty()) return;
    pica200::PipelineState& state = watched_;
    std::vector<pica200::MemoryRange> ranges;
    for (const auto& piece : scene_.memory)
      ranges.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
    require(state.attributes.set_memory(ranges));
    require(state.load(take(pipeline_.save())));
    Reads reads;
    Draws draws;
    draws.seen = &memory_;
    state.kept = &reads;
    observe(state, draws, reads);
    state.kept = nullptr;
  }
  void end() override {
    if (how_ == How::on) require(pipeline_.end_record());
  }
  void frame() override {
    if (how_ == How::least)
      look_at(memory_);
    else
      draw();
  }
  // What is drawn in a frame, in a pipeline that is watched.
  virtual void observe(pica200::PipelineState& state, Draws& draws, Reads& reads) {
    for (const std::vector<std::uint32_t>& words : lists_)
      require(state.run_commands(engine_, words, draws, options_));
    std::ranges::move(reads.take(), std::back_inserter(memory_));
  }

 protected:
  virtual void draw() {
    Draws visitor;
    for (const std::vector<std::uint32_t>& words : lists_)
      require(pipeline_.run_commands(engine_, words, visitor, options_));
  }

  Scene scene_;
  std::vector<std::vector<std::uint32_t>> lists_;
  Pipeline pipeline_;
  Engine engine_;
  RunOptions options_;
  pica200::PipelineState watched_;  // whose results memory_ has
  std::vector<Bound> memory_;
  How how_ = How::off;
};

// An emulator that writes registers and draws itself: a call each.
class CallsCase final : public PipelineCase {
 public:
  CallsCase(const std::string& name, const std::string& scene) : PipelineCase(name, scene) {
    for (const std::vector<std::uint32_t>& words : lists_)
      for (std::size_t at = 0; at + 1 < words.size();) {
        const std::uint32_t header = words[at + 1], others = header >> 20 & 0xFF;
        std::vector<std::uint32_t> values = {words[at]};
        values.insert(values.end(), words.begin() + static_cast<std::ptrdiff_t>(at + 2),
                      words.begin() + static_cast<std::ptrdiff_t>(at + 2 + others));
        packets_.push_back({header, std::move(values)});
        at += (2 + others + 1) / 2 * 2;
      }
  }
  void draw() override {
    Draws visitor;
    for (const auto& [header, values] : packets_)
      require(pipeline_.run_packet(engine_, {header & 0xFFFF, values, header >> 16 & 15, header >> 31 != 0},
                                   visitor, options_));
    (void)pipeline_.draw_immediate(engine_, options_);
  }

 private:
  std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> packets_;
};

// A hundred draws of `count` vertices, each with a matrix of its own.
class SmallDrawsCase final : public PipelineCase {
 public:
  SmallDrawsCase(const std::string& name, const std::string& scene, std::uint32_t count)
      : PipelineCase(name, scene), count_(count) {
    PipelineCase::draw();
    require(pipeline_.write_register(0x229, 0));  // without the geometry unit
  }
  void observe(pica200::PipelineState& state, Draws& draws, Reads& reads) override {
    for (std::uint32_t n = 0; n < 100; ++n) {
      (void)draws.draw(state.draw(engine_, n * 7 % (680 - count_), count_, options_));
      std::ranges::move(reads.take(), std::back_inserter(memory_));
    }
  }

 private:
  void draw() override {
    for (std::uint32_t n = 0; n < 100; ++n) {
      std::array<pica200::FloatBits, 4> matrix{};
      for (std::uint32_t k = 0; k < 4; ++k) matrix[k] = {n, k, 0x3F800000, ++number_};
      require(pipeline_.set_floats(80, matrix));
      (void)take(pipeline_.draw(engine_, n * 7 % (680 - count_), count_, options_));
    }
  }

  std::uint32_t count_, number_ = 0;
};

class GpuCase final : public Case {
 public:
  GpuCase(const std::string& name, const std::string& scene)
      : Case(name),
        scene_(take(tool::load_scene(WARPJIT_EXAMPLES "pica200/scenes/" + scene + "/scene.json"))) {
    std::vector<pica200::GpuMemory> ranges;
    for (auto& piece : scene_.memory)
      ranges.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
    require(gpu_.set_memory(ranges));
    for (const pica200::RegisterWrite& write : scene_.registers)
      require(gpu_.set_register(write.id, write.value));
    options_.threads = 1;
  }
  void begin(How how) override {
    how_ = how;
    if (how == How::on) require(gpu_.record(write_file, scratch_file()));
  }
  void end() override {
    if (how_ == How::on) require(gpu_.end_record());
  }
  void frame() override {
    if (how_ == How::least) return;
    for (const auto& job : scene_.jobs) {
      if (const auto* list = std::get_if<pica200::CommandList>(&job))
        (void)take(gpu_.run_commands(engine_, list->address, list->bytes, options_));
      if (const auto* fill = std::get_if<pica200::MemoryFill>(&job)) require(gpu_.fill(*fill));
      if (const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job))
        require(gpu_.transfer(*transfer));
      if (const auto* copy = std::get_if<pica200::TextureCopy>(&job)) require(gpu_.copy(*copy));
    }
  }

 private:
  Scene scene_;
  pica200::Gpu gpu_;
  Engine engine_;
  RunOptions options_;
  How how_ = How::off;
};

// ---- Launches

class LaunchCase final : public Case {
 public:
  // `part`: of the target's extent that the draw takes.
  LaunchCase(const std::string& name, const std::string& file, std::uint32_t extent, float part = 1)
      : Case(name), bound_(make(file, extent)), recorder_(write_file, scratch_file()) {
    if (part != 1) {
      RasterState raster = bound_.launch().state().pixels->raster;
      for (unsigned k = 0; k < 2; ++k) raster.viewport_scale[k] *= part;
      require(bound_.launch().set_raster_state(raster));
    }
    options_.threads = 1;
    bound_.clear();
    const auto described = capture::describe_launch(
        bound_.launch(),
        [&](const void* data, std::size_t size, bool writes) {
          const std::span bytes(static_cast<const std::byte*>(data), data == nullptr ? 0 : size);
          if (!bytes.empty()) memory_.push_back({bytes, true, writes});
          return capture::BufferPlace();
        },
        [](const Program&) { return 0U; });
    if (!described) fail(described.error());
    memory_ = united(std::move(memory_));
  }
  void begin(How how) override {
    how_ = how;
    if (how == How::least)
      for (Bound& bound : memory_) bound.known.assign(bound.bytes.begin(), bound.bytes.end());
  }
  void frame() override {
    switch (how_) {
      case How::off:
        (void)take(engine_.run(bound_.launch(), options_));
        return;
      case How::on:
        (void)take(recorder_.run(engine_, bound_.launch(), options_));
        return;
      case How::least:
        look_at(memory_);
    }
  }

 private:
  static tool::BoundLaunch make(const std::string& file, std::uint32_t extent) {
    auto launch = take(tool::read_launch(WARPJIT_EXAMPLES + file));
    if (extent != 0 && launch.work == Work::pixels) tool::set_target_size(launch, extent, extent);
    if (extent != 0 && launch.work != Work::pixels) (void)tool::set_count(launch, extent);
    return take(tool::BoundLaunch::make(std::move(launch)));
  }

  tool::BoundLaunch bound_;
  LaunchRecorder recorder_;
  Engine engine_;
  RunOptions options_;
  std::vector<Bound> memory_;
  How how_ = How::off;
};

// ----

using Make = std::unique_ptr<Case> (*)(const std::string& name);
struct Entry {
  const char* name;
  Make make;
};
template <class T>
std::unique_ptr<Case> made(T* one) {
  return std::unique_ptr<Case>(one);
}
const Entry kEntries[] = {
    {"pipeline/lists/toon", [](const std::string& n) { return made(new PipelineCase(n, "toon")); }},
    {"pipeline/lists/emulator", [](const std::string& n) { return made(new PipelineCase(n, "emulator")); }},
    {"pipeline/packets/emulator", [](const std::string& n) { return made(new CallsCase(n, "emulator")); }},
    {"pipeline/draws/12", [](const std::string& n) { return made(new SmallDrawsCase(n, "emulator", 12)); }},
    {"pipeline/draws/100", [](const std::string& n) { return made(new SmallDrawsCase(n, "emulator", 100)); }},
    {"pipeline/draws/500", [](const std::string& n) { return made(new SmallDrawsCase(n, "emulator", 500)); }},
    {"gpu/toon", [](const std::string& n) { return made(new GpuCase(n, "toon")); }},
    {"gpu/emulator", [](const std::string& n) { return made(new GpuCase(n, "emulator")); }},
    {"launch/mvp_light/1000",
     [](const std::string& n) { return made(new LaunchCase(n, "pica200/mvp_light.json", 1000)); }},
    {"launch/nbody", [](const std::string& n) { return made(new LaunchCase(n, "tesla/nbody.json", 0)); }},
    {"launch/saxpy", [](const std::string& n) { return made(new LaunchCase(n, "tesla/saxpy.json", 0)); }},
    {"launch/phong/64",
     [](const std::string& n) { return made(new LaunchCase(n, "tesla/graphics/phong.json", 64)); }},
    {"launch/phong/512",
     [](const std::string& n) { return made(new LaunchCase(n, "tesla/graphics/phong.json", 512)); }},
    {"launch/phong/512/small",
     [](const std::string& n) { return made(new LaunchCase(n, "tesla/graphics/phong.json", 512, 0.125F)); }},
    {"launch/noise/512",
     [](const std::string& n) { return made(new LaunchCase(n, "tesla/graphics/noise.json", 512)); }},
    {"launch/raymarch/512",
     [](const std::string& n) { return made(new LaunchCase(n, "tesla/graphics/raymarch.json", 512)); }},
};

// Microseconds that a frame takes.
double measure(Case& one, How how, unsigned frames) {
  one.begin(how);
  one.frame();
  const double start = processor_seconds();
  for (unsigned n = 0; n < frames; ++n) one.frame();
  const double seconds = processor_seconds() - start;
  one.end();
  return 1e6 * seconds / frames;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

void compare(Case& one) {
  for (unsigned n = 0; n < 8; ++n) one.frame();
  constexpr double kMicroseconds = 5e4;  // of a run
  const auto frames = static_cast<unsigned>(std::clamp(kMicroseconds / measure(one, How::off, 3), 3.0, 2e4));
  constexpr unsigned kRuns = 10;
  std::vector<double> off, on, least, more;
  for (unsigned n = 0; n < kRuns; ++n) {
    off.push_back(measure(one, How::off, frames));
    on.push_back(measure(one, How::on, frames));
    least.push_back(measure(one, How::least, frames));
    more.push_back(100 * (on.back() / off.back() - 1));
  }
  std::printf("%-28s %10.2f us, recorded %10.2f, %+6.1f %% (%+.1f to %+.1f)", one.name().c_str(), median(off),
              median(on), 100 * (median(on) / median(off) - 1), *std::ranges::min_element(more),
              *std::ranges::max_element(more));
  if (!one.name().starts_with("gpu"))
    std::printf(", of which %5.1f are necessary", 100 * median(least) / median(off));
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  for (const Entry& entry : kEntries) {
    if (std::string(entry.name).find(part) == std::string::npos) continue;
    const auto one = entry.make(entry.name);
    if (argc < 4) {
      compare(*one);
      continue;
    }
    const std::string how = argv[2];
    for (unsigned n = 0; n < 8; ++n) one->frame();
    (void)measure(*one,
                  how == "on"      ? How::on
                  : how == "least" ? How::least
                                   : How::off,
                  static_cast<unsigned>(std::atoi(argv[3])));
    return 0;
  }
}
