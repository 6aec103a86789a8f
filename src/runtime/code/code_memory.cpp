#include "runtime/code/code_memory.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <utility>

namespace warpjit::runtime {

Result<warpjit::CodeMemory> mode_by_environment(warpjit::CodeMemory mode) {
  using Mode = warpjit::CodeMemory;
  const char* text = mode == Mode::automatic ? std::getenv("WARPJIT_CODE_MEMORY") : nullptr;
  if (text == nullptr || *text == '\0') return mode;
  const std::string value = text;
  if (value == "dual") return Mode::dual;
  if (value == "flip") return Mode::flip;
  if (value == "none") return Mode::none;
  return Error{ErrorCode::target_unavailable,
               "WARPJIT_CODE_MEMORY is \"" + value + "\"; there are dual, flip and none", ""};
}

Result<std::shared_ptr<CodeMemory>> CodeMemory::create(warpjit::CodeMemory mode, bool perf_map,
                                                       Denied denied) {
  using Mode = warpjit::CodeMemory;
  std::shared_ptr<CodeMemory> memory(new CodeMemory());
  std::string reasons;
  const auto attempt = [&](Mode way, bool refused, auto make, const char* what) {
    if (memory->arena_ || (mode != Mode::automatic && mode != way)) return;
    std::string reason = "refused";
    if (!refused) memory->arena_ = make(reason);
    if (memory->arena_) {
      memory->mode_ = way;
    } else {
      reasons += (reasons.empty() ? "" : "; ") + std::string(what) + ": " + reason;
    }
  };
  attempt(Mode::dual, denied.dual, make_dual_arena, "dual mapping");
  attempt(Mode::flip, denied.flip, make_flip_arena, "switching page protection");
  if (!memory->arena_)
    return Error{ErrorCode::target_unavailable,
                 mode == Mode::none ? "executable memory is switched off"
                                    : "the system gives no executable memory (" + reasons + ")",
                 ""};
  if (perf_map) memory->perf_map_ = open_perf_map();
  return memory;
}

CodeMemory::~CodeMemory() {
  if (perf_map_ >= 0) close_perf_map(perf_map_);
}

Result<CodeMemory::Block> CodeMemory::place(std::span<const std::uint8_t> bytes, CodeLabel label,
                                            std::size_t alignment,
                                            std::span<const backend::MachineCode::Unwinding> unwinding) {
  assert(std::has_single_bit(alignment) && alignment >= CodeArena::kAlignment &&
         alignment <= CodeArena::kMostAlignment);
  const std::byte* address = arena_->place(bytes, alignment);
  if (address == nullptr)
    return Error{ErrorCode::resource_limit,
                 "no executable memory for " + std::to_string(bytes.size()) + " bytes of code",
                 label.program};
  Block block;
  block.memory_ = shared_from_this();
  block.address_ = address;
  block.size_ = bytes.size();
  const std::lock_guard lock(mutex_);
  if (perf_map_ >= 0) append_perf_map(perf_map_, address, bytes.size(), label.program);
  Piece& piece = pieces_[reinterpret_cast<std::uintptr_t>(address)];
  piece = {bytes.size(), std::move(label), add_unwinding(address, unwinding)};
  return block;
}

void CodeMemory::release(const std::byte* address, std::size_t size) {
  {
    // Off the map before the arena may hand the address out again.
    const std::lock_guard lock(mutex_);
    const auto piece = pieces_.find(reinterpret_cast<std::uintptr_t>(address));
    if (piece != pieces_.end()) {
      remove_unwinding(piece->second.unwinding);
      pieces_.erase(piece);
    }
  }
  arena_->release(address, size);
}

std::optional<Engine::GuestPlace> CodeMemory::find(const void* host_address) const {
  const auto address = reinterpret_cast<std::uintptr_t>(host_address);
  const std::lock_guard lock(mutex_);
  auto piece = pieces_.upper_bound(address);
  if (piece == pieces_.begin()) return std::nullopt;
  --piece;
  const std::uintptr_t offset = address - piece->first;
  if (offset >= piece->second.size) return std::nullopt;
  const CodeLabel& label = piece->second.label;
  const auto after = std::upper_bound(
      label.map.begin(), label.map.end(), offset,
      [](std::uintptr_t offset, const backend::AddressMapping& entry) { return offset < entry.offset; });
  const std::uint32_t guest = after == label.map.begin() ? ir::kNoAddress : std::prev(after)->guest_address;
  return Engine::GuestPlace{label.program, guest};
}

CodeMemory::Block::Block(Block&& other) noexcept
    : memory_(std::move(other.memory_)),
      address_(std::exchange(other.address_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

CodeMemory::Block& CodeMemory::Block::operator=(Block&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  return *this;
}

CodeMemory::Block::~Block() {
  if (address_ != nullptr) memory_->release(address_, size_);
}

}  // namespace warpjit::runtime
