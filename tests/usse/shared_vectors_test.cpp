// Single instructions of the shared corpus on registers with given bits.
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/float_environment.h"
#include "frontend/usse/facts/checks.h"
#include "frontend/usse/interpret/quad.h"
#include "support/share.h"
#include "support/source_dir.h"
#include "usse/compiled_quad.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

// The bits of word n of bank k (r, pa, sa, o, i) in a lane.
std::uint32_t filling(unsigned kind, unsigned bank, unsigned lane, unsigned n) {
  std::uint32_t x = n * 0x9E3779B1U + (bank == 2 ? 0 : lane) * 0x85EBCA77U + bank * 0xC2B2AE3DU + kind;
  x ^= x >> 15;
  x *= 0x2C1B3C6DU;
  x ^= x >> 12;
  x *= 0x297A2D39U;
  x ^= x >> 15;
  const auto half = [](std::uint32_t v) { return (v & 0x83FF) | (11 + (v >> 10 & 7)) << 10; };
  if (kind == 0 || bank == 4) return (x & 0x807FFFFF) | (120 + (x >> 23 & 15)) << 23;
  return kind == 1 ? x : half(x & 0xffff) | half(x >> 16) << 16;
}

struct Machine {
  Quad quad;
  std::array<std::uint32_t, kMaxRegisters> sa{};

  explicit Machine(unsigned kind) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned n = 0; n < kMaxRegisters; ++n) {
        quad.r[n][lane] = filling(kind, 0, lane, n);
        quad.pa[n][lane] = filling(kind, 1, lane, n);
        quad.o[n][lane] = filling(kind, 3, lane, n);
        sa[n] = filling(kind, 2, 0, n);
      }
      for (unsigned n = 0; n < 16; ++n) quad.i[n / 4][n % 4][lane] = filling(kind, 4, lane, n);
      for (unsigned n = 0; n < 2; ++n) quad.idx[n][lane] = n + 1;
      for (unsigned n = 0; n < 4; ++n)
        if ((lane >> (n & 1) & 1) != 0) quad.p[n] |= static_cast<std::uint8_t>(1U << lane);
    }
  }

  // "pa4", "i1.y", "sa0", "p2", "idx1"
  std::uint32_t value(const std::string& reg, unsigned lane) const {
    const std::size_t digits = reg.find_first_of("0123456789");
    const std::string bank = reg.substr(0, digits);
    const auto n = static_cast<std::size_t>(std::atoi(reg.c_str() + digits));
    if (bank == "r") return quad.r[n][lane];
    if (bank == "pa") return quad.pa[n][lane];
    if (bank == "o") return quad.o[n][lane];
    if (bank == "sa") return sa[n];
    if (bank == "idx") return quad.idx[n - 1][lane];
    if (bank == "p") return quad.p[n] >> lane & 1;
    return quad.i[n][std::string("xyzw").find(reg.back())][lane];
  }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (unsigned n = 0; n < kMaxRegisters; ++n)
      for (const char* bank : {"r", "pa", "o", "sa"}) list.push_back(bank + std::to_string(n));
    for (unsigned n = 0; n < 4; ++n) {
      list.push_back("p" + std::to_string(n));
      for (const char component : {'x', 'y', 'z', 'w'})
        list.push_back("i" + std::to_string(n) + "." + component);
    }
    list.insert(list.end(), {"idx1", "idx2"});
    return list;
  }
};

bool same_single(std::uint32_t a, std::uint32_t b, std::uint32_t ulps) {
  const auto nan = [](std::uint32_t word) { return (word & 0x7fffffff) > 0x7f800000; };
  if (nan(a) || nan(b)) return nan(a) && nan(b);
  return a == b || (ulps != 0 && (a ^ b) >> 31 == 0 && (a > b ? a - b : b - a) <= ulps);
}
bool same_half(std::uint32_t a, std::uint32_t b, std::uint32_t ulps) {
  const auto nan = [](std::uint32_t word) { return (word & 0x7fff) > 0x7c00; };
  if (nan(a) || nan(b)) return nan(a) && nan(b);
  return a == b || (ulps != 0 && (a ^ b) >> 15 == 0 && (a > b ? a - b : b - a) <= ulps);
}
bool same(std::uint32_t a, std::uint32_t b, const Instruction& i, const std::string& reg,
          std::uint32_t ulps) {
  if (a == b) return true;
  if (reg[0] != 'i' && i.type == Type::f16)
    return same_half(a & 0xffff, b & 0xffff, ulps) && same_half(a >> 16, b >> 16, ulps);
  return same_single(a, b, ulps);
}

// Runs an instruction on a machine.
using RunInstruction = std::function<Status(const Instruction&, Machine&)>;

// `each`: every how many-th vector runs, and of these the share of long tests.
void check_instructions(const RunInstruction& run, unsigned each) {
  const std::filesystem::path file = tests::shared_file("corpus/usse/vectors.jsonl");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the shared corpus is not there";
  const FloatEnvironment environment;
  std::ifstream stream(file);
  unsigned cases = 0, wrong = 0;
  for (std::string line; std::getline(stream, line); ++cases) {
    if (cases % each != 0 || !in_share(cases / each)) continue;
    const auto json = nlohmann::json::parse(line);
    const std::uint64_t word = std::stoull(json["word"].get<std::string>(), nullptr, 16);
    const unsigned kind = json["fill"];
    const std::uint32_t ulps = json.value("ulp", 0U);
    const auto instruction = decode(word);
    ASSERT_TRUE(instruction.ok());
    const std::string text = disassemble(*instruction);
    const Machine before(kind);
    Machine after(kind);
    const Status executes = run(*instruction, after);
    EXPECT_TRUE(executes.ok()) << text << ": " << (executes ? std::string() : to_string(executes.error()));
    bool right = true;
    for (const std::string& reg : before.names()) {
      const auto given = json["after"].find(reg);
      for (unsigned lane = 0; lane < (reg[0] == 's' ? 1 : kLanes); ++lane) {
        std::uint32_t wanted = before.value(reg, lane);
        if (given != json["after"].end() && !(*given)[lane].is_null())
          wanted =
              (*given)[lane].is_string()
                  ? static_cast<std::uint32_t>(std::stoul((*given)[lane].get<std::string>(), nullptr, 16))
                  : (*given)[lane].get<std::uint32_t>();
        const std::uint32_t got = after.value(reg, lane);
        if (same(got, wanted, *instruction, reg, ulps)) continue;
        right = false;
        if (wrong < 20)
          ADD_FAILURE() << std::hex << word << ' ' << text << " fill " << kind << ", " << reg << " lane "
                        << lane << ": got " << got << ", wanted " << wanted;
      }
    }
    if (!right) ++wrong;
  }
  EXPECT_GT(cases, 4000U);
  EXPECT_EQ(wrong, 0U) << "of " << cases;
}

TEST(UsseSharedVectors, Instructions) {
  check_instructions(
      [](const Instruction& instruction, Machine& machine) -> Status {
        WARPJIT_CHECK(check_executes(instruction));
        QuadAlu(machine.quad, {.sa = machine.sa}).execute(instruction, 15);
        return {};
      },
      1);
}

class CompiledVectors : public ::testing::TestWithParam<CompiledEngine> {};
INSTANTIATE_TEST_SUITE_P(Engines, CompiledVectors, ::testing::ValuesIn(kCompiledEngines),
                         [](const auto& tested) { return std::to_string(static_cast<int>(tested.param)); });

TEST_P(CompiledVectors, Instructions) {
  if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << name(GetParam());
  check_instructions(
      [](const Instruction& instruction, Machine& machine) {
        Program program;
        program.primary = {instruction.raw};
        return run_compiled(program, GetParam(), machine.quad, machine.sa);
      },
      5);
}

}  // namespace
}  // namespace warpjit::usse
