#include "usse/compiled_quad.h"

#include <cstring>

#include "backend/kernel.h"
#include "base/float_environment.h"
#include "ir/interpret.h"
#include "ir/pipeline.h"
#include "usse/translate_registers.h"

namespace warpjit::usse {
namespace {

constexpr std::uint32_t kFirstShared = 3 * kRegistersOfBank, kWords = 4 * kRegisterRows;

using LaneFile = std::vector<std::uint32_t>;  // a lane's rows

LaneFile lane_file(const Quad& quad, std::span<const std::uint32_t> sa, unsigned lane) {
  LaneFile words(kWords);
  for (unsigned n = 0; n < kRegistersOfBank; ++n) {
    words[n] = quad.r[n][lane];
    words[kRegistersOfBank + n] = quad.pa[n][lane];
    words[2 * kRegistersOfBank + n] = quad.o[n][lane];
    words[kFirstShared + n] = sa[n];
  }
  for (unsigned n = 0; n < 16; ++n) words[kFirstInternalWord + n] = quad.i[n / 4][n % 4][lane];
  for (unsigned n = 0; n < 4; ++n) words[kFirstPredicateWord + n] = quad.p[n] >> lane & 1;
  for (unsigned n = 0; n < 2; ++n) words[kFirstIndexWord + n] = quad.idx[n][lane];
  return words;
}

void keep_lane_file(const LaneFile& words, Quad& quad, std::span<std::uint32_t> sa, unsigned lane) {
  for (unsigned n = 0; n < kRegistersOfBank; ++n) {
    quad.r[n][lane] = words[n];
    quad.pa[n][lane] = words[kRegistersOfBank + n];
    quad.o[n][lane] = words[2 * kRegistersOfBank + n];
    sa[n] = words[kFirstShared + n];
  }
  for (unsigned n = 0; n < 16; ++n) quad.i[n / 4][n % 4][lane] = words[kFirstInternalWord + n];
  for (unsigned n = 0; n < 4; ++n) {
    const unsigned bit = 1U << lane;
    quad.p[n] =
        static_cast<std::uint8_t>((quad.p[n] & ~bit) | (words[kFirstPredicateWord + n] != 0 ? bit : 0));
  }
  for (unsigned n = 0; n < 2; ++n) quad.idx[n][lane] = words[kFirstIndexWord + n];
}

Status run_ir(const ir::GroupProgram& program, std::vector<LaneFile>& lanes,
              std::vector<std::uint32_t>& table, std::uint64_t fuel) {
  WARPJIT_TRY(const ir::Interpreter preamble, ir::Interpreter::prepare(program.preamble, 1));
  WARPJIT_TRY(const ir::Interpreter kernel, ir::Interpreter::prepare(program.kernel, 4));
  const std::int64_t stride = 4 * kWords;
  std::vector<std::uint32_t> in, out((kWords + 4) * lanes.size());
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    in.insert(in.end(), lanes[lane].begin(), lanes[lane].end());
    std::copy(lanes[lane].begin(), lanes[lane].end(),
              out.begin() + static_cast<std::ptrdiff_t>(lane * (kWords + 4)));
  }
  const ir::InputBinding input{reinterpret_cast<const std::byte*>(in.data()), stride};
  const ir::OutputBinding output{reinterpret_cast<std::byte*>(out.data()), stride + 16};
  ir::Memory memory;
  memory.inputs = {&input, 1};
  memory.outputs = {&output, 1};
  memory.uniform = table;
  WARPJIT_CHECK(preamble.run(memory, 0, 1, 0));
  WARPJIT_CHECK(kernel.run(memory, 0, lanes.size(), fuel));
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(lane * (kWords + 4)), kWords, lanes[lane].begin());
  return {};
}

Status run_code(const ir::GroupProgram& program, backend::Target target, std::vector<LaneFile>& lanes,
                std::vector<std::uint32_t>& table, std::uint64_t fuel) {
  const backend::MachineCode code = backend::compile(program, {.target = target});
  if (code.bytes.empty()) return Error{ErrorCode::internal, "no code", {}};
  const backend::Executable executable(code);
  backend::Launch launch;
  launch.threads = code.lanes;
  launch.fuel = fuel;
  launch.table = table;
  launch.table.resize((code.table_bytes + 3) / 4);
  backend::Rows in(launch.threads * kRegisterRows, 16), out(launch.threads * (kRegisterRows + 1), 16);
  in.per_thread = kRegisterRows;
  out.per_thread = kRegisterRows + 1;
  for (std::uint64_t thread = 0; thread < launch.threads; ++thread)
    for (std::uint32_t row = 0; row < kRegisterRows; ++row) {
      backend::Words words;
      std::copy_n(lanes[thread % 4].begin() + 4 * row, 4, words.begin());
      in.set(thread * kRegisterRows + row, words);
      out.set(thread * (kRegisterRows + 1) + row, words);
    }
  launch.inputs.push_back(std::move(in));
  launch.outputs.push_back(std::move(out));
  const backend::Outcome outcome = backend::run(executable, launch);
  if (outcome.status == backend::KernelStatus::out_of_fuel) return Error{ErrorCode::out_of_fuel, "", {}};
  for (std::uint64_t thread = 0; thread < launch.threads; ++thread)
    for (std::uint32_t row = 0; row < kRegisterRows; ++row) {
      const backend::Words words = launch.outputs[0].get(thread * (kRegisterRows + 1) + row);
      if (thread < 4)
        std::copy(words.begin(), words.end(), lanes[thread].begin() + 4 * row);
      else if (std::memcmp(words.data(), &lanes[thread % 4][4 * row], 16) != 0)
        return Error{ErrorCode::internal, "two quads differ", {}};
    }
  return {};
}

}  // namespace

const char* name(CompiledEngine engine) {
  constexpr const char* kNames[] = {"ir", "ir, dispatched", "v3", "v4"};
  return kNames[static_cast<unsigned>(engine)];
}
bool runs_here(CompiledEngine engine) {
  if (engine == CompiledEngine::v3) return backend::runs_here(backend::Target::x64_v3);
  return engine != CompiledEngine::v4 || backend::runs_here(backend::Target::x64_v4);
}

Status run_compiled(const Program& program, CompiledEngine engine, Quad& quad, std::span<std::uint32_t> sa,
                    std::uint64_t fuel) {
  const FloatEnvironment environment;
  WARPJIT_TRY(ir::Function function, translate_registers(program));
  ir::PipelineOptions options;
  options.verify = true;
  options.dispatch_all = engine == CompiledEngine::ir_dispatched;
  WARPJIT_TRY(const ir::GroupProgram groups, ir::run_pipeline(std::move(function), options));
  std::vector<LaneFile> lanes;
  for (unsigned lane = 0; lane < kLanes; ++lane) lanes.push_back(lane_file(quad, sa, lane));
  std::vector<std::uint32_t> table(groups.kernel.uniform_bytes / 4);
  const UniformTable layout = uniform_table(program, 0);
  std::copy_n(sa.begin(), layout.words, table.begin() + layout.first / 4);
  if (engine <= CompiledEngine::ir_dispatched) {
    WARPJIT_CHECK(run_ir(groups, lanes, table, fuel));
  } else {
    const auto target = engine == CompiledEngine::v3 ? backend::Target::x64_v3 : backend::Target::x64_v4;
    WARPJIT_CHECK(run_code(groups, target, lanes, table, fuel));
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) keep_lane_file(lanes[lane], quad, sa, lane);
  return {};
}

}  // namespace warpjit::usse
