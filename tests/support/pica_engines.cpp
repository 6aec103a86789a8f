#include "support/pica_engines.h"
#include "base/float_environment.h"

#include <bit>
#include <cstdio>
#include <cstring>

#include "frontend/pica200/facts/usage.h"
#include "frontend/pica200/translate/instruction.h"
#include "ir/interpret.h"
#include "ir/verifier.h"
#include "support/pages.h"

namespace warpjit::tests {
namespace {

using pica200::ExitFile;
using pica200::ExitRegister;

std::vector<ExitRegister> all_exit_registers() {
  std::vector<ExitRegister> rows;
  for (std::uint8_t n = 0; n < 16; ++n) rows.push_back({ExitFile::o, n});
  for (std::uint8_t n = 0; n < 16; ++n) rows.push_back({ExitFile::r, n});
  rows.push_back({ExitFile::a0, 0});
  rows.push_back({ExitFile::aL, 0});
  rows.push_back({ExitFile::cmp, 0});
  return rows;
}

// The uniform table, written from the layout's description rather than by the runtime's code.
std::vector<std::uint32_t> make_table(const PicaLaunch& launch, const pica200::TranslationFacts& facts,
                                      std::size_t bytes) {
  std::vector<std::uint32_t> table(bytes / 4 + 64, 0);
  const pica200::TableLayout& layout = facts.layout;
  auto put = [&](std::uint32_t offset, std::uint32_t word) { table[offset / 4] = word; };
  for (std::uint32_t row = 0; row < layout.rows(); ++row) {
    std::uint32_t n = layout.relative ? (row - pica200::TableLayout::kRelativeOrigin) & 0x7f : row;
    for (std::uint32_t c = 0; c < 4; ++c)
      put(16 * row + 4 * c, std::bit_cast<std::uint32_t>(n <= 95 ? launch.uniforms.c[n][c] : 1.0f));
  }
  for (unsigned n = 0; n < 4; ++n)
    for (unsigned c = 0; c < 4; ++c) put(layout.i(n) + 4 * c, launch.uniforms.i[n][c]);
  put(layout.bools(), launch.uniforms.b);
  if (launch.threads.empty()) return table;
  const pica200::ThreadState& start = launch.threads[0];
  for (unsigned n = 0; n < 16; ++n)
    for (unsigned c = 0; c < 4; ++c) put(layout.r(n) + 4 * c, std::bit_cast<std::uint32_t>(start.r[n][c]));
  for (unsigned c = 0; c < 2; ++c) {
    put(layout.a0(c), static_cast<std::uint32_t>(start.a0[c]));
    put(layout.cmp(c), start.cmp[c] ? 1 : 0);
  }
  put(layout.aL(), static_cast<std::uint32_t>(start.aL));
  return table;
}

struct Buffers {
  std::vector<float> inputs;           // [thread][register][4]
  std::vector<std::uint32_t> outputs;  // [thread][row][4]
};

Buffers make_buffers(const PicaLaunch& launch, std::size_t threads) {
  Buffers buffers;
  buffers.inputs.resize(threads * 64);
  buffers.outputs.assign(threads * kExitRows * 4, 0xdeadbeef);
  for (std::size_t t = 0; t < threads; ++t) {
    const auto& state = launch.threads[t < launch.threads.size() ? t : launch.threads.size() - 1];
    std::memcpy(&buffers.inputs[t * 64], state.v, sizeof state.v);
  }
  return buffers;
}

EngineResult failed(const Error& error) { return {error, {}}; }

EngineResult run_interpreter(const PicaLaunch& launch, const ir::Function& f, const ir::Function* preamble,
                             unsigned lanes) {
  const pica200::TranslationFacts facts = facts_of(launch);
  std::vector<std::uint32_t> table = make_table(launch, facts, f.uniform_bytes);
  Buffers buffers = make_buffers(launch, launch.threads.size());
  std::vector<ir::InputBinding> inputs;
  std::vector<ir::OutputBinding> outputs;
  for (unsigned n = 0; n < 16; ++n)
    if (facts.bound_inputs >> n & 1)
      inputs.push_back({reinterpret_cast<const std::byte*>(&buffers.inputs[4 * n]), 256});
  for (std::size_t k = 0; k < kExitRows; ++k)
    outputs.push_back(
        {reinterpret_cast<std::byte*>(&buffers.outputs[4 * k]), static_cast<std::int64_t>(kExitRows) * 16});
  ir::Memory memory;
  memory.inputs = inputs;
  memory.outputs = outputs;
  memory.uniform = table;
  if (preamble != nullptr && preamble->block_count() != 0) {
    auto before = ir::Interpreter::prepare(*preamble, 1);
    if (!before) return failed(before.error());
    if (Status status = before->run(memory, 0, 1, 1); !status) return failed(status.error());
  }
  auto interpreter = ir::Interpreter::prepare(f, lanes);
  if (!interpreter) return failed(interpreter.error());
  if (Status status = interpreter->run(memory, 0, launch.threads.size(), launch.fuel); !status)
    return failed(status.error());
  return {std::nullopt, buffers.outputs};
}

// Pages that are written and then made executable.
class ExecutablePages {
 public:
  explicit ExecutablePages(const std::vector<std::uint8_t>& bytes)
      : size_((bytes.size() + 4095) & ~std::size_t{4095}) {
    pages_ = tests::map_pages(size_, tests::Access::write);
    std::memcpy(pages_, bytes.data(), bytes.size());
    tests::protect_pages(pages_, size_, tests::Access::execute);
    __builtin___clear_cache(reinterpret_cast<char*>(pages_), reinterpret_cast<char*>(pages_ + size_));
  }
  ~ExecutablePages() { tests::unmap_pages(pages_, size_); }
  ExecutablePages(const ExecutablePages&) = delete;
  void call(std::uint32_t offset, backend::KernelArgs& args) const {
    const FloatEnvironment environment;
    reinterpret_cast<void (*)(backend::KernelArgs*)>(pages_ + offset)(&args);
  }

 private:
  std::byte* pages_;
  std::size_t size_;
};

Result<ir::GroupProgram> group_program(const PicaLaunch& launch, bool dispatch_all) {
  WARPJIT_TRY(ir::Function f, pica200::translate(launch.program, launch.program.entry, facts_of(launch)));
  ir::PipelineOptions options;
  options.dispatch_all = dispatch_all;
  options.verify = true;
  return ir::run_pipeline(std::move(f), options);
}

}  // namespace

pica200::TranslationFacts facts_of(const PicaLaunch& launch) {
  pica200::TranslationFacts facts;
  const pica200::CodeUsage usage = pica200::find_usage(launch.program, launch.program.entry);
  facts.layout.relative = usage.relative;
  facts.bound_inputs = usage.inputs;
  facts.bools_known = launch.generic_booleans ? 0 : 0xffff;
  facts.bools = launch.generic_booleans ? 0 : launch.uniforms.b;
  facts.state_r = 0xffff;
  facts.state_a0 = facts.state_aL = facts.state_cmp = true;
  facts.outputs = all_exit_registers();
  return facts;
}

EngineResult run_guest(const PicaLaunch& launch) {
  auto interpreter = pica200::Interpreter::prepare(launch.program, launch.program.entry);
  if (!interpreter) return failed(interpreter.error());
  EngineResult result;
  for (const pica200::ThreadState& start : launch.threads) {
    pica200::ThreadState state = launch.threads[0];
    std::memcpy(state.v, start.v, sizeof state.v);
    if (Status status = interpreter->run(launch.uniforms, state, launch.fuel); !status)
      return failed(status.error());
    pica200::canonicalize_outputs(state);
    auto put = [&](const auto& row) {
      std::uint32_t words[4];
      std::memcpy(words, &row, 16);
      result.words.insert(result.words.end(), words, words + 4);
    };
    for (const auto& row : state.o) put(row);
    for (const auto& row : state.r) put(row);
    const std::int32_t last[3][4] = {
        {state.a0[0], state.a0[1], 0, 0}, {state.aL, 0, 0, 0}, {state.cmp[0], state.cmp[1], 0, 0}};
    for (const auto& row : last) put(row);
  }
  return result;
}

EngineResult run_thread_form(const PicaLaunch& launch) {
  auto f = pica200::translate(launch.program, launch.program.entry, facts_of(launch));
  if (!f) return failed(f.error());
  if (Status status = ir::verify(*f); !status) return failed(status.error());
  return run_interpreter(launch, *f, nullptr, 1);
}

EngineResult run_dynamic_form(const PicaLaunch& launch) {
  auto f = pica200::translate_dynamic(launch.program, launch.program.entry, facts_of(launch));
  if (!f) return failed(f.error());
  if (Status status = ir::verify(*f); !status) return failed(status.error());
  return run_interpreter(launch, *f, nullptr, 1);
}

EngineResult run_group_form(const PicaLaunch& launch, unsigned lanes, bool dispatch_all) {
  auto program = group_program(launch, dispatch_all);
  if (!program) return failed(program.error());
  return run_interpreter(launch, program->kernel, &program->preamble, lanes);
}

EngineResult run_jit(const PicaLaunch& launch, const JitOptions& options) {
  auto program = group_program(launch, options.dispatch_all);
  if (!program) return failed(program.error());
  backend::CompileOptions compile_options;
  compile_options.parts = options.parts;
  compile_options.registers = options.registers;
  compile_options.validate = true;
  auto code = backend::compile(*program, options.target, compile_options);
  if (!code) return failed(code.error());
  ExecutablePages pages(code->bytes);
  const pica200::TranslationFacts facts = facts_of(launch);
  const std::size_t groups = (launch.threads.size() + code->lanes - 1) / code->lanes;
  Buffers buffers = make_buffers(launch, groups * code->lanes);
  std::vector<std::uint32_t> words = make_table(launch, facts, code->table_bytes);
  std::vector<std::uint32_t> storage(words.size() + 16);
  std::uint32_t* table =
      storage.data() + (16 - reinterpret_cast<std::uintptr_t>(storage.data()) / 4 % 16) % 16;
  std::memcpy(table, words.data(), words.size() * 4);
  std::uint32_t cancel = 0;
  backend::KernelArgs args{};
  args.table = table;
  args.group_count = groups;
  FuelCounts counts(launch.fuel);
  args.fuel = static_cast<std::uint64_t>(group_fuel(launch.fuel));
  args.fuel_counts = &counts;
  args.call = backend::call_out;
  args.call_sites = code->call_sites.data();
  args.cancel = &cancel;
  std::size_t binding = 0;
  for (unsigned n = 0; n < 16; ++n)
    if (facts.bound_inputs >> n & 1)
      args.inputs[binding++] = {reinterpret_cast<std::byte*>(&buffers.inputs[4 * n]), 256,
                                256 * static_cast<std::int64_t>(code->lanes)};
  constexpr std::int64_t kStride = static_cast<std::int64_t>(kExitRows) * 16;
  for (std::size_t k = 0; k < kExitRows; ++k)
    args.outputs[k] = {reinterpret_cast<std::byte*>(&buffers.outputs[4 * k]), kStride,
                       kStride * static_cast<std::int64_t>(code->lanes)};
  if (code->preamble_offset != ~0u) pages.call(code->preamble_offset, args);
  pages.call(code->kernel_offset, args);
  if (args.status == backend::KernelStatus::out_of_fuel)
    return failed({ErrorCode::out_of_fuel, "out of fuel", ""});
  buffers.outputs.resize(launch.threads.size() * kExitRows * 4);
  return {std::nullopt, std::move(buffers.outputs)};
}

pica200::ThreadState exit_state(const EngineResult& result, std::size_t thread) {
  pica200::ThreadState state;
  const std::uint32_t* words = result.words.data() + thread * kExitRows * 4;
  std::memcpy(state.o, words, sizeof state.o);
  std::memcpy(state.r, words + 64, sizeof state.r);
  for (unsigned c = 0; c < 2; ++c) {
    state.a0[c] = static_cast<std::int32_t>(words[128 + c]);
    state.cmp[c] = words[136 + c] != 0;
  }
  state.aL = static_cast<std::int32_t>(words[132]);
  return state;
}

std::string difference(const EngineResult& wanted, const EngineResult& got) {
  if (wanted.error || got.error) {
    if (wanted.error && got.error && wanted.error->code == got.error->code) return {};
    return "wanted " + (wanted.error ? to_string(*wanted.error) : "success") + ", got " +
           (got.error ? to_string(*got.error) : "success");
  }
  if (wanted.words.size() != got.words.size()) return "sizes differ";
  for (std::size_t k = 0; k < wanted.words.size(); ++k) {
    if (wanted.words[k] == got.words[k]) continue;
    const std::size_t row = k / 4 % kExitRows;
    const char* const kLast[] = {"a0", "aL", "cmp"};
    const std::string name = row < 16   ? "o" + std::to_string(row)
                             : row < 32 ? "r" + std::to_string(row - 16)
                                        : kLast[row - 32];
    char text[128];
    std::snprintf(text, sizeof text, "thread %zu, %s.%c: wanted 0x%08x, got 0x%08x", k / 4 / kExitRows,
                  name.c_str(), "xyzw"[k % 4], wanted.words[k], got.words[k]);
    return text;
  }
  return {};
}

}  // namespace warpjit::tests
