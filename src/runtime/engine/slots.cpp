#include "runtime/engine/slots.h"

#include <algorithm>
#include <thread>

namespace warpjit::runtime {

// A reader announces itself before it looks at `ready`; a writer takes `ready` away before it looks for
// readers. Sequential consistency makes one of them see the other.
bool Slots::enter(Slot& slot, const SlotKey& key, std::uint64_t generation, Lease& lease) {
  slot.users.fetch_add(1, std::memory_order_seq_cst);
  if (slot.ready.load(std::memory_order_seq_cst) == generation && slot.key == key) {
    lease.kernel_ = slot.kernel.lock();
    if (lease.kernel_) {
      lease.table_ = slot.table.get();
      lease.slot_ = &slot;
      return true;
    }
  }
  slot.users.fetch_sub(1, std::memory_order_release);
  return false;
}

bool Slots::find(const SlotKey& key, std::uint64_t generation, Lease& lease) {
  const std::uint64_t tag = key.tag();
  for (Slot& slot : slots_)
    if (slot.tag.load(std::memory_order_relaxed) == tag && enter(slot, key, generation, lease)) return true;
  return false;
}

bool Slots::claim(Slot& slot) {
  const std::uint64_t before = slot.ready.exchange(0, std::memory_order_seq_cst);
  for (int tries = 0; tries < 16; ++tries) {
    if (slot.users.load(std::memory_order_seq_cst) == 0) return true;
    // It may be a reader that is about to find that the slot has another key.
    std::this_thread::yield();
  }
  slot.ready.store(before, std::memory_order_seq_cst);
  return false;
}

Slots::Slot* Slots::choose(const SlotKey& key) {
  // The slot of this key with old values or a dropped kernel is the first choice, then the next in turn.
  for (Slot& slot : slots_)
    if (slot.tag.load(std::memory_order_relaxed) == key.tag() && slot.key == key && claim(slot)) return &slot;
  for (std::size_t n = 0; n < kSlots; ++n) {
    Slot& slot = slots_[next_++ % kSlots];
    if (claim(slot)) return &slot;
  }
  return nullptr;
}

// The slot is claimed: nobody reads it.
Status Slots::write(Slot& slot, const SlotKey& key, std::uint64_t generation,
                    std::shared_ptr<const Kernel> kernel, const frontend::Shader& shader,
                    const frontend::Values& values, Lease& lease) {
  const std::size_t bytes = std::max(shader.table_bytes(), kernel->table_bytes());
  if (slot.table_bytes < bytes) {
    const std::size_t rounded = (bytes + 63) & ~std::size_t{63};
    slot.table.reset(static_cast<std::uint32_t*>(::operator new[](rounded, std::align_val_t{64})));
    slot.table_bytes = rounded;
  }
  shader.fill_table(values, {slot.table.get(), bytes / 4});
  if (Status status = kernel->prepare(slot.table.get()); !status) {
    slot.tag.store(0, std::memory_order_relaxed);
    return status;
  }
  slot.key = key;
  slot.kernel = kernel;
  lease.kernel_ = std::move(kernel);
  lease.table_ = slot.table.get();
  lease.slot_ = &slot;
  slot.users.fetch_add(1, std::memory_order_relaxed);
  slot.tag.store(key.tag(), std::memory_order_relaxed);
  slot.ready.store(generation, std::memory_order_seq_cst);
  return {};
}

Result<bool> Slots::refill(const SlotKey& key, std::uint64_t generation, const frontend::Shader& shader,
                           const frontend::Values& values, Lease& lease) {
  const std::lock_guard lock(mutex_);
  if (find(key, generation, lease)) return true;  // another run was faster
  for (Slot& slot : slots_) {
    if (slot.tag.load(std::memory_order_relaxed) != key.tag() || !(slot.key == key)) continue;
    std::shared_ptr<const Kernel> kernel = slot.kernel.lock();
    if (!kernel || !claim(slot)) return false;
    if (Status status = write(slot, key, generation, std::move(kernel), shader, values, lease); !status)
      return status.error();
    return true;
  }
  return false;
}

Status Slots::fill(const SlotKey& key, std::uint64_t generation, std::shared_ptr<const Kernel> kernel,
                   const frontend::Shader& shader, const frontend::Values& values, Lease& lease) {
  const std::lock_guard lock(mutex_);
  if (find(key, generation, lease)) return {};
  Slot* slot = choose(key);
  if (slot == nullptr) {
    lease.own_ = std::make_unique<Slot>();
    slot = lease.own_.get();
  }
  return write(*slot, key, generation, std::move(kernel), shader, values, lease);
}

Status Slots::fill_once(std::shared_ptr<const Kernel> kernel, const frontend::Shader& shader,
                        const frontend::Values& values, Lease& lease) {
  lease.own_ = std::make_unique<Slot>();
  return write(*lease.own_, {}, 1, std::move(kernel), shader, values, lease);
}

}  // namespace warpjit::runtime
