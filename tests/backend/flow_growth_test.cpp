// The time and the memory that control flow takes to compile grow about as the program does, for each of these
// shapes: a program of four times the steps against the program. Counted are the bytes that `new` gives, and the
// time of the processor.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

#include "backend/counted_memory.h"
#include "backend/lower/choose_parts.h"
#include "backend/target.h"
#include "ir/builder.h"
#include "ir/pass/ssa.h"
#include "ir/pipeline.h"
#include "support/processor_time.h"

namespace warpjit::backend {
namespace {

constexpr std::uint32_t kRegisters = 24;

// A program of registers, as guests have them: steps that change registers, and branches between steps.
class Program {
 public:
  explicit Program(std::uint32_t steps) : steps_(steps) {}

  struct Step {
    std::uint32_t changes = 1;
    // Where it goes if a register is below another one, and else; the number of steps: the end.
    std::uint32_t below, otherwise;
    bool varies = true;  // by lane
  };
  Step& operator[](std::uint32_t k) { return steps_[k]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(steps_.size()); }

  // What changes registers or branches, about.
  std::size_t operations() const {
    std::size_t count = 0;
    for (const Step& step : steps_) count += 3 + step.changes;
    return count;
  }

  ir::Function function() const {
    ir::Function f;
    f.name = "flow";
    f.input_count = f.output_count = 1;
    f.uniform_bytes = 64;
    ir::Builder b(f);
    const std::vector<ir::Type> types(kRegisters, ir::Type::f32);
    ir::SsaBuilder ssa(b, types);
    std::vector<ir::Block> blocks{f.add_block()};
    for (std::uint32_t k = 0; k <= size(); ++k) blocks.push_back(f.add_block());
    b.set_block(blocks[0]);
    const auto input = b.LoadInput(0);
    for (std::uint32_t r = 0; r < kRegisters; ++r)
      ssa.write(blocks[0], r, b.FAdd32(input[r % 4], b.constant(static_cast<float>(r))));
    b.jump(blocks[1]);
    // Blocks are sealed as translators do it: as soon as all edges into them are made.
    std::vector<std::uint32_t> edges_left(size() + 1);
    for (const Step& step : steps_) {
      ++edges_left[step.below];
      if (step.otherwise != step.below) ++edges_left[step.otherwise];
    }
    const auto edge_made = [&](std::uint32_t target) {
      if (--edges_left[target] == 0) ssa.seal(blocks[target + 1]);
    };
    ssa.seal(blocks[0]);
    if (edges_left[0] == 0) ssa.seal(blocks[1]);
    for (std::uint32_t k = 0; k < size(); ++k) {
      const Step& step = steps_[k];
      const ir::Block block = blocks[k + 1];
      b.set_block(block);
      const auto read = [&](std::uint32_t r) { return ssa.read<ir::F32>(block, r % kRegisters); };
      for (std::uint32_t n = 0; n < step.changes; ++n) {
        const std::uint32_t r = 5 * k + n;
        ssa.write(block, r % kRegisters, b.FMul32(read(r), read(r + 7)));
      }
      if (step.below == step.otherwise) {
        b.jump(blocks[step.below + 1], step.below <= k);
        edge_made(step.below);
        continue;
      }
      const ir::I1 condition =
          step.varies ? b.FLt32(read(3 * k + 1), read(11 * k + 2))
                      : b.INe32(b.LoadUniformI32(4 * (k % 16)), b.constant(std::uint32_t{k / 16}));
      b.branch(condition, blocks[step.below + 1], blocks[step.otherwise + 1],
               (step.below <= k ? 1U : 0U) | (step.otherwise <= k ? 2U : 0U));
      edge_made(step.below);
      edge_made(step.otherwise);
    }
    const ir::Block end = blocks.back();
    b.set_block(end);
    ir::F32 sum = ssa.read<ir::F32>(end, 0);
    for (std::uint32_t r = 1; r < kRegisters; ++r) sum = b.FAdd32(sum, ssa.read<ir::F32>(end, r));
    b.StoreOutput(b.constant(true), sum, sum, sum, sum, 0);
    b.ret();
    EXPECT_TRUE(ssa.finish().ok());
    return f;
  }

 private:
  std::vector<Step> steps_;
};

// Steps in a row.
Program row(std::uint32_t steps) {
  Program program(steps);
  for (std::uint32_t k = 0; k < steps; ++k) program[k].below = program[k].otherwise = k + 1;
  return program;
}
// n loops of two steps, one after the other; what they change is read at the end.
Program loops_in_a_row(std::uint32_t n, std::uint32_t changes) {
  Program program = row(2 * n);
  for (std::uint32_t k = 0; k < n; ++k) {
    program[2 * k].otherwise = 2 * k + 2;
    program[2 * k + 1] = {changes, 2 * k, 2 * k};
  }
  return program;
}
Program loops_inside_each_other(std::uint32_t n) {
  Program program = row(2 * n);
  for (std::uint32_t k = 0; k < n; ++k) program[n + k].below = n - 1 - k;
  return program;
}
// One loop with n ways out.
Program ways_out(std::uint32_t n) {
  Program program = row(n);
  for (std::uint32_t k = 0; k < n; ++k) program[k].below = n;
  program[n - 1].otherwise = 0;
  return program;
}
Program early_exits(std::uint32_t n) {
  Program program = row(n);
  for (std::uint32_t k = 0; k < n; ++k) program[k].below = n;
  return program;
}
// Early exits, with uniform choices between them.
Program exits_and_choices(std::uint32_t n) {
  Program program = row(3 * n);
  for (std::uint32_t k = 0; k < n; ++k) {
    program[3 * k].below = 3 * n;
    program[3 * k + 1].below = 3 * k + 3;
    program[3 * k + 1].varies = false;
  }
  return program;
}
// n ifs, one after the other, each with `changes` values across its join.
Program joins(std::uint32_t n, std::uint32_t changes) {
  Program program = row(2 * n);
  for (std::uint32_t k = 0; k < n; ++k) {
    program[2 * k].below = 2 * k + 2;
    program[2 * k + 1].changes = changes;
  }
  return program;
}
Program ifs_inside_each_other(std::uint32_t n) {
  Program program = row(2 * n);
  for (std::uint32_t k = 0; k < n; ++k) program[k].below = 2 * n - 1 - k;
  return program;
}
// Branches over up to 40 steps, which do not nest.
Program branches_forward(std::uint32_t n) {
  Program program = row(n);
  std::uint32_t random = 1;
  for (std::uint32_t k = 0; k + 1 < n; ++k) {
    random = random * 1664525 + 1013904223;
    program[k].below = std::min(k + 1 + (random >> 16) % 40, n);
    program[k].varies = (random >> 8) % 4 != 0;
  }
  return program;
}
// Branches to any step.
Program branches_anywhere(std::uint32_t n) {
  Program program = row(n);
  std::uint32_t random = 1;
  for (std::uint32_t k = 0; k < n; ++k) {
    random = random * 1664525 + 1013904223;
    program[k].below = (random >> 12) % n;
  }
  return program;
}

struct Shape {
  const char* name;
  std::function<Program(std::uint32_t)> program;
  std::uint32_t size = 400;
  std::size_t most_bytes = 10'000;  // for each operation
  bool verify = false;              // the IR, after each pass
};

struct Taken {
  std::size_t memory = 0;
  double time = 0;  // seconds of the processor
};

// Programs of which a backend refuses the size end there.
Taken compile_once(const Program& program, bool verify) {
  constexpr Target kTarget = Target::x64_v3;
  const std::size_t before = requested_bytes();
  const double start = tests::processor_seconds();
  ir::Function function = program.function();
  ir::PipelineOptions options;
  options.verify = verify;
  options.group_lanes = [](const ir::Function& f) { return choose_group_lanes(f, kTarget); };
  const auto made = ir::run_pipeline(std::move(function), options);
  EXPECT_TRUE(made.ok()) << to_string(made.error());
  if (made && built_in(kTarget)) {
    const auto code = compile(*made, kTarget, {});
    EXPECT_TRUE(code.ok() || code.error().code == ErrorCode::resource_limit) << to_string(code.error());
  }
  return {requested_bytes() - before, tests::processor_seconds() - start};
}

class FlowGrowth : public ::testing::TestWithParam<Shape> {};

TEST_P(FlowGrowth, IsAboutLinear) {
  const Shape& shape = GetParam();
  const Taken once = compile_once(shape.program(shape.size), shape.verify);
  const Program program = shape.program(4 * shape.size);
  const Taken larger = compile_once(program, shape.verify);
  EXPECT_LT(larger.memory, shape.most_bytes * program.operations()) << 4 * shape.size;
  // Vectors that grow by doubling make steps.
  EXPECT_LT(static_cast<double>(larger.memory), 6 * static_cast<double>(once.memory))
      << shape.size << ": " << once.memory << " bytes, four times that: " << larger.memory;
  // Time varies with what else the machine does. A square would be 16 times.
  EXPECT_TRUE(larger.time < 10 * once.time || larger.time < 0.3)
      << shape.size << ": " << once.time << " s, four times that: " << larger.time << " s";
}

const Shape kShapes[] = {
    {"loops", [](std::uint32_t n) { return loops_in_a_row(n, 1); }},
    {"loops_with_many_values", [](std::uint32_t n) { return loops_in_a_row(n, 20); }},
    {"loops_inside_each_other", loops_inside_each_other, 50, 20'000},
    {"ways_out", ways_out, 500},
    {"early_exits", early_exits, 1000},
    {"early_exits_verified", early_exits, 1000, 10'000, true},
    {"exits_and_choices", exits_and_choices, 500},
    {"joins", [](std::uint32_t n) { return joins(n, 1); }, 500},
    {"joins_with_many_values", [](std::uint32_t n) { return joins(n, 20); }},
    {"ifs_inside_each_other", ifs_inside_each_other, 500},
    {"branches_forward", branches_forward},
    {"branches_anywhere", branches_anywhere},
};

INSTANTIATE_TEST_SUITE_P(Shapes, FlowGrowth, ::testing::ValuesIn(kShapes),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace warpjit::backend
