// Single instructions of the shared corpus, whose results are those of hardware-verified models: 32 rows at a
// time in the lanes of a warp, on the guest interpreter, as IR and as code of every target.
#include <cstdlib>
#include <map>

#include "base/sfu.h"
#include "frontend/tesla/interpret/interpret.h"
#include "support/share.h"
#include "support/source_dir.h"
#include "tesla/translate_test.h"

namespace warpjit::tesla {
namespace {

std::uint32_t word(const std::string& text) {
  return static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 16));
}
std::uint64_t long_word(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 16); }

bool is_shared(const std::string& folder) { return !folder.starts_with(tests::source_file("tests")); }

std::vector<std::vector<std::string>> rows_of(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : split(read_text(path), '\n'))
    if (!line.empty() && line[0] != '#') rows.push_back(split(line, '\t'));
  return rows;
}

// One instruction, then exit. A short one gets a second one that does nothing.
Program one_instruction(std::uint32_t w0, std::uint32_t w1) {
  Program program;
  program.source_name = "row";
  program.code = {w0, w1, 0xf0000001, 0xe0000781};
  if (!is_long_word(w0)) program.code[1] = 0x1000a850;  // mov b32 $r20 $r20
  return program;
}

Status run(const Program& program, WarpRegisters& registers) {
  auto interpreter = Interpreter::prepare(program);
  if (!interpreter) return interpreter.error();
  RunReport report;
  const WarpRegisters before = registers;
  WARPJIT_CHECK(interpreter->run_warp(Launch{}, registers, report));
  static std::uint64_t runs = 0;
  if (!in_share(runs++)) return {};
  WarpRegisters from_ir = before;
  WARPJIT_CHECK(run_warp_ir(program, {}, Launch{}, from_ir).status);
  expect_same_registers(registers, from_ir, "row");
  static const Engine engine{EngineOptions()};
  for (const Target target : engine.info().targets) {
    RunOptions options;
    options.target = target;
    WarpRegisters from_code = before;
    WARPJIT_CHECK(run_warp_engine(engine, options, program, from_code));
    expect_same_registers(registers, from_code, std::string("row on ") + name(target));
  }
  return {};
}

void check_rows(const std::string& path, unsigned flag_register, const char* other_flags) {
  std::map<std::string, std::vector<std::vector<std::string>>> by_words;
  std::size_t count = 0, wrong = 0;
  std::uint64_t groups = 0;
  for (const auto& row : rows_of(path)) by_words[row[1] + row[2]].push_back(row);
  for (const auto& [words, rows] : by_words)
    for (std::size_t first = 0; first < rows.size(); first += kLanes) {
      const std::size_t lanes = std::min<std::size_t>(kLanes, rows.size() - first);
      count += lanes;
      if (!in_share(groups++)) continue;
      WarpRegisters registers;
      for (std::size_t l = 0; l < lanes; ++l) {
        const auto& row = rows[first + l];
        for (unsigned k = 0; k < 3; ++k) registers.r[4 + k][l] = word(row[3 + k]);
        registers.c[0][l] = word(row[6]);
        registers.c[1][l] = word(other_flags);
      }
      const std::uint32_t w0 = word(rows[first][1]), w1 = rows[first][2] == "-" ? 0 : word(rows[first][2]);
      const auto instruction = try_decode(ProgramType::compute, w0, w1);
      ASSERT_TRUE(instruction);
      const Status status = run(one_instruction(w0, w1), registers);
      ASSERT_TRUE(status.ok()) << to_string(status.error());
      const unsigned dst = instruction->form == Form::long_ ? 7 : 6;
      for (std::size_t l = 0; l < lanes; ++l) {
        const auto& row = rows[first + l];
        const bool same =
            registers.r[dst][l] == word(row[7]) && registers.c[flag_register][l] == word(row[8]);
        if (!same && ++wrong < 30)
          ADD_FAILURE() << row[0] << ' ' << disassemble(*instruction) << "\n  of " << row[3] << ' ' << row[4]
                        << ' ' << row[5] << " c " << row[6] << std::hex << "\n  got " << registers.r[dst][l]
                        << " flags " << registers.c[flag_register][l] << ", wanted " << row[7] << " flags "
                        << row[8];
      }
    }
  EXPECT_GT(count, is_shared(path) ? 3000U : 250U);
  EXPECT_EQ(wrong, 0U) << "of " << count;
}

// The parameter: false, the project's rows; true, those of the shared corpus.
class TeslaInstructions : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && shared_folder().empty()) GTEST_SKIP() << "the shared corpus is not there";
  }
  static std::string file(const char* name) {
    return (GetParam() ? shared_folder() + "/instr/" : tests::source_file("tests/tesla/data/")) + name;
  }
};

TEST_P(TeslaInstructions, Integers) { check_rows(file("int.tsv"), 1, "f"); }
TEST_P(TeslaInstructions, Floats) { check_rows(file("fp.tsv"), 0, "0"); }

TEST_P(TeslaInstructions, Doubles) {
  const std::string names[] = {"rn", "rm", "rp", "rz"};
  std::size_t count = 0, wrong = 0;
  std::map<std::string, std::vector<std::vector<std::string>>> by_kind;
  for (const auto& row : rows_of(file("f64.tsv"))) by_kind[row[0] + row[1]].push_back(row);
  for (const auto& [kind, rows] : by_kind) {
    const std::string rounding = names[word(rows[0][1])];
    const std::map<std::string, std::string> texts = {
        {"dadd", "add " + rounding + " f64 $r8d $r0d $r4d"},
        {"dmul", "mul " + rounding + " f64 $r8d $r0d $r2d"},
        {"dfma", "fma " + rounding + " f64 $r8d $r0d $r2d $r4d"},
        {"dmin", "min f64 $r8d $r0d $r2d"}};
    ASSERT_TRUE(texts.contains(rows[0][0])) << rows[0][0];
    const std::string& text = texts.at(rows[0][0]);
    const Program program = program_of(text + "\nexit nop\n");
    for (std::size_t first = 0; first < rows.size(); first += kLanes) {
      const std::size_t lanes = std::min<std::size_t>(kLanes, rows.size() - first);
      WarpRegisters registers;
      for (std::size_t l = 0; l < lanes; ++l)
        for (unsigned k = 0; k < 3; ++k) {
          const std::uint64_t value = long_word(rows[first + l][2 + k]);
          registers.r[2 * k][l] = static_cast<std::uint32_t>(value);
          registers.r[2 * k + 1][l] = static_cast<std::uint32_t>(value >> 32);
        }
      ASSERT_TRUE(run(program, registers).ok());
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::uint64_t got = std::uint64_t{registers.r[9][l]} << 32 | registers.r[8][l];
        ++count;
        if (got != long_word(rows[first + l][5]) && ++wrong < 20)
          ADD_FAILURE() << text << " of " << rows[first + l][2] << ' ' << rows[first + l][3] << ' '
                        << rows[first + l][4] << std::hex << ": got " << got << ", wanted "
                        << rows[first + l][5];
      }
    }
  }
  EXPECT_EQ(count, GetParam() ? 10500U : 175U);
  EXPECT_EQ(wrong, 0U);
}

TEST_P(TeslaInstructions, HalfFloats) {
  const auto program = program_of(
      "cvt rn f16 $r1l f32 $r0\ncvt rm f16 $r2l f32 $r0\ncvt rp f16 $r3l f32 $r0\ncvt rz f16 $r4l f32 $r0\n"
      "cvt f32 $r5 f16 $r0l\nexit nop\n");
  std::size_t wrong = 0, count = 0;
  WarpRegisters registers;
  const auto rows = rows_of(file("f16.tsv"));
  for (const auto& row : rows) {
    // A warp at a time.
    if (count % kLanes == 0) {
      registers = {};
      for (std::size_t l = 0; l < kLanes && count + l < rows.size(); ++l)
        registers.r[0][l] = word(rows[count + l][1]);
      ASSERT_TRUE(run(program, registers).ok());
    }
    const std::size_t lane = count++ % kLanes;
    bool same = true;
    if (row[0] == "f32tof16")
      for (unsigned k = 0; k < 4; ++k) same &= registers.r[1 + k][lane] == word(row[2 + k]);
    else if (row[0] == "f16tof32")
      same = registers.r[5][lane] == word(row[2]);
    else
      FAIL() << row[0];
    if (!same && ++wrong < 20)
      ADD_FAILURE() << row[0] << ' ' << row[1] << std::hex << " got " << registers.r[1][lane] << ' '
                    << registers.r[2][lane] << ' ' << registers.r[3][lane] << ' ' << registers.r[4][lane]
                    << " or " << registers.r[5][lane];
  }
  EXPECT_EQ(wrong, 0U);
}

TEST_P(TeslaInstructions, SpecialFunctions) {
  const std::map<std::string, std::uint32_t (*)(std::uint32_t)> functions = {
      {"rcp", sfu::rcp}, {"lg2", sfu::lg2}, {"cos", sfu::cos}, {"preex2", sfu::preex2}};
  std::map<std::string, std::vector<std::vector<std::string>>> by_function;
  std::size_t count = 0;
  for (const auto& row : rows_of(file("sfu.tsv"))) by_function[row[0]].push_back(row);
  for (const auto& [name, rows] : by_function) {
    ASSERT_TRUE(functions.contains(name)) << name;
    const Program program = program_of(name + " f32 $r1 $r0\nexit nop\n");
    for (std::size_t first = 0; first < rows.size(); first += kLanes) {
      const std::size_t lanes = std::min<std::size_t>(kLanes, rows.size() - first);
      WarpRegisters registers;
      for (std::size_t l = 0; l < lanes; ++l) registers.r[0][l] = word(rows[first + l][1]);
      ASSERT_TRUE(run(program, registers).ok());
      for (std::size_t l = 0; l < lanes; ++l, ++count) {
        const auto& row = rows[first + l];
        ASSERT_EQ(functions.at(name)(word(row[1])), word(row[2])) << name << ' ' << row[1];
        ASSERT_EQ(registers.r[1][l], word(row[2])) << name << ' ' << row[1];
      }
    }
  }
  EXPECT_EQ(count, GetParam() ? 10000U : 244U);
}

TEST_P(TeslaInstructions, Quadop) {
  std::size_t wrong = 0;
  std::uint64_t count = 0;
  for (const auto& row : rows_of(file("quadop.tsv"))) {
    if (!in_share(count++)) continue;
    WarpRegisters registers;
    const auto a = split(row[2], ' '), c = split(row[3], ' '), wanted = split(row[4], ' '),
               flags = split(row[5], ' ');
    for (unsigned l = 0; l < kLanes; ++l) {
      registers.r[4][l] = word(a[l % 4]);
      registers.r[6][l] = word(c[l % 4]);
      registers.c[0][l] = 15;
    }
    const Status status = run(one_instruction(word(row[0]), word(row[1])), registers);
    ASSERT_TRUE(status.ok()) << to_string(status.error());
    for (unsigned l = 0; l < kLanes; ++l)
      if ((registers.r[7][l] != word(wanted[l % 4]) || registers.c[0][l] != word(flags[l % 4])) &&
          ++wrong < 10)
        ADD_FAILURE() << row[0] << ' ' << row[1] << " lane " << l << std::hex << " got " << registers.r[7][l]
                      << " wanted " << wanted[l % 4] << " flags " << registers.c[0][l] << ' ' << flags[l % 4];
  }
  EXPECT_EQ(wrong, 0U);
}

INSTANTIATE_TEST_SUITE_P(Rows, TeslaInstructions, testing::Bool(),
                         [](const auto& parameter) { return parameter.param ? "Shared" : "Own"; });

}  // namespace
}  // namespace warpjit::tesla
