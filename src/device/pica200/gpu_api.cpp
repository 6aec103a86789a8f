// Gpu: the public handle.
#include <new>

#include "base/float_environment.h"
#include "base/result.h"
#include "device/pica200/gpu.h"
#include "device/pica200/memory_engines.h"

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

Result<GpuReport> Gpu::run_commands(const Engine& engine, std::uint32_t address, std::uint32_t bytes,
                                    const RunOptions& options) try {
  const FloatEnvironment environment;
  return state().run_commands(engine, address, bytes, options);
} catch (...) {
  return caught();
}

Status Gpu::fill(const MemoryFill& job) try { return fill_memory(state().memory(), job); } catch (...) {
  return caught();
}
Status Gpu::transfer(const DisplayTransfer& job) try {
  return transfer_picture(state().memory(), job);
} catch (...) {
  return caught();
}
Status Gpu::copy(const TextureCopy& job) try { return copy_texture(state().memory(), job); } catch (...) {
  return caught();
}

}  // namespace warpjit::pica200
