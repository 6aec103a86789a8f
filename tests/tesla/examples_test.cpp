// The kernels of examples/tesla against what they are to compute, on the guest interpreter and as IR.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "support/source_dir.h"
#include "tesla/interpret_test.h"
#include "tesla/translate_test.h"

namespace warpjit::tesla {
namespace {

float number(std::uint32_t word) { return std::bit_cast<float>(word); }

// Pseudo-random words.
struct Sequence {
  std::uint32_t state = 12345;
  std::uint32_t next() { return state = state * 1664525 + 1013904223; }
  float unit() { return static_cast<float>(next() >> 8) * 0x1p-24F; }
};

// Runs an example on g14, which begins at address 0x1000.
std::vector<std::uint32_t> run_example(const std::string& name, std::array<std::uint32_t, 2> grid,
                                       std::array<std::uint32_t, 3> block, std::vector<std::uint32_t> memory,
                                       const std::vector<std::uint32_t>& parameters) {
  const std::string path = tests::source_file("examples/tesla/" + name + ".tesla");
  const auto container = assemble(read_text(path), name);
  EXPECT_TRUE(container.ok()) << to_string(container.error());
  if (!container) return memory;
  const auto interpreter = Interpreter::prepare(container->programs.at(0));
  EXPECT_TRUE(interpreter.ok()) << to_string(interpreter.error());
  if (!interpreter) return memory;
  Launch launch;
  launch.grid = {grid[0], grid[1], 1};
  launch.block = block;
  for (const std::uint32_t word : parameters)
    for (unsigned k = 0; k < 4; ++k)
      launch.parameters.push_back(static_cast<std::byte>(word >> 8 * k & 0xff));
  memory.resize((memory.size() + 1) / 2 * 2);
  std::vector<std::vector<std::uint32_t>> from_ir;
  for (const bool optimize : {false, true}) {
    std::vector<std::uint32_t> other = memory;
    launch.globals[14] = {{.address = 0x1000, .bytes = std::as_writable_bytes(std::span(other))}};
    const IrOutcome outcome =
        run_ir(container->programs.at(0), {}, launch, {.optimize = optimize, .verify = true});
    EXPECT_TRUE(outcome.status.ok()) << to_string(outcome.status.error());
    EXPECT_FALSE(outcome.faulted);
    from_ir.push_back(std::move(other));
  }
  launch.globals[14] = {{.address = 0x1000, .bytes = std::as_writable_bytes(std::span(memory))}};
  RunReport report;
  const Status status = interpreter->run(launch, report);
  EXPECT_TRUE(status.ok()) << to_string(status.error());
  EXPECT_FALSE(report.first_fault) << to_string(*report.first_fault);
  for (const auto& other : from_ir) EXPECT_TRUE(other == memory) << "the IR's results are different";
  return memory;
}

TEST(TeslaExamples, Saxpy) {
  Sequence sequence;
  std::vector<std::uint32_t> memory(400);
  for (std::uint32_t& word : memory) word = bits(std::floor(sequence.unit() * 100));
  const auto after = run_example("saxpy", {4, 1}, {64, 1, 1}, memory, {0x1000, 0x1000 + 800, bits(3), 190});
  for (unsigned k = 0; k < 200; ++k) {
    const float wanted = k < 190 ? 3 * number(memory[k]) + number(memory[200 + k]) : number(memory[200 + k]);
    EXPECT_EQ(number(after[200 + k]), wanted) << k;
  }
}

TEST(TeslaExamples, Hash) {
  const auto after = run_example("hash", {2, 1}, {128, 1, 1}, std::vector<std::uint32_t>(256), {0x1000, 5});
  for (std::uint32_t k = 0; k < 256; ++k) {
    std::uint32_t x = k;
    for (int round = 0; round < 5; ++round) {
      x ^= x >> 16;
      x *= 0x7feb352d;
      x ^= x >> 15;
      x *= 0x846ca68b;
      x ^= x >> 16;
    }
    ASSERT_EQ(after[k], x) << k;
  }
}

TEST(TeslaExamples, Collatz) {
  std::vector<std::uint32_t> memory(128);
  std::iota(memory.begin(), memory.end(), 1U);
  const auto after = run_example("collatz", {2, 1}, {64, 1, 1}, memory, {0x1000});
  for (std::uint32_t k = 0; k < 128; ++k) {
    std::uint32_t steps = 0;
    for (std::uint32_t n = k + 1; n > 1 && steps < 1000; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ASSERT_EQ(after[k], steps) << k;
  }
}

TEST(TeslaExamples, Mandelbrot) {
  // Steps that are exact in binary: only sums and products that fit, or the fmad itself, round.
  const auto after = run_example("mandelbrot", {2, 2}, {16, 8, 1}, std::vector<std::uint32_t>(32 * 16),
                                 {0x1000, 32, bits(-2), bits(-1), bits(0.09375F), 50});
  int inside = 0, unequal = 0;
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 32; ++column) {
      const double cx = -2 + 0.09375 * column, cy = -1 + 0.09375 * row;
      double x = 0, y = 0;
      unsigned count = 0;
      while (count < 50 && x * x + y * y <= 4) {
        const double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++count;
      }
      inside += count == 50 ? 1 : 0;
      unequal += after[row * 32 + column] != count ? 1 : 0;
    }
  EXPECT_GT(inside, 80);
  EXPECT_LT(unequal, 8);  // chaotic points on the edge differ in single precision
}

TEST(TeslaExamples, Reduce) {
  Sequence sequence;
  std::vector<std::uint32_t> memory(3 * 256 + 4);
  for (std::uint32_t& word : memory) word = sequence.next();
  const auto after = run_example("reduce", {3, 1}, {128, 1, 1}, memory, {0x1000, 0x1000 + 4 * 768});
  for (unsigned block = 0; block < 3; ++block)
    EXPECT_EQ(after[768 + block],
              std::accumulate(memory.begin() + block * 256, memory.begin() + (block + 1) * 256, 0U));
}

TEST(TeslaExamples, Scan) {
  Sequence sequence;
  std::vector<std::uint32_t> memory(512);
  for (std::uint32_t& word : memory) word = sequence.next();
  const auto after = run_example("scan", {2, 1}, {256, 1, 1}, memory, {0x1000});
  for (unsigned block = 0; block < 2; ++block) {
    std::uint32_t sum = 0;
    for (unsigned k = 256 * block; k < 256 * (block + 1); ++k) ASSERT_EQ(after[k], sum += memory[k]) << k;
  }
}

TEST(TeslaExamples, Histogram) {
  Sequence sequence;
  std::vector<std::uint32_t> memory(512 + 32);
  std::array<std::uint32_t, 32> wanted{};
  for (unsigned k = 0; k < 512; ++k) {
    memory[k] = sequence.next() >> 9;
    ++wanted[memory[k] & 31];
  }
  const auto after = run_example("histogram", {2, 1}, {64, 1, 1}, memory, {0x1000, 0x1000 + 2048});
  for (unsigned k = 0; k < 32; ++k) EXPECT_EQ(after[512 + k], wanted[k]) << k;
}

TEST(TeslaExamples, Matmul) {
  constexpr unsigned kSize = 48;
  Sequence sequence;
  std::vector<std::uint32_t> memory(3 * kSize * kSize);
  for (std::uint32_t& word : memory) word = bits(std::floor(sequence.unit() * 16) - 8);
  const std::uint32_t bytes = 4 * kSize * kSize;
  const auto after = run_example("matmul", {kSize / 16, kSize / 16}, {16, 16, 1}, memory,
                                 {0x1000, 0x1000 + bytes, 0x1000 + 2 * bytes, kSize});
  for (unsigned row = 0; row < kSize; ++row)
    for (unsigned column = 0; column < kSize; ++column) {
      float sum = 0;  // small integers: exact in any order
      for (unsigned k = 0; k < kSize; ++k)
        sum += number(memory[row * kSize + k]) * number(memory[kSize * kSize + k * kSize + column]);
      ASSERT_EQ(number(after[2 * kSize * kSize + row * kSize + column]), sum) << row << ' ' << column;
    }
}

TEST(TeslaExamples, Bitonic) {
  Sequence sequence;
  std::vector<std::uint32_t> memory(256);
  for (std::uint32_t& word : memory) word = sequence.next();
  const auto after = run_example("bitonic", {2, 1}, {128, 1, 1}, memory, {0x1000});
  for (unsigned block = 0; block < 2; ++block) {
    std::vector<std::int32_t> wanted;
    for (unsigned k = 0; k < 128; ++k) wanted.push_back(static_cast<std::int32_t>(memory[128 * block + k]));
    std::ranges::sort(wanted);
    for (unsigned k = 0; k < 128; ++k)
      ASSERT_EQ(static_cast<std::int32_t>(after[128 * block + k]), wanted[k]) << k;
  }
}

TEST(TeslaExamples, NBody) {
  constexpr unsigned kBodies = 128;
  Sequence sequence;
  std::vector<std::uint32_t> memory(kBodies * 6);
  for (unsigned k = 0; k < kBodies * 4; ++k) memory[k] = bits(sequence.unit());
  const auto after = run_example("nbody", {2, 1}, {64, 1, 1}, memory,
                                 {0x1000, 0x1000 + 16 * kBodies, kBodies, bits(0.0625F)});
  for (unsigned i = 0; i < kBodies; ++i) {
    double ax = 0, ay = 0;
    for (unsigned j = 0; j < kBodies; ++j) {
      const double dx = number(memory[4 * j]) - number(memory[4 * i]);
      const double dy = number(memory[4 * j + 1]) - number(memory[4 * i + 1]);
      const double inverse = 1 / std::sqrt(dx * dx + dy * dy + 0.0625);
      ax += dx * number(memory[4 * j + 2]) * inverse * inverse * inverse;
      ay += dy * number(memory[4 * j + 2]) * inverse * inverse * inverse;
    }
    EXPECT_NEAR(number(after[4 * kBodies + 2 * i]), ax, 1e-3) << i;
    EXPECT_NEAR(number(after[4 * kBodies + 2 * i + 1]), ay, 1e-3) << i;
  }
}

}  // namespace
}  // namespace warpjit::tesla
