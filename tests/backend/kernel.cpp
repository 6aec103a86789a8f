#include "backend/kernel.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/float_environment.h"
#include "base/result.h"
#include "ir/verifier.h"
#include "support/pages.h"

namespace warpjit::backend {
namespace {

const std::size_t kPage = tests::page_size();
std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

std::size_t row_span(std::uint64_t threads, std::int64_t stride) {
  return threads == 0 ? 0 : static_cast<std::size_t>(std::abs(stride)) * (threads - 1) + sizeof(Words);
}

}  // namespace

Rows::Rows(std::uint64_t threads, std::int64_t stride)
    : threads_(threads), stride_(stride), bytes_(row_span(threads, stride), stride >= 0) {
  first_ = bytes_.data() + (stride < 0 ? row_span(threads, stride) - sizeof(Words) : 0);
}

Words Rows::get(std::uint64_t thread) const {
  Words words;
  std::memcpy(words.data(), first_ + static_cast<std::int64_t>(thread) * stride_, sizeof words);
  return words;
}

void Rows::set(std::uint64_t thread, const Words& words) {
  std::memcpy(first_ + static_cast<std::int64_t>(thread) * stride_, words.data(), sizeof words);
}

bool Rows::guards_intact() const {
  if (!bytes_.guards_intact()) return false;
  const auto step = static_cast<std::size_t>(std::abs(stride_));
  for (std::size_t row = 0; step > sizeof(Words) && row + step < bytes_.size(); row += step)
    for (std::size_t k = sizeof(Words); k < step; ++k)
      if (bytes_.data()[row + k] != GuardedBytes::kGuard) return false;
  return true;
}

void Executable::Unmap::operator()(std::byte* address) const { tests::unmap_pages(address, bytes); }

Executable::Executable(const MachineCode& code, std::size_t shift) : code_(code) {
  const std::size_t bytes = whole_pages(shift + code.bytes.size() + 1);
  mapping_ = {tests::map_pages(bytes, tests::Access::write), Unmap{bytes}};
  address_ = mapping_.get() + shift;
  std::transform(code.bytes.begin(), code.bytes.end(), address_, [](std::uint8_t b) { return std::byte{b}; });
  tests::protect_pages(mapping_.get(), bytes, tests::Access::execute);
  __builtin___clear_cache(reinterpret_cast<char*>(address_),
                          reinterpret_cast<char*>(address_ + code.bytes.size()));
}

#if defined(__x86_64__) && !defined(_WIN32)
namespace {
[[gnu::ms_abi]] void call_out_win64(KernelArgs* args, std::uint32_t site, std::uint32_t* words) {
  call_out(args, site, words);
}
}  // namespace
#endif

KernelArgs make_args(const MachineCode& code, Launch& launch, std::uint32_t* table,
                     [[maybe_unused]] Abi abi) {
  KernelArgs args{};
  args.table = table;
  args.group_count = launch.threads / code.lanes;
  args.fuel = static_cast<std::uint64_t>(group_fuel(launch.fuel));
  args.cancel = &launch.cancel;
  args.quads = launch.quads;
  args.groups = launch.groups;
  args.tile = launch.tile;
  args.textures = launch.textures.data();
  args.guest_address = ir::kNoAddress;
  args.call = call_out;
#if defined(__x86_64__) && !defined(_WIN32)
  if (abi == Abi::win64) args.call = reinterpret_cast<decltype(args.call)>(call_out_win64);
#endif
  args.call_sites = code.call_sites.data();
  const auto bind = [&](const Rows& rows) {
    const std::int64_t stride = rows.stride() * static_cast<std::int64_t>(rows.per_thread);
    return Binding{rows.first(), stride, stride * static_cast<std::int64_t>(code.lanes)};
  };
  for (std::size_t k = 0; k < launch.inputs.size(); ++k) {
    args.inputs[k] = bind(launch.inputs[k]);
    if (launch.numbered >> k & 1) args.inputs[k].step = 0;
  }
  for (std::size_t k = 0; k < launch.outputs.size(); ++k) args.outputs[k] = bind(launch.outputs[k]);
  return args;
}

Outcome run(const Executable& executable, Launch& launch) {
  const MachineCode& code = executable.code();
  if (code.bytes.empty()) return {};
  EXPECT_EQ(launch.threads % code.lanes, 0u);
  EXPECT_GE(launch.table.size() * 4, code.table_bytes);
  GuardedBytes table((launch.table.size() * 4 + 63) / 64 * 64, true);
  std::copy(launch.table.begin(), launch.table.end(), reinterpret_cast<std::uint32_t*>(table.data()));
  KernelArgs args = make_args(code, launch, reinterpret_cast<std::uint32_t*>(table.data()));
  const FloatEnvironment environment;
  using Entry = void (*)(KernelArgs*);
  if (executable.preamble() != nullptr) reinterpret_cast<Entry>(executable.preamble())(&args);
  FloatEnvironment::clear_invalid();
  reinterpret_cast<Entry>(executable.kernel())(&args);
  const bool invalid = FloatEnvironment::invalid_raised();
  std::copy_n(reinterpret_cast<std::uint32_t*>(table.data()), launch.table.size(), launch.table.begin());
  EXPECT_TRUE(table.guards_intact()) << "bytes beside the uniform table were written";
  for (const Rows& rows : launch.inputs)
    EXPECT_TRUE(rows.guards_intact()) << "bytes beside an input were written";
  for (const Rows& rows : launch.outputs)
    EXPECT_TRUE(rows.guards_intact()) << "bytes beside an output were written";
  return {args.status, args.guest_address, invalid};
}

std::string Setting::text() const {
  return std::string(name(target)) + ", " + std::to_string(parts) + " parts, " +
         (registers == 0 ? "all" : std::to_string(registers)) + " registers" +
         (single_pixels ? ", single pixels" : "") + (rows_ahead ? ", rows ahead" : "");
}

MachineCode compile(const ir::GroupProgram& program, const Setting& setting, Abi abi) {
  for (const ir::Function* f : {&program.preamble, &program.kernel})
    if (f->block_count() != 0) {
      const Status valid = ir::verify(*f);
      EXPECT_TRUE(valid.ok()) << to_string(valid.error());
      if (!valid.ok()) return {};
    }
  CompileOptions options;
  options.abi = abi;
  options.parts = setting.parts;
  options.registers = setting.registers;
  options.validate = true;
  options.single_pixels = setting.single_pixels;
  options.rows_ahead = setting.rows_ahead;
  options.tuning.bytes_ahead_of_rows = setting.bytes_ahead_of_rows;
  Result<MachineCode> code = compile(program, setting.target, options);
  EXPECT_TRUE(code.ok()) << to_string(code.error()) << " (" << setting.text() << ")";
  if (!code.ok()) return {};
  EXPECT_EQ(code->lanes, setting.lanes());
  return std::move(code).value();
}

MachineCode compile(const ir::Function& kernel, const Setting& setting, Abi abi) {
  return compile(ir::GroupProgram{{}, kernel}, setting, abi);
}

std::vector<Setting> all_settings(Target target) {
  std::vector<Setting> settings;
  for (std::uint32_t parts : {1u, 2u, 3u})
    for (std::uint32_t registers : {0u, 4u})
      settings.push_back({.target = target, .parts = parts, .registers = registers});
  return settings;
}

KernelBuilder::KernelBuilder(std::uint32_t inputs, std::uint32_t outputs, std::uint32_t uniform_bytes) {
  function.name = "test";
  function.form = ir::Form::group;
  function.input_count = inputs;
  function.output_count = outputs;
  function.uniform_bytes = uniform_bytes;
  b.set_block(function.add_block());
}

}  // namespace warpjit::backend
