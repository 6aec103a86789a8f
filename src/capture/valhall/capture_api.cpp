// The public handle of captures of Mali GPUs.
#include <algorithm>
#include <utility>

#include "capture/valhall/chain_sections.h"
#include "device/valhall/capture.h"

namespace warpjit::valhall {

Capture::Capture(std::unique_ptr<State> state) : state_(std::move(state)) {}
Capture::Capture(Capture&&) noexcept = default;
Capture& Capture::operator=(Capture&&) noexcept = default;
Capture::~Capture() = default;

Result<Capture> Capture::load(std::span<const std::byte> file, std::string_view name) try {
  const CaptureBytes one{file, name};
  return load(std::span(&one, 1));
} catch (...) {
  return caught();
}

Result<Capture> Capture::load(std::span<const CaptureBytes> files) try {
  WARPJIT_TRY(CaptureFile read, load_captures(files));
  return Capture(std::make_unique<State>(State{{std::move(read)}}));
} catch (...) {
  return caught();
}

std::span<const JobChain> Capture::chains() const { return state_->file.chains; }
Status Capture::add_chain(const JobChain& chain) try { return state_->file.add_chain(chain); } catch (...) {
  return caught();
}
void Capture::clear_chains() { state_->file.clear_chains(); }
std::uint32_t Capture::gpu() const { return state_->file.gpu; }
void Capture::set_gpu(std::uint32_t gpu) { state_->file.set_gpu(gpu); }
std::span<const std::string> Capture::notes() const { return state_->file.notes; }

Result<std::size_t> Capture::count_draws() const try {
  return valhall::count_draws(state_->file);
} catch (...) {
  return caught();
}

Status Capture::run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) try {
  return state_->run(engine, visitor, options);
} catch (...) {
  return caught();
}

Status Capture::read_memory(std::uint64_t address, std::span<std::byte> to) const try {
  WARPJIT_TRY(const std::span<const std::byte> from, state_->file.image.bytes(address, to.size()));
  std::ranges::copy(from, to.begin());
  return {};
} catch (...) {
  return caught();
}

}  // namespace warpjit::valhall
