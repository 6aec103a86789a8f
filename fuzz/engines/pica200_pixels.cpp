// Random states of the PICA200's fixed function, and random queues: command lists with several draws, some of them
// spoilt, with fills, display transfers and texture copies between them. Engines leave the same memory and end alike.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <variant>

#include "base/float_environment.h"
#include "base/hash.h"
#include "base/random.h"
#include "device/pica200/fragment_draws.h"
#include "device/pica200/gpu.h"
#include "device/pica200/memory_engines.h"
#include "engines/fuzzer.h"
#include "random/pica200/states.h"

namespace warpjit::fuzz {
namespace {

using pica200::RandomDraw;

// How a run ended, and the memory after it.
struct PixelsEnd {
  std::string end;
  std::vector<std::byte> memory;
  bool limited = false;      // beyond what an engine can do
  bool lacks_level = false;  // sampled one that is too small
  bool operator==(const PixelsEnd&) const = default;
};

PixelsEnd end_of(const Status& status, std::vector<std::byte> memory) {
  PixelsEnd end{"done", std::move(memory), false, false};
  if (status) return end;
  end.end = to_string(status.error());
  end.lacks_level = end.end.find("smaller than 8 x 8") != std::string::npos;
  end.limited = status.error().code == ErrorCode::resource_limit;
  return end;
}

// Lists and jobs of the memory engines, and the memory that they work on. The first list sets up a pass-through
// program; draws are random states, some with targets over textures, commands and vertices, or those of the draw before.
class RandomQueue {
 public:
  static constexpr std::uint32_t kAddress = 0x20000000, kVertices = 0x100, kIndices = 0x18000,
                                 kLists = 0x20000;

  explicit RandomQueue(std::uint64_t seed) : random_(seed), draw_(pica200::random_draw(seed)) {
    memory_.resize(kLists);
    targets_ = draw_.memory;
    for (unsigned left = 1 + random_.below(3); left > 0; --left) {
      while (random_.one_in(3)) add_memory_job();
      add_list();
    }
    while (random_.one_in(2)) add_memory_job();
  }

  PixelsEnd run(const Configuration& way) const {
    std::vector<std::byte> memory = memory_, targets = targets_;
    pica200::GpuState gpu;
    const pica200::GpuMemory ranges[] = {{kAddress, memory.data(), memory.size()},
                                         {RandomDraw::kAddress, targets.data(), targets.size()}};
    if (const Status set = gpu.set_memory(ranges); !set) return end_of(set, {});
    gpu.set_lazy_targets(lazy_);
    const FloatEnvironment environment;
    Status status;
    for (std::size_t n = 0; n < jobs_.size() && status; ++n)
      status = std::visit([&](const auto& job) { return run_job(gpu, job, way); }, jobs_[n]);
    gpu.write_back(0, ~std::uint64_t{0});
    targets.insert(targets.end(), memory.begin(), memory.end());
    return end_of(status, std::move(targets));
  }

 private:
  struct List {
    std::uint32_t address = 0, bytes = 0;
  };
  using Job = std::variant<List, pica200::MemoryFill, pica200::DisplayTransfer, pica200::TextureCopy>;

  static Status run_job(pica200::GpuState& gpu, const List& list, const Configuration& way) {
    const auto report = gpu.run_commands(*way.engine, list.address, list.bytes, way.options());
    return report ? Status() : Status(report.error());
  }
  static Status run_job(const pica200::GpuState& gpu, const pica200::MemoryFill& job, const Configuration&) {
    return pica200::fill_memory(gpu.memory(), job);
  }
  static Status run_job(const pica200::GpuState& gpu, const pica200::DisplayTransfer& job,
                        const Configuration&) {
    return pica200::transfer_picture(gpu.memory(), job);
  }
  static Status run_job(const pica200::GpuState& gpu, const pica200::TextureCopy& job, const Configuration&) {
    return pica200::copy_texture(gpu.memory(), job);
  }

  void add_list() {
    words_.clear();
    if (!set_up_) set_up();
    for (unsigned left = 1 + random_.below(4); left > 0; --left) {
      add_state();
      add_draw();
      const std::array<std::uint32_t, pica200::kGpuRegisters> before = draw_.registers;
      draw_ = pica200::random_draw(random_.next());
      choose_targets(before);
    }
    while (words_.size() % 4 != 0) words_.push_back(0);
    if (random_.one_in(4)) spoil();
    const auto first = static_cast<std::uint32_t>(memory_.size());
    const auto bytes = static_cast<std::uint32_t>(words_.size() * 4);
    memory_.resize(first + bytes);
    std::memcpy(memory_.data() + first, words_.data(), bytes);
    jobs_.emplace_back(List{kAddress + first, bytes});
  }

  void choose_targets(const std::array<std::uint32_t, pica200::kGpuRegisters>& before) {
    if (random_.one_in(2))
      for (const std::uint32_t id : {0x116U, 0x117U, 0x11CU, 0x11DU, 0x11EU})
        draw_.registers[id] = before[id];
    for (const std::uint32_t id : {0x11CU, 0x11DU, 0x085U})
      if (random_.one_in(6)) draw_.registers[id] = place() >> 3;
    if (random_.one_in(10)) draw_.registers[0x11D] = (kAddress + 0x1000 * random_.below(0x30)) >> 3;
  }

  // An address in the memory of targets and textures.
  std::uint32_t place() {
    return RandomDraw::kAddress + random_.below(static_cast<unsigned>(targets_.size()) / 64) * 64;
  }
  void add_memory_job() {
    const auto word = [&] { return static_cast<std::uint32_t>(random_.next() >> 32); };
    switch (random_.below(3)) {
      case 0: {
        const std::uint32_t begin = place();
        jobs_.emplace_back(
            pica200::MemoryFill{begin, begin + random_.below(0x400) * 8, word(), random_.below(4) << 8});
        break;
      }
      case 1: {
        // Some combinations are refused.
        const std::uint32_t width = 8 + 8 * random_.below(8), height = 8 + 8 * random_.below(8);
        const bool narrower = random_.one_in(4), scaled = random_.one_in(4);
        std::uint32_t flags = (random_.one_in(2) ? 1U : 0U) | (random_.one_in(3) ? 1U << 1 : 0U) |
                              (narrower ? 1U << 2 : 0U) | (random_.one_in(3) ? 1U << 5 : 0U) |
                              (scaled ? 1 + random_.below(2) : 0U) << 24;
        const std::uint32_t from = random_.one_in(2) ? 0 : random_.below(5);
        flags |= from << 8 | (from == 0 ? random_.below(5) : from) << 12;
        const std::uint32_t size = width | height << 16;
        jobs_.emplace_back(
            pica200::DisplayTransfer{place(), place(), size, narrower ? size - width / 2 : size, flags});
        break;
      }
      default:
        jobs_.emplace_back(
            pica200::TextureCopy{place(), place(), 16 * (1 + random_.below(256)),
                                 random_.one_in(2) ? (1 + random_.below(16)) | random_.below(8) << 16 : 0,
                                 random_.one_in(2) ? (1 + random_.below(16)) | random_.below(8) << 16 : 0});
    }
  }

  void write(std::uint32_t id, std::uint32_t value) {
    words_.push_back(value);
    words_.push_back(id | 0xF0000);
  }
  void set_up() {
    set_up_ = true;
    constexpr unsigned kVectors = sizeof(pica200::Vertex) / 16;
    write(0x2CB, 0);
    for (std::uint32_t n = 0; n < kVectors; ++n) write(0x2CC, 0x4c000000 | n << 21 | n << 12);  // mov on, vn
    write(0x2CC, 0x88000000);                                                                   // end
    write(0x2BF, 1);
    write(0x2D5, 0);
    write(0x2D6, 0x0d86c36f);
    write(0x2BA, 0x7FFF0000);
    write(0x2BD, (1U << kVectors) - 1);
    write(0x2B9, 0xA0000000 | (kVectors - 1));
    write(0x2BB, 0x76543210);
    write(0x2BC, 0xFEDCBA98);
    write(0x242, kVectors - 1);
    write(0x24A, kVectors - 1);
    write(0x04F, kVectors);
    // Position, quaternion, colour, coordinates, w and view as the words of a Vertex follow each other.
    constexpr std::uint32_t kMaps[] = {0x03020100, 0x07060504, 0x0B0A0908,
                                       0x0F0E0D0C, 0x13121F10, 0x17161F14};
    for (std::uint32_t n = 0; n < kVectors; ++n) write(0x050 + n, kMaps[n]);
    write(0x200, (kAddress + kVertices) >> 3);
    write(0x201, 0x00FFFFFF);
    write(0x202, (kVectors - 1) << 28);
    write(0x203, 0);
    write(0x204, 0x00543210);
    write(0x205, kVectors << 28 | sizeof(pica200::Vertex) << 16);
    if (random_.one_in(2)) {
      constexpr std::uint32_t kTables = 0x00FFFF7B;  // those that there are
      for (std::uint32_t table = 0; table < draw_.tables.lights.size(); ++table) {
        if ((kTables >> table & 1) == 0) continue;
        write(0x1C5, table << 8);
        for (const std::uint32_t word : draw_.tables.lights[table]) write(0x1C8, word);
      }
      write(0x0E6, 0);
      for (const std::uint32_t word : draw_.tables.fog) write(0x0E8, word);
      const auto procedural = [&](std::uint32_t table, const auto& words) {
        write(0x0AF, table << 8);
        for (const std::uint32_t word : words) write(0x0B0, word);
      };
      procedural(0, draw_.tables.noise);
      procedural(2, draw_.tables.color_map);
      procedural(3, draw_.tables.alpha_map);
      procedural(4, draw_.tables.colors);
      procedural(5, draw_.tables.color_differences);
    }
  }
  void add_state() {
    const auto is_data = [](std::uint32_t id) {
      return (id >= 0x0AF && id < 0x0B8) || (id >= 0x0E6 && id < 0x0F0) || id == 0x124 ||
             (id >= 0x1C5 && id < 0x1D0 && id != 0x1C6) || (id >= 0x04F && id < 0x058);
    };
    for (std::uint32_t id = 0x040; id < 0x1E0; ++id)
      if (!is_data(id)) write(id, draw_.registers[id]);
  }
  void add_draw() {
    const std::size_t bytes = draw_.vertices.size() * sizeof(pica200::Vertex);
    const std::size_t first = vertices_ * sizeof(pica200::Vertex);
    const auto count = static_cast<std::uint32_t>(draw_.vertices.size());
    if (kVertices + first + bytes > kIndices) return;
    std::memcpy(memory_.data() + kVertices + first, draw_.vertices.data(), bytes);
    write(0x25E, random_.below(3) << 8);
    if (random_.one_in(2)) write(0x25F, 1);
    if (draw_.indices.empty()) {
      write(0x228, count);
      write(0x22A, vertices_);
      write(0x22E, 1);
    } else {
      for (std::size_t n = 0; n < draw_.indices.size(); ++n) {
        const auto index = static_cast<std::uint16_t>(draw_.indices[n] + vertices_);
        std::memcpy(memory_.data() + kIndices + 2 * (indices_ + n), &index, 2);
      }
      write(0x227, 0x80000000 | (kIndices - kVertices + 2 * indices_));
      write(0x228, static_cast<std::uint32_t>(draw_.indices.size()));
      write(0x22F, 1);
      indices_ += static_cast<std::uint32_t>(draw_.indices.size());
    }
    vertices_ += count;
  }
  void spoil() {
    const auto size = static_cast<unsigned>(words_.size());
    for (unsigned left = 1 + random_.below(4); left > 0; --left) {
      std::uint32_t& word = words_[random_.below(size)];
      word = random_.one_in(4) ? static_cast<std::uint32_t>(random_.next() >> 32)
                               : word ^ 1U << random_.below(32);
    }
    if (random_.one_in(4)) words_.resize(4 * (1 + random_.below(size / 4)));
  }

  Random random_;
  RandomDraw draw_;
  const bool lazy_ = random_.one_in(2);
  bool set_up_ = false;
  std::vector<std::uint32_t> words_;  // of the list
  std::vector<Job> jobs_;
  std::vector<std::byte> memory_, targets_;
  std::uint32_t vertices_ = 0, indices_ = 0;  // that were written
};

class Pica200PixelsFuzzer final : public Fuzzer {
 public:
  explicit Pica200PixelsFuzzer(const Options& options) : Fuzzer(options) {}

  bool run(std::uint64_t seed) override {
    RunOptions base;
    base.engine = EngineKind::guest;
    base.threads = 1;
    const Configuration guest{"guest", &full_, base};
    const RandomDraw draw = pica200::random_draw(seed);
    const RandomQueue queue(seed);
    const PixelsEnd state_wanted = draw_state(draw, guest), queue_wanted = queue.run(guest);
    drawn_ += state_wanted.memory != draw.memory ? 1 : 0;
    ended_ += queue_wanted.end == "done" ? 1 : 0;
    base.threads = seed % 8 == 0 ? 2 : 1;
    for (const Configuration& way : configurations(base, ways(seed))) {
      if (!agree(seed, way, "the state", draw_state(draw, way), state_wanted)) return false;
      if (!agree(seed, way, "the queue", queue.run(way), queue_wanted)) return false;
    }
    clear_caches();
    return true;
  }

  std::string digest(std::uint64_t seed, EngineKind kind, Target target) override {
    const RandomDraw draw = pica200::random_draw(seed);
    const RandomQueue queue(seed);
    std::string lines;
    RunOptions base;
    base.threads = 1;
    for (const Configuration& way : digested(base, kind, target, ways(seed)))
      for (const PixelsEnd& end : {draw_state(draw, way), queue.run(way)})
        lines += end.lacks_level
                     ? fmt::format("{}{} lacks a level\n", seed, way.name)
                     : fmt::format("{}{} {:016x} {}\n", seed, way.name, hash_bytes(end.memory), end.end);
    clear_caches();
    return lines;
  }

  std::string counts() const override {
    return fmt::format(", {} states that drew, {} queues that ran to their end", drawn_, ended_);
  }

 private:
  Ways ways(std::uint64_t seed) const {
    return {.few_registers = (mix(seed) >> 32) % 100 < options_.register_share};
  }

  static PixelsEnd draw_state(const RandomDraw& draw, const Configuration& way) {
    std::vector<std::byte> bytes = draw.memory;
    const pica200::PhysicalMemory memory({{RandomDraw::kAddress, bytes.data(), bytes.size()}});
    const std::vector<std::uint32_t> indices(draw.indices.begin(), draw.indices.end());
    pica200::FragmentDraws draws;
    const FloatEnvironment environment;
    Status status = draws.begin(draw.registers, 1, draw.tables, memory, true);
    if (status) status = draws.add(*way.engine, {draw.vertices, indices, !indices.empty()}, way.options());
    if (status) status = draws.flush(*way.engine, way.options());
    draws.write_back();
    return end_of(status, std::move(bytes));
  }

  bool agree(std::uint64_t seed, const Configuration& way, const char* what, const PixelsEnd& got,
             const PixelsEnd& wanted) {
    if (got == wanted) return true;
    // Until a level of a texture is missing, engines draw in other orders.
    if (got.lacks_level && wanted.lacks_level) return true;
    if (got.limited && !wanted.limited) {
      count_limited(got.end);
      return true;
    }
    fmt::print("seed {}: {} against guest, {}: ", seed, way.name, what);
    if (got.end != wanted.end) {
      fmt::print("wanted {}, got {}\n", wanted.end, got.end);
      return false;
    }
    const auto at =
        static_cast<std::size_t>(std::ranges::mismatch(got.memory, wanted.memory).in1 - got.memory.begin());
    fmt::print("byte {:#x} is {:#04x}, not {:#04x}\n", at, std::to_integer<unsigned>(got.memory[at]),
               std::to_integer<unsigned>(wanted.memory[at]));
    return false;
  }

  std::uint64_t drawn_ = 0, ended_ = 0;
};

}  // namespace

std::unique_ptr<Fuzzer> make_pica200_pixels_fuzzer(const Options& options) {
  return std::make_unique<Pica200PixelsFuzzer>(options);
}

}  // namespace warpjit::fuzz
