// Gpu: the public handle.
#include <new>
#include <string>
#include <utility>

#include "base/float_environment.h"
#include "base/result.h"
#include "device/pica200/gpu.h"

namespace warpjit::pica200 {

Gpu::Gpu() : state_(make_or_null<State>()) {}
Gpu::Gpu(Gpu&&) noexcept = default;
Gpu& Gpu::operator=(Gpu&&) noexcept = default;
Gpu::~Gpu() = default;
Status Gpu::status() const { return state_ ? Status() : no_memory(); }
Gpu::State& Gpu::state() const {
  if (!state_) throw std::bad_alloc();  // the call gives it as its status
  return *state_;
}

Status Gpu::set_memory(std::span<const GpuMemory> ranges) try {
  return state().set_memory(ranges);
} catch (...) {
  return caught();
}
Status Gpu::set_register(std::uint32_t id, std::uint32_t value) try {
  return state().set_register(id, value);
} catch (...) {
  return caught();
}
std::uint32_t Gpu::get_register(std::uint32_t id) const { return state_ ? state_->get_register(id) : 0; }

void Gpu::set_interrupt(InterruptFunction function, void* context) {
  if (state_) state_->set_interrupt(function, context);
}

void Gpu::set_lazy_targets(bool lazy) {
  if (state_) state_->set_lazy_targets(lazy);
}
void Gpu::write_back(std::uint64_t address, std::uint64_t bytes) {
  if (state_) state_->write_back(address, bytes);
}

namespace {

// Tells of the end of a list.
Result<GpuReport> told(const GpuState& state, Result<GpuReport> report) {
  if (report && report->interrupt) state.raise(Interrupt::p3d);
  return report;
}
Status told(const GpuState& state, Status status, Interrupt interrupt) {
  if (status) state.raise(interrupt);
  return status;
}

}  // namespace

Result<GpuReport> Gpu::run_commands(const Engine& engine, std::uint32_t address, std::uint32_t bytes,
                                    const RunOptions& options) try {
  auto report = [&] {
    const FloatEnvironment environment;
    return state().run_commands(engine, address, bytes, options);
  }();
  return told(state(), std::move(report));
} catch (...) {
  return caught();
}
Result<GpuReport> Gpu::run_packet(const Engine& engine, const Packet& packet, const RunOptions& options) try {
  auto report = [&] {
    const FloatEnvironment environment;
    return state().run_packet(engine, packet, options);
  }();
  return told(state(), std::move(report));
} catch (...) {
  return caught();
}
Result<GpuReport> Gpu::write_register(const Engine& engine, std::uint32_t id, std::uint32_t value,
                                      const RunOptions& options, unsigned bytes) {
  return run_packet(engine, {id, {&value, 1}, bytes, false}, options);
}
Result<GpuReport> Gpu::draw_immediate(const Engine& engine, const RunOptions& options) try {
  const FloatEnvironment environment;
  return state().draw_immediate(engine, options);
} catch (...) {
  return caught();
}

namespace {

// What a Gpu for which there was no memory has: every call gives that.
Pipeline& no_pipeline() {
  static Pipeline none;
  static const Pipeline taken = std::move(none);
  return none;
}

}  // namespace

Pipeline& Gpu::pipeline() { return state_ ? state_->pipeline() : no_pipeline(); }
const Pipeline& Gpu::pipeline() const { return state_ ? state_->pipeline() : no_pipeline(); }

std::span<const std::uint32_t> Gpu::table(Table table, unsigned number) const {
  if (!state_) return {};
  const FragmentTables& tables = state_->tables();
  switch (table) {
    case Table::light:
      return number < tables.lights.size() ? std::span<const std::uint32_t>(tables.lights[number])
                                           : std::span<const std::uint32_t>();
    case Table::fog:
      return tables.fog;
    case Table::noise:
      return tables.noise;
    case Table::color_map:
      return tables.color_map;
    case Table::alpha_map:
      return tables.alpha_map;
    case Table::colors:
      return tables.colors;
    case Table::color_differences:
      return tables.color_differences;
  }
  return {};
}

Status Gpu::reset(Start start) try { return state().reset(start); } catch (...) {
  return caught();
}
Result<std::vector<std::byte>> Gpu::save() const try { return state().save(); } catch (...) {
  return caught();
}
Status Gpu::load(std::span<const std::byte> bytes) try { return state().load(bytes); } catch (...) {
  return caught();
}

Status Gpu::fill(const MemoryFill& job, unsigned unit) try {
  if (unit > 1)
    return bad_input("there is no unit " + std::to_string(unit) + ", allowed are 0 and 1", "memory fill");
  return told(state(), state().fill(job), unit == 0 ? Interrupt::psc0 : Interrupt::psc1);
} catch (...) {
  return caught();
}
Status Gpu::transfer(const DisplayTransfer& job) try {
  return told(state(), state().transfer(job), Interrupt::ppf);
} catch (...) {
  return caught();
}
Status Gpu::copy(const TextureCopy& job) try {
  return told(state(), state().copy(job), Interrupt::ppf);
} catch (...) {
  return caught();
}

}  // namespace warpjit::pica200
