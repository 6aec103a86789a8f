// Executable memory under W^X: code is written through one mapping and run through another (dual), or written
// before its pages become executable and never again (flip). Keeps a map from host addresses to what lies
// there, because asmjit's own is wrong for addresses inside a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/target.h"
#include "base/result.h"
#include "runtime/code/code_arena.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::runtime {

// The name of a placed piece of code, and the addresses of its guest instructions.
struct CodeLabel {
  std::string program;
  std::vector<backend::AddressMapping> map;
};

// What `automatic` becomes by the environment variable WARPJIT_CODE_MEMORY (dual, flip or none); other modes
// and an environment without it stay as they are. Errors: target_unavailable for another value.
Result<warpjit::CodeMemory> mode_by_environment(warpjit::CodeMemory mode);

class CodeMemory : public std::enable_shared_from_this<CodeMemory> {
 public:
  // What the system refuses: for tests.
  struct Denied {
    bool dual = false, flip = false;
  };
  // Errors: target_unavailable with the reason if no way works, or if `mode` is CodeMemory::none.
  static Result<std::shared_ptr<CodeMemory>> create(warpjit::CodeMemory mode, bool perf_map, Denied denied);
  static Result<std::shared_ptr<CodeMemory>> create(warpjit::CodeMemory mode, bool perf_map = false) {
    return create(mode, perf_map, Denied());
  }
  ~CodeMemory();

  // Owns a placed piece; keeps the memory alive.
  class Block {
   public:
    Block() = default;
    Block(Block&& other) noexcept;
    Block& operator=(Block&& other) noexcept;
    ~Block();
    const std::byte* address() const { return address_; }
    std::size_t size() const { return size_; }

   private:
    friend class CodeMemory;
    std::shared_ptr<CodeMemory> memory_;
    const std::byte* address_ = nullptr;
    std::size_t size_ = 0;
  };
  // At a multiple of `alignment`, a power of two from 64 to 4096. Errors: resource_limit when the system
  // gives no more memory.
  Result<Block> place(std::span<const std::uint8_t> bytes, CodeLabel label,
                      std::size_t alignment = CodeArena::kAlignment,
                      std::span<const backend::MachineCode::Unwinding> unwinding = {});

  warpjit::CodeMemory mode() const { return mode_; }
  std::optional<Engine::GuestPlace> find(const void* host_address) const;

 private:
  struct Piece {
    std::size_t size;
    CodeLabel label;
    void* unwinding;
  };
  CodeMemory() = default;
  void release(const std::byte* address, std::size_t size);

  std::unique_ptr<CodeArena> arena_;
  warpjit::CodeMemory mode_ = warpjit::CodeMemory::none;
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, Piece> pieces_;
  int perf_map_ = -1;  // file descriptor
};

}  // namespace warpjit::runtime
