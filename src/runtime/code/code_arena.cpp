#include "runtime/code/code_arena.h"

#include <asmjit/core.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <system_error>
#include <unordered_map>
#include <vector>

namespace warpjit::runtime {
namespace {

// A function that returns `value`, to see which code runs; empty where none is written down.
std::span<const std::uint8_t> returns(unsigned value) {
#if WARPJIT_HOST_X64
  static constexpr std::uint8_t kCode[][6] = {{0xB8, 1, 0, 0, 0, 0xC3},   // mov eax, 1; ret
                                              {0xB8, 2, 0, 0, 0, 0xC3}};  // mov eax, 2; ret
  return kCode[value - 1];
#elif WARPJIT_HOST_A64
  static constexpr std::uint8_t kCode[][8] = {
      {0x20, 0, 0x80, 0x52, 0xC0, 0x03, 0x5F, 0xD6},   // mov w0, 1; ret
      {0x40, 0, 0x80, 0x52, 0xC0, 0x03, 0x5F, 0xD6}};  // mov w0, 2; ret
  return kCode[value - 1];
#else
  (void)value;
  return {};
#endif
}

unsigned call(const void* address) {
  unsigned (*function)();
  std::memcpy(&function, &address, sizeof function);
  synchronize_fetch();
  return function();
}

// Pages mapped twice, shared by many pieces of code. Forked processes share them too: code already there
// stays, and each process uses other pages for code that it places from then on.
class DualArena final : public CodeArena {
 public:
  const std::byte* place(std::span<const std::uint8_t> bytes, std::size_t alignment) override {
    Views views;
    if (!allocate(bytes.size(), alignment, views)) return nullptr;
    write(views, bytes);
    return static_cast<const std::byte*>(views.executable);
  }
  void release(const std::byte* code, std::size_t) override {
    const std::lock_guard lock(mutex_);
    const auto owner = owners_.find(code);
    // Pieces from before a fork are not freed: the other process may still run them.
    if (owner == owners_.end()) return;
    if (owner->second.forks == forks()) pages_.back()->release(owner->second.piece);
    owners_.erase(owner);
  }

  // True if new code, written over code that has already run, is the code that runs.
  bool sees_rewrites() {
    const std::size_t size = returns(1).size();
    Views views;
    if (size == 0 || !allocate(size, kAlignment, views)) return true;
    bool seen = true;
    for (const unsigned value : {1u, 2u}) {
      write(views, returns(value));
      seen = seen && call(views.executable) == value;
    }
    release(static_cast<const std::byte*>(views.executable), size);
    return seen;
  }

 private:
  struct Views {
    void *executable = nullptr, *writable = nullptr;
  };
  // asmjit hands out 64-byte granules, and aborts the bookkeeping on 0.
  bool allocate(std::size_t size, std::size_t alignment, Views& views) {
    const std::lock_guard lock(mutex_);
    const unsigned now = forks();
    if (pages_.empty() || now != forks_) {
      auto pages = std::make_unique<asmjit::JitAllocator>(&parameters());
      if (pages->blockSize() == 0) throw std::bad_alloc();  // isInitialized() of 2022 says the opposite
      pages_.push_back(std::move(pages));
    }
    forks_ = now;
    asmjit::JitAllocator& pages = *pages_.back();
    const std::size_t room = std::max<std::size_t>(size, 1) + alignment - kAlignment;
    if (pages.alloc(&views.executable, &views.writable, room) != asmjit::kErrorOk) return false;
    if (views.executable == views.writable) {
      pages.release(views.executable);  // asmjit fell back to one mapping: not W^X
      return false;
    }
    void* const piece = views.executable;
    const std::size_t before = (0 - reinterpret_cast<std::uintptr_t>(piece)) & (alignment - 1);
    views.executable = static_cast<std::byte*>(views.executable) + before;
    views.writable = static_cast<std::byte*>(views.writable) + before;
    try {
      owners_[static_cast<const std::byte*>(views.executable)] = {now, piece};
    } catch (...) {
      pages.release(piece);
      throw;
    }
    return true;
  }
  static void write(const Views& views, std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) return;
    std::memcpy(views.writable, bytes.data(), bytes.size());
    synchronize_caches(views.writable, views.executable, bytes.size());
    // A masked operand in a page that no one has read yet, with no lane set, costs x86-64 an assist, each
    // time anew: measured on a kernel whose constants lay there, half of its speed.
    constexpr std::size_t kPage = 4096;
    const auto* code = static_cast<const volatile std::uint8_t*>(views.executable);
    for (std::size_t at = 0; at < bytes.size(); at += kPage) static_cast<void>(code[at]);
    static_cast<void>(code[bytes.size() - 1]);
  }
  static const asmjit::JitAllocator::CreateParams& parameters() {
    static const asmjit::JitAllocator::CreateParams result = [] {
      asmjit::JitAllocator::CreateParams params;
      params.options = asmjit::JitAllocatorOptions::kUseDualMapping;
      params.blockSize = 256 * 1024;
      return params;
    }();
    return result;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<asmjit::JitAllocator>> pages_;  // the last one is in use
  unsigned forks_ = 0;                                        // when that was created
  struct Owner {
    unsigned forks;  // forks() when it was placed
    void* piece;     // asmjit's, which it lies in
  };
  std::unordered_map<const std::byte*, Owner> owners_;  // by the begin of code
};

}  // namespace

void synchronize_caches(const void* writable, const void* executable, std::size_t size) {
  // Cleans the data cache and invalidates the instruction cache, both by address; nothing on x86.
  if (writable != executable) asmjit::VirtMem::flushInstructionCache(const_cast<void*>(writable), size);
  asmjit::VirtMem::flushInstructionCache(const_cast<void*>(executable), size);
}

std::unique_ptr<CodeArena> probed(std::unique_ptr<CodeArena> arena, std::string& reason) {
  static constexpr std::uint8_t kProbe[64] = {};
  take_system_error();
  const std::byte* piece = arena->place(kProbe, CodeArena::kAlignment);
  if (piece == nullptr) {
    const int error = take_system_error();
    reason = error != 0 ? std::system_category().message(error) : "not supported";
    return nullptr;
  }
  arena->release(piece, sizeof kProbe);
  return arena;
}

std::unique_ptr<CodeArena> make_asmjit_dual_arena(std::string& reason) {
  auto dual = std::make_unique<DualArena>();
  DualArena& created = *dual;
  std::unique_ptr<CodeArena> arena = probed(std::move(dual), reason);
  if (arena && !created.sees_rewrites()) {
    reason = "code written over code that has run is not seen, as in some emulators";
    return nullptr;
  }
  return arena;
}

}  // namespace warpjit::runtime
