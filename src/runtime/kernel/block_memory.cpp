#include "runtime/kernel/block_memory.h"

#include <algorithm>

#include "frontend/textures/facts.h"
#include "runtime/kernel/code_kernel.h"

namespace warpjit::runtime {

BlockLayout::BlockLayout(const ir::Function& f)
    : lanes(f.group_lanes), groups(f.block_groups), inner_groups(f.inner_groups), frame_slots(f.frame_slots) {
  uses = ir::memory_use(f);
}

// Where byte `phase` begins a line.
std::uint32_t* BlockMemory::aligned(std::vector<std::uint32_t>& words, std::uint32_t phase) {
  constexpr std::uintptr_t kLine = kLineWords * 4;
  const auto address = reinterpret_cast<std::uintptr_t>(words.data()) + phase;
  return words.data() + (kLine - address % kLine) % kLine / 4;
}

void MappedSpaces::bind(const frontend::LaunchMemory& launch,
                        std::span<const std::span<const std::byte>> given, ir::BlockMemory& memory) {
  for (std::uint32_t k = 0; k < ir::kMaxSpaces; ++k) {
    std::vector<ir::MemoryRange>&constants = ranges_[k], &globals = ranges_[ir::kMaxSpaces + k];
    constants.clear();
    // Nobody writes to constants.
    if (k < given.size() && !given[k].empty())
      constants.push_back(
          {const_cast<std::byte*>(given[k].data()), 0, static_cast<std::uint32_t>(given[k].size())});
    memory.constants[k] = constants;
    globals.clear();
    for (const frontend::MappedRange& range : launch.globals[k])
      globals.push_back({range.bytes.data(), range.address, static_cast<std::uint32_t>(range.bytes.size())});
    memory.globals[k] = globals;
  }
}

void TexelViews::bind(const frontend::Shader& shader, const frontend::BoundTextures& bound) {
  views_.clear();
  frontend::each_sample(shader.sampling(), bound,
                        [&](const frontend::TextureUse&, const textures::TextureView* texture,
                            const Sampler*) { views_.push_back(frontend::texel_view(*texture)); });
  for (const ir::TexelView& memory : bound.memories) views_.push_back(memory);
}

std::uint32_t* BlockMemory::frame(const BlockLayout& layout) {
  frame_.resize(layout.frame_words() + kLineWords);
  return aligned(frame_);
}

void BlockMemory::bind_group(const CodeKernel& kernel, const frontend::Shader& shader,
                             backend::KernelArgs& args) {
  const BlockLayout& layout = kernel.layout_;
  if (layout.frame_slots != 0) args.frame = frame(layout);
  if (!layout.uses.local) return;
  if (args.memory == nullptr) {
    memory_ = {};
    args.memory = &memory_;
    args.block = {};
  }
  ir::BlockMemory& memory = *args.memory;
  const std::uint32_t words = ir::BlockMemory::local_words(shader.resources().local_bytes);
  memory.lanes = kernel.lanes();
  memory.local_bytes = 4 * words;  // code looks at how many bytes of the last word there are
  local_.resize(std::size_t{words} * memory.lanes);
  memory.local = reinterpret_cast<std::byte*>(local_.data());
  windows_.set(memory);
  windows_.aim(kernel.pointers(), memory, args.table);
  args.windows = windows_.data();
  args.group_index = 0;
}

void BlockMemory::begin(const CodeKernel& kernel, const BlockRun& run) {
  kernel_ = &kernel;
  run_ = &run;
  layout_ = &kernel.layout_;
  const BlockLayout& layout = *layout_;
  spaces_.bind(run.grid, run.checked.constants, memory_);
  shared_.resize(layout.uses.shared ? run.checked.shared_bytes / 4 + 2 * kMarginWords + kLineWords : 0);
  memory_.shared = {};
  if (layout.uses.shared)
    memory_.shared = std::as_writable_bytes(
        std::span(aligned(shared_, kMarginWords * 4 + kernel.shared_phase_) + kMarginWords,
                  run.checked.shared_bytes / 4));
  locks_.resize(layout.uses.locks ? run.checked.shared_bytes / 4 : 0);
  memory_.locks = locks_;
  memory_.lanes = layout.lanes;
  memory_.local_bytes = run.shader.resources().local_bytes;
  local_.resize(layout.uses.local ? std::size_t{layout.groups} * layout.lanes *
                                        ir::BlockMemory::local_words(memory_.local_bytes)
                                  : 0);
  memory_.local = reinterpret_cast<std::byte*>(local_.data());
  memory_.fault = {};
  windows_.set(memory_);
  aimed_ = kernel.pointers().empty();
  textures_.bind(run.shader, run.grid.bound);

  args_.shared = nullptr;
  args_.table = run.table;
  args_.fuel = run.fuel;
  args_.cancel = cancel_word(run.cancel);
  args_.memory = &memory_;
  args_.textures = textures_.data();
  args_.windows = windows_.data();
  args_.frame = frame(layout);
  args_.grid_columns = run.grid.grid[0];
  args_.grid_rows = run.grid.grid[1];
  args_.block_groups = layout.groups / layout.inner_groups;
}

Status BlockMemory::run(std::uint64_t first, std::uint64_t count) {
  ir::BlockPosition block = run_->grid.block_at(first);
  if (layout_->runs_on()) {
    if (layout_->uses.shared) prepare_shared(block);
    aim();
    return call(block, count - 1);
  }
  for (; count != 0; --count, run_->grid.advance(block)) {
    std::fill(memory_.shared.begin(), memory_.shared.end(), std::byte{});
    std::fill(local_.begin(), local_.end(), 0);
    std::fill(locks_.begin(), locks_.end(), std::uint8_t{0});
    if (layout_->uses.shared) begin_block(block);
    aim();
    WARPJIT_CHECK(call(block, 0));
  }
  return {};
}

std::size_t BlockMemory::begin_block(const ir::BlockPosition& block) {
  const frontend::BlockHeader* const header = run_->shader.block_header();
  return header != nullptr ? header->begin_block(run_->grid, block, memory_.shared) : 0;
}

// Pointers are the same for all blocks.
void BlockMemory::aim() {
  if (!aimed_) windows_.aim(kernel_->pointers(), memory_, run_->table);
  aimed_ = true;
}

void BlockMemory::prepare_shared(const ir::BlockPosition& first) {
  const auto whole_lines = [](std::size_t bytes) {
    constexpr std::size_t kLine = backend::kSharedLine;
    return bytes == 0 ? kLine : (bytes + kLine - 1) / kLine * kLine;
  };
  std::fill(memory_.shared.begin(), memory_.shared.end(), std::byte{});
  const std::size_t written = begin_block(first);
  std::byte* const bytes = memory_.shared.data();  // margins follow
  args_.shared = bytes;
  args_.shared_bytes = whole_lines(memory_.shared.size());
  args_.head_bytes = whole_lines(written);
  head_.assign(bytes, bytes + args_.head_bytes);
  args_.head = head_.data();
  const frontend::BlockHeader* const header = run_->shader.block_header();
  args_.position = header != nullptr ? reinterpret_cast<std::uint32_t*>(bytes + header->position_place())
                                     : &unused_position_;
}

Status BlockMemory::call(const ir::BlockPosition& first, std::uint64_t more) {
  args_.block = first;
  args_.more_blocks = more;
  args_.group_count = args_.block_groups;
  args_.group_index = 0;
  return kernel_->call(args_, run_->shader);
}

Status CodeKernel::run_blocks(const BlockRun& run, std::uint64_t first, std::uint64_t count,
                              std::optional<frontend::BlockFault>& fault) const {
  Pool<BlockMemory>::Lease memory = memories_.borrow();
  memory->begin(*this, run);
  Status status = memory->run(first, count);
  if (memory->fault().happened) fault = {memory->fault(), memory->fault().block};
  return status;
}

}  // namespace warpjit::runtime
