// Random command lists with both units: every engine gives what a plain model of the console gives, draw
// after draw, and leaves the same state in the geometry unit. WARPJIT_PICA_DRAWS=1..20000 runs those seeds in
// place of the usual few.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "random/pica200/random.h"
#include "support/pipeline_judge.h"
#include "support/share.h"
#include "warpjit/pica200.hpp"

namespace warpjit::test {
namespace {

using tests::JudgedDraw;
using tests::PipelineJudge;
using tests::VertexBits;

constexpr std::uint32_t kAddress = 0x18000000;
constexpr std::uint32_t kVertices = 24;  // that every array has
constexpr std::size_t kMemory = 32768;

class ListMaker {
 public:
  explicit ListMaker(std::uint64_t seed) : random_(seed) {
    memory.resize(kMemory);
    for (std::size_t n = 0; n < memory.size(); n += 4) {
      const float value = real();
      const auto bits = static_cast<std::uint32_t>(random_());
      std::memcpy(&memory[n], below(3) == 0 ? static_cast<const void*>(&bits) : &value, 4);
    }
  }

  std::vector<std::byte> memory;
  std::vector<std::uint32_t> list;

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  bool chance(unsigned percent) { return below(100) < percent; }

  void write(std::uint32_t id, std::uint32_t value, std::uint32_t bytes = 15) {
    list.insert(list.end(), {value, id | bytes << 16});
  }
  // Words for one data port, or for registers in a row.
  void write(std::uint32_t id, std::vector<std::uint32_t> words, bool consecutive) {
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t count = std::min<std::size_t>(words.size() - at, 1 + below(60));
      const auto first = id + (consecutive ? static_cast<std::uint32_t>(at) : 0);
      list.push_back(words[at]);
      list.push_back(first | 15u << 16 | static_cast<std::uint32_t>(count - 1) << 20 |
                     (consecutive ? 0x80000000u : 0));
      for (std::size_t n = 1; n < count; ++n) list.push_back(words[at + n]);
      if (list.size() % 2 != 0) list.push_back(0xABCDABCD);
      at += count;
    }
  }

  // A program with its uniforms; false if it does not fit.
  bool program(bool geometry, std::uint64_t seed) {
    pica200::RandomOptions options;
    options.geometry = geometry;
    options.size = 6 + below(30);
    options.jumps = chance(25);
    const pica200::RandomProgram made = pica200::random_program(seed, options);
    if (made.program.code.size() > 512) return false;
    const std::uint32_t base = geometry ? 0x280 : 0x2B0;
    write(base + 0x1B, 0);
    write(base + 0x1C + below(8), made.program.code, false);
    write(base + 0x25, 0);
    write(base + 0x26 + below(8), made.program.descriptors, false);
    write(base + 0x0A, made.program.entry);
    write(base, made.uniforms.b);
    for (unsigned n = 0; n < 4; ++n) {
      const auto& i = made.uniforms.i[n];
      write(base + 1 + n, i[0] | i[1] << 8 | i[2] << 16 | static_cast<std::uint32_t>(i[3]) << 24);
    }
    write(base + 0x10, 0x80000000);
    std::vector<std::uint32_t> words;
    for (const auto& c : made.uniforms.c)
      for (unsigned k = 0; k < 4; ++k) {
        words.emplace_back();
        std::memcpy(&words.back(), &c[3 - k], 4);
      }
    write(base + 0x11 + below(8), words, false);
    if (geometry) write(0x28D, made.program.output_mask);
    if (!geometry) write(0x2BD, 1 + below(127));
    return true;
  }

  void uniforms(bool geometry) {
    const std::uint32_t base = geometry ? 0x280 : 0x2B0;
    if (chance(30)) write(base, static_cast<std::uint32_t>(random_()) & 0xFFFF);
    write(base + 0x10, below(100));
    std::vector<std::uint32_t> words;
    for (unsigned n = 3 * (1 + below(3)); n != 0; --n) words.push_back(static_cast<std::uint32_t>(random_()));
    write(base + 0x11, words, false);
  }

  // Formats, loaders and fixed values of attributes, all of them inside the memory.
  void attributes() {
    const unsigned count = 1 + below(6);
    const auto formats = random_();
    write(0x200, kAddress >> 3);
    write(0x201, static_cast<std::uint32_t>(formats));
    write(0x202, static_cast<std::uint32_t>(formats >> 32 & 0xFFFF) | (count - 1 + below(2)) << 28);
    write(0x2B9, (count - 1) | 0xA0000000);
    write(0x242, below(count));
    for (const std::uint32_t base : {0x2BBu, 0x28Bu}) {
      write(base, static_cast<std::uint32_t>(random_()) ^ (chance(50) ? 0 : 0x76543210));
      if (chance(50)) write(base, 0x76543210);
    }
    unsigned at = 0;
    for (unsigned n = 0; n < 12; ++n) {
      const unsigned parts = at < count ? 1 + below(4) : 0;
      std::uint64_t components = 0;
      for (unsigned k = 0; k < parts; ++k) {
        const unsigned component = chance(20) || at == count ? 12 + below(4) : at++;
        components |= std::uint64_t{component} << 4 * k;
      }
      const unsigned stride = chance(10) ? 0 : 4 * below(30);
      const unsigned offset = below(kMemory - 256 * kVertices - 512) / 4 * 4 + (chance(20) ? below(4) : 0);
      components |= std::uint64_t{stride} << 48 | std::uint64_t{parts} << 60;
      write(0x203 + 3 * n,
            {offset, static_cast<std::uint32_t>(components), static_cast<std::uint32_t>(components >> 32)},
            true);
    }
    write(0x232, below(12));
    fixed(1 + below(3));
  }

  void fixed(unsigned count) {
    for (unsigned n = 0; n < 3 * count; ++n)
      write(0x233 + n % 3, chance(50) ? 0x3F000040u * (n + 1) : static_cast<std::uint32_t>(random_()));
  }

  void outputs() {
    write(0x04F, below(8));
    std::vector<std::uint32_t> map;
    for (unsigned n = 0; n < 7; ++n) {
      std::uint32_t word = 0;
      for (unsigned c = 0; c < 4; ++c) word |= (chance(20) ? below(256) : below(24)) << 8 * c;
      map.push_back(word);
    }
    write(0x050, map, true);
    if (chance(20)) write(0x24A, below(7));
    write(0x25E, below(4) << 8);
  }

  void geometry() {
    write(0x229, chance(85) ? 2 : 0);
    write(0x244, chance(70) ? 1 : 0);
    mode_ = below(3);
    const unsigned inputs = 1 + below(5);
    write(0x289, inputs - 1);
    if (mode_ == 2)
      write(0x252, 2 | below(4) << 8 | below(6) << 12 | below(70) << 16);
    else
      write(0x252, mode_);
    write(0x254, below(4));
  }

  void draw() {
    if (chance(20)) {  // immediate mode
      write(0x232, 15);
      fixed(1 + below(30));
      if (chance(50)) write(0x25F, 1);
      return;
    }
    const bool indexed = mode_ == 1 || chance(60), wide = chance(50);
    std::vector<std::uint16_t> indices;
    const unsigned primitives = 1 + below(chance(50) ? 6 : 30);
    for (unsigned n = 0; n < primitives; ++n) {
      const unsigned vertices = 1 + below(6);
      if (mode_ == 1) indices.push_back(static_cast<std::uint16_t>(vertices));
      for (unsigned k = 0; k < vertices; ++k) indices.push_back(static_cast<std::uint16_t>(below(kVertices)));
    }
    if (indexed) {
      const unsigned start = static_cast<unsigned>(memory.size());
      for (const std::uint16_t index : indices) {
        memory.push_back(static_cast<std::byte>(index));
        if (wide) memory.push_back(std::byte{0});
      }
      write(0x227, start | (wide ? 0x80000000u : 0));
      write(0x228, static_cast<std::uint32_t>(indices.size()));
      write(0x22F, 1);
    } else {
      const unsigned first = below(kVertices);
      write(0x22A, first);
      write(0x228, below(kVertices - first + 1));
      write(0x22E, 1);
    }
  }

 private:
  float real() { return static_cast<float>(static_cast<double>(random_() >> 40) / (1 << 22) - 2.0); }
  std::mt19937_64 random_;
  unsigned mode_ = 0;
};

struct Drawn {
  bool ok = false;
  std::string error;
  bool triangles = false;
  std::vector<VertexBits> vertices;
};

class Collector final : public pica200::CommandVisitor {
 public:
  std::vector<Drawn> draws;
  bool draw(const Result<pica200::DrawResult>& result) override {
    Drawn& drawn = draws.emplace_back();
    drawn.ok = result.ok();
    if (!result) {
      drawn.error = to_string(result.error());
      return true;
    }
    drawn.triangles = result->triangles;
    if (result->indices.empty())
      for (const pica200::Vertex& vertex : result->vertices) drawn.vertices.push_back(tests::bits_of(vertex));
    for (const std::uint16_t index : result->indices)
      drawn.vertices.push_back(tests::bits_of(result->vertices[index]));
    return true;
  }
};

struct Counts {
  std::uint64_t draws = 0, with_geometry = 0, triangles = 0, failed = 0;
};

// A few lists on one pipeline for each engine. `engine` is a fresh one now and then.
void check_seed(const Engine& engine, std::uint64_t seed, Counts& counts) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr EngineKind kKinds[] = {EngineKind::guest, EngineKind::ir, EngineKind::jit};
  pica200::Pipeline pipelines[std::size(kKinds)];
  ListMaker maker(seed);
  PipelineJudge judge;
  judge.address = kAddress;
  judge.fuel = pica200::kRandomFuel;
  for (unsigned turn = 0; turn < 4; ++turn) {
    maker.list.clear();
    if (turn == 0 || maker.chance(40)) maker.geometry();
    if (turn == 0 || maker.chance(30))
      if (!maker.program(false, seed * 97 + turn)) return;
    if (turn == 0 || maker.chance(40))
      if (!maker.program(true, seed * 89 + turn + 7777777)) return;
    if (turn == 0 || maker.chance(30)) maker.attributes();
    if (turn == 0 || maker.chance(30)) maker.outputs();
    if (maker.chance(50)) maker.uniforms(maker.chance(50));
    for (unsigned n = 1 + maker.below(3); n != 0; --n) maker.draw();
    judge.memory = maker.memory;
    const std::vector<JudgedDraw> expected = judge.run(maker.list);
    const pica200::MemoryRange range{kAddress, maker.memory.data(), maker.memory.size()};
    bool judged = true;
    for (const JudgedDraw& draw : expected) judged &= draw.ok;
    for (std::size_t k = 0; k < std::size(kKinds); ++k) {
      SCOPED_TRACE(std::string(name(kKinds[k])) + ", turn " + std::to_string(turn));
      RunOptions options;
      options.engine = kKinds[k];
      options.threads = 1 + seed % 2;
      options.fuel = pica200::kRandomFuel;
      Collector collector;
      ASSERT_TRUE(pipelines[k].set_memory({&range, 1}));
      const Status status = pipelines[k].run_commands(engine, maker.list, collector, options);
      ASSERT_TRUE(status) << to_string(status.error());
      ASSERT_EQ(collector.draws.size(), expected.size());
      for (std::size_t n = 0; n < expected.size(); ++n) {
        SCOPED_TRACE("draw " + std::to_string(n));
        const Drawn& drawn = collector.draws[n];
        if (!expected[n].ok)
          break;  // fuel is a group's in the others, so that states may differ from here on
        ASSERT_TRUE(drawn.ok) << drawn.error;
        ASSERT_EQ(drawn.triangles, expected[n].triangles);
        ASSERT_EQ(drawn.vertices.size(), expected[n].vertices.size());
        for (std::size_t v = 0; v < drawn.vertices.size(); ++v)
          for (std::size_t w = 0; w < drawn.vertices[v].size(); ++w)
            ASSERT_EQ(drawn.vertices[v][w], expected[n].vertices[v][w]) << "vertex " << v << ", word " << w;
      }
      if (!judged) continue;
      pica200::GeometryUnit unit = pipelines[k].geometry_unit(), wanted = judge.unit();
      unit.flags &= ~pica200::GeometryUnit::kHasRun;
      ASSERT_EQ(std::memcmp(&unit, &wanted, sizeof unit), 0) << "the units' states differ";
    }
    for (const JudgedDraw& draw : expected) {
      ++counts.draws;
      counts.failed += !draw.ok;
      counts.with_geometry += draw.triangles;
      counts.triangles += draw.triangles ? draw.vertices.size() / 3 : 0;
    }
    if (!judged) return;
  }
}

TEST(RandomPipelines, EveryEngineDrawsAsTheConsole) {
  unsigned long long first = 1, last = share(120);
  if (const char* range = std::getenv("WARPJIT_PICA_DRAWS"); range != nullptr) {
    ASSERT_EQ(std::sscanf(range, "%llu..%llu", &first, &last), 2) << "seeds are first..last";
  }
  const Engine engine;
  Counts counts;
  for (unsigned long long seed = first; seed <= last; ++seed) {
    check_seed(engine, seed, counts);
    if (HasFatalFailure()) return;
    if (seed % 64 == 0) engine.clear_cache();
  }
  std::printf(
      "%llu draws, %llu with geometry, %llu triangles, %llu refused\n",
      static_cast<unsigned long long>(counts.draws), static_cast<unsigned long long>(counts.with_geometry),
      static_cast<unsigned long long>(counts.triangles), static_cast<unsigned long long>(counts.failed));
  if (first != 1 || counts.draws < 12) return;  // a few need not be like most
  EXPECT_GT(counts.with_geometry, counts.draws / 3);
  EXPECT_GT(counts.triangles, counts.draws);
  EXPECT_LT(counts.failed, counts.draws / 4);
}

}  // namespace
}  // namespace warpjit::test
