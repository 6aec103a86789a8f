// Random draws of random programs: every engine gives what the guest interpreter gives on converted data, and
// touches no byte outside the arrays.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "random/pica200/random.h"
#include "runtime/shaders.h"
#include "support/draw_reference.h"
#include "support/guarded_bytes.h"
#include "support/share.h"

namespace warpjit::test {
namespace {

using pica200::AttributeArray;
using tests::DrawSetup;
using tests::GuardedBytes;

struct RandomDraw {
  DrawSetup setup;
  std::vector<GuardedBytes> arrays;
  std::size_t vertices = 0;  // in each array
};

class DrawMaker {
 public:
  explicit DrawMaker(std::uint64_t seed) : random_(seed) {}

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  RandomDraw make(std::uint64_t seed) {
    RandomDraw draw;
    pica200::RandomOptions options;
    options.size = 10 + below(60);
    options.jumps = below(4) == 0;
    pica200::RandomProgram random = pica200::random_program(seed, options);
    draw.setup.program = std::move(random.program);
    draw.setup.program.f24 = below(4) == 0;
    draw.setup.uniforms = random.uniforms;
    draw.vertices = 1 + below(below(2) != 0 ? 20 : 200);
    const unsigned count = below(13);
    std::vector<unsigned> registers(16);
    for (unsigned n = 0; n < 16; ++n) registers[n] = n;
    std::shuffle(registers.begin(), registers.end(), random_);
    for (unsigned n = 0; n < count; ++n) {
      DrawSetup::Attribute a;
      a.reg = below(10) == 0 ? below(16) : registers[n];  // now and then two to one register
      for (float& value : a.fixed) value = real();
      draw.setup.attributes.push_back(a);
    }
    for (unsigned n = 0; n < count;) {
      if (below(5) == 0) {  // stays fixed
        ++n;
        continue;
      }
      n = add_array(draw, n, std::min(count, n + 1 + below(5)));
    }
    draw.setup.output_mask = static_cast<std::uint16_t>(random_());
    const unsigned words = below(8);
    for (unsigned n = 0; n < words; ++n) {
      std::uint32_t word = 0;
      for (unsigned c = 0; c < 4; ++c) word |= (below(4) == 0 ? below(256) : below(24)) << 8 * c;
      draw.setup.output_map.push_back(word);
    }
    return draw;
  }

  std::mt19937_64& generator() { return random_; }

 private:
  float real() { return static_cast<float>(static_cast<double>(random_() >> 40) / (1 << 22) - 2.0); }

  // One array of structures for attributes first to end - 1, exactly as long as it must be.
  unsigned add_array(RandomDraw& draw, unsigned first, unsigned end) {
    constexpr ComponentType kTypes[] = {ComponentType::s8, ComponentType::u8, ComponentType::s16,
                                        ComponentType::f32};
    const bool aligned = below(4) != 0;
    std::size_t at = below(3) == 0 ? below(20) : 0, last = 0;
    std::vector<unsigned> order;
    for (unsigned n = first; n < end; ++n) order.push_back(n);
    std::shuffle(order.begin(), order.end(), random_);
    for (const unsigned n : order) {
      DrawSetup::Attribute& a = draw.setup.attributes[n];
      a.in_array = true;
      a.array.format = {kTypes[below(4)], static_cast<std::uint8_t>(1 + below(4))};
      const std::size_t component = component_size(a.array.format.type);
      if (aligned) at = (at + component - 1) / component * component;
      a.array.offset = below(6) == 0 ? at / 2 : at;  // may overlap another
      at += size(a.array.format) + (below(4) == 0 ? below(9) : 0);
      last = std::max(last, a.array.offset + size(a.array.format));
    }
    const std::size_t stride = below(12) == 0 ? 0 : below(12) == 0 ? below(40) : (at + 3) / 4 * 4;
    const std::size_t bytes = (draw.vertices - 1) * stride + last + (below(3) == 0 ? below(40) : 0);
    GuardedBytes& array = draw.arrays.emplace_back(bytes, below(4) != 0);
    for (std::size_t n = 0; n < bytes; ++n) array.data()[n] = static_cast<std::byte>(random_());
    for (unsigned n = first; n < end; ++n) {
      AttributeArray& a = draw.setup.attributes[n].array;
      a.data = array.data();
      a.size = bytes;
      a.stride = stride;
      // Floats of usual size among the random bytes.
      if (a.format.type == ComponentType::f32)
        for (std::size_t v = 0; v < draw.vertices; ++v)
          for (unsigned c = 0; c < a.format.components; ++c) {
            const float value = real();
            if (below(8) != 0) std::memcpy(array.data() + a.offset + v * stride + 4 * c, &value, 4);
          }
    }
    return end;
  }

  std::mt19937_64 random_;
};

// Every engine on one draw; `numbers`: the vertices that must come out.
void check_ways(const Engine& engine, const RandomDraw& draw, std::span<const std::size_t> numbers,
                const std::function<Result<pica200::DrawResult>(pica200::Pipeline&, const RunOptions&)>& run,
                std::span<const std::size_t> indices) {
  const auto interpreter = pica200::Interpreter::prepare(draw.setup.program, draw.setup.program.entry);
  ASSERT_TRUE(interpreter);
  std::vector<tests::VertexBits> wanted;
  for (const std::size_t vertex : numbers) {
    const auto bits = tests::reference_vertex(draw.setup, *interpreter, vertex, pica200::kRandomFuel);
    ASSERT_TRUE(bits) << to_string(bits.error());
    wanted.push_back(*bits);
  }
  for (const Way& way : all_ways(engine)) {
    SCOPED_TRACE(way.name);
    pica200::Pipeline pipeline;
    ASSERT_TRUE(draw.setup.apply(pipeline));
    RunOptions options = way.options;
    options.fuel = pica200::kRandomFuel;
    const auto result = run(pipeline, options);
    ASSERT_TRUE(result) << to_string(result.error());
    ASSERT_EQ(result->vertices.size(), numbers.size());
    for (std::size_t n = 0; n < numbers.size(); ++n)
      ASSERT_EQ(tests::bits_of(result->vertices[n]), wanted[n])
          << "vertex " << numbers[n] << ", result " << n;
    ASSERT_EQ(result->indices.size(), indices.size());
    for (std::size_t k = 0; k < indices.size(); ++k) ASSERT_EQ(numbers[result->indices[k]], indices[k]);
    for (const GuardedBytes& array : draw.arrays) ASSERT_TRUE(array.guards_intact());
  }
}

template <class Index>
void check_indexed(const Engine& engine, const RandomDraw& draw, std::span<const std::size_t> indices) {
  std::vector<Index> narrow;
  for (const std::size_t index : indices) narrow.push_back(static_cast<Index>(index));
  std::vector<std::size_t> numbers(indices.begin(), indices.end());
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  check_ways(
      engine, draw, numbers,
      [&](pica200::Pipeline& pipeline, const RunOptions& options) {
        return pipeline.draw_indexed(engine, std::span<const Index>(narrow), options);
      },
      indices);
}

TEST(RandomDraws, AllEnginesGiveWhatTheGuestInterpreterGives) {
  const Engine engine;
  for (std::uint64_t seed = 1; seed <= share(150); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    DrawMaker maker(seed * 7919);
    const RandomDraw draw = maker.make(seed);
    if (draw.setup.program.code.size() > pica200::kUploadedWords) continue;
    if (seed % 3 == 0) {
      const std::size_t first = maker.below(static_cast<unsigned>(draw.vertices));
      std::vector<std::size_t> numbers;
      for (std::size_t n = first; n < draw.vertices; ++n) numbers.push_back(n);
      check_ways(engine, draw, numbers,
                 [&](pica200::Pipeline& pipeline, const RunOptions& options) {
                   return pipeline.draw(engine, static_cast<std::uint32_t>(first), numbers.size(), options);
                 },
                 {});
    } else {
      // Sparse or dense, with the last vertex in it or not.
      const auto limit = static_cast<unsigned>(draw.vertices);
      const unsigned range = 1 + maker.below(limit), base = maker.below(limit - range + 1);
      std::vector<std::size_t> indices(1 + maker.below(2) * range + maker.below(30));
      for (std::size_t& index : indices) index = base + maker.below(range);
      if (maker.below(3) == 0)
        for (std::size_t n = 0; n < range; ++n) indices.push_back(base + n);
      if (seed % 3 == 1)
        check_indexed<std::uint8_t>(engine, draw, indices);
      else
        check_indexed<std::uint16_t>(engine, draw, indices);
    }
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace warpjit::test
