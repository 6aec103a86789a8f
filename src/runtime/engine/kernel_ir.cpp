#include "runtime/engine/kernel_ir.h"

#include <charconv>
#include <mutex>
#include <optional>
#include <vector>

#include "ir/interpret.h"

namespace warpjit::runtime {
namespace {

bool accesses_memory(const ir::Function& f) {
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (const ir::Inst i : f.insts(ir::Block{b}))
      if (ir::info(f.inst(i).opcode).family == ir::Family::memory) return true;
  return false;
}

class IrKernel final : public CodeKernel {
 public:
  IrKernel(std::optional<ir::Interpreter> preamble, ir::Interpreter kernel, const ir::Function& function,
           const CompileReport& report)
      : CodeKernel(function), preamble_(std::move(preamble)), kernel_(std::move(kernel)) {
    report_ = report;
    report_.lanes = kernel_.lanes();
    table_bytes_ = function.uniform_bytes;
    input_count_ = function.input_count;
    output_count_ = function.output_count;
    block_groups_ = function.block_groups;
    pixels_ = function.pixels;
    has_memory_ = pixels_ || block_groups_ != 0 || accesses_memory(function);
    texture_count_ = function.texture_count;
    frame_words_ = std::size_t{std::max(function.block_groups, 1U)} * function.frame_slots * kernel_.lanes();
    cost_ = sizeof *this + (function.inst_count() + function.value_count()) * 64;
  }

  Status prepare(std::uint32_t* table) const override {
    if (!preamble_) return {};
    ir::Memory memory;
    memory.uniform = {table, table_bytes_ / 4};
    return preamble_->run(memory, 0, 1, 0);
  }

  Status call(backend::KernelArgs& args, const frontend::SourceMap& guest) const override {
    ir::InputBinding inputs[backend::kMaxInputs];
    ir::OutputBinding outputs[backend::kMaxOutputs];
    for (std::uint32_t k = 0; k < input_count_; ++k)
      inputs[k] = {args.inputs[k].address, args.inputs[k].stride};
    for (std::uint32_t k = 0; k < output_count_; ++k)
      outputs[k] = {args.outputs[k].address, args.outputs[k].stride};
    ir::Memory memory;
    memory.inputs = {inputs, input_count_};
    memory.outputs = {outputs, output_count_};
    memory.uniform = {args.table, table_bytes_ / 4};
    // KernelArgs has the address of the same atomic as machine code reads it.
    memory.cancel = reinterpret_cast<const std::atomic<std::uint32_t>*>(args.cancel);
    if (pixels_) {
      memory.quads = static_cast<const pixels::QuadRecord*>(args.quads);
      memory.groups = args.groups;
      memory.tile = args.tile;
    }
    if (has_memory_) memory.block = args.memory;
    memory.textures = {args.textures, texture_count_};
    if (frame_words_ != 0) memory.frame = {args.frame, frame_words_};
    ir::Interpreter::Frame frame = take_frame();
    Status status;
    do {
      if (block_groups_ != 0) args.memory->block = args.block;
      status = kernel_.run(frame, memory, 0, args.group_count * kernel_.lanes(), args.fuel);
    } while (status && block_groups_ != 0 && args.next_block());
    give_back(std::move(frame));
    if (!status) return located(status.error(), guest);
    return status;
  }

 private:
  // The interpreter knows guest addresses only.
  static Error located(Error error, const frontend::SourceMap& guest) {
    constexpr std::string_view kPrefix = "guest address ";
    if (!error.where.starts_with(kPrefix)) return error;
    std::uint32_t address = 0;
    const char* end = error.where.data() + error.where.size();
    if (std::from_chars(error.where.data() + kPrefix.size(), end, address).ptr == end)
      error.where = guest.where(address);
    return error;
  }

  ir::Interpreter::Frame take_frame() const {
    {
      const std::lock_guard lock(mutex_);
      if (!frames_.empty()) {
        ir::Interpreter::Frame frame = std::move(frames_.back());
        frames_.pop_back();
        return frame;
      }
    }
    return kernel_.make_frame();
  }
  void give_back(ir::Interpreter::Frame frame) const {
    const std::lock_guard lock(mutex_);
    frames_.push_back(std::move(frame));
  }

  std::optional<ir::Interpreter> preamble_;
  ir::Interpreter kernel_;
  std::uint32_t input_count_ = 0, output_count_ = 0, block_groups_ = 0, texture_count_ = 0;
  std::size_t frame_words_ = 0;
  bool pixels_ = false, has_memory_ = false;
  mutable std::mutex mutex_;
  mutable std::vector<ir::Interpreter::Frame> frames_;  // of host threads that run no longer
};

}  // namespace

Result<std::shared_ptr<Kernel>> make_ir_kernel(ir::GroupProgram program, const CompileReport& report,
                                               unsigned lanes) {
  std::optional<ir::Interpreter> preamble;
  const ir::Function& first = program.preamble;
  if (first.block_count() != 0) {
    WARPJIT_TRY(ir::Interpreter prepared, ir::Interpreter::prepare(first, 1));
    preamble = std::move(prepared);
  }
  WARPJIT_TRY(ir::Interpreter kernel, ir::Interpreter::prepare(program.kernel, lanes));
  return std::shared_ptr<Kernel>(
      std::make_shared<IrKernel>(std::move(preamble), std::move(kernel), program.kernel, report));
}

}  // namespace warpjit::runtime
