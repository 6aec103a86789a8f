// The GPU as a whole: command lists, draws through Pipeline and the fixed function, tables.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>

#include "device/pica200/draw_view.h"
#include "device/pica200/fragment_draws.h"
#include "device/pica200/gpu_recording.h"
#include "device/pica200/pipeline.h"
#include "device/pica200/primitive_assembly.h"
#include "frontend/pica200/facts/fragment.h"
#include "frontend/pica200/facts/physical_memory.h"

namespace warpjit::pica200 {

class GpuState {
 public:
  GpuState() { watch_memory(); }
  GpuState(const GpuState&) = delete;  // its parts point to each other
  GpuState& operator=(const GpuState&) = delete;

  Pipeline& pipeline() { return shading_; }
  const PipelineState& pipeline_state() const { return pipeline_; }
  void set_interrupt(InterruptFunction function, void* context) {
    interrupt_ = function;
    interrupt_context_ = context;
  }
  void raise(Interrupt interrupt) const {
    if (interrupt_ != nullptr) interrupt_(interrupt_context_, interrupt);
  }

  // Null: nobody looks.
  void set_visitor(DrawVisitor* visitor) {
    draws_.write_back();
    visitor_ = visitor;
    visited_ = 0;
  }

  Status set_memory(std::span<const GpuMemory> ranges);
  Status set_register(std::uint32_t id, std::uint32_t value);
  std::uint32_t get_register(std::uint32_t id) const;
  const PhysicalMemory& memory() const { return memory_; }
  const FragmentTables& tables() const { return tables_; }
  Status reset(Start start);
  std::vector<std::byte> save();
  Status load(std::span<const std::byte> from);

  Result<GpuReport> run_commands(const Engine& engine, std::uint32_t address, std::uint32_t bytes,
                                 const RunOptions& options);
  Result<GpuReport> run_packet(const Engine& engine, const Packet& packet, const RunOptions& options);
  Result<GpuReport> draw_immediate(const Engine& engine, const RunOptions& options);
  Status fill(const MemoryFill& job);
  Status transfer(const DisplayTransfer& job);
  Status copy(const TextureCopy& job);

  void set_lazy_targets(bool lazy) {
    lazy_targets_ = lazy;
    if (!lazy) draws_.write_back();
  }
  void write_back(std::uint64_t address, std::uint64_t bytes);

  // Null: nobody records.
  void set_recording(std::unique_ptr<GpuRecording> recording);
  GpuRecording* recording() const { return recording_.get(); }

 private:
  struct List {
    std::uint32_t address = 0, bytes = 0;
  };
  // What a write makes of the list that has it.
  enum class Next : std::uint8_t { go_on, jump0, jump1, end };
  struct Running {
    const Engine& engine;
    const RunOptions& options;
    GpuReport report;
    std::optional<std::uint32_t> command;  // address of the list's entry that runs
  };

  // Runs a job, and tells of it.
  template <class Run>
  auto record(const StartedJob& job, Run run);
  Status run_lists(Running& running, List list);
  Result<Next> run_list(Running& running, const List& list);
  Status write_packet(Running& running, const Packet& packet);
  // Does the work, which gives a Status, and what a call ends with.
  template <class Work>
  Result<GpuReport> run(Running& running, const Work& work);
  Result<Next> write(Running& running, std::uint32_t id, std::uint32_t value, unsigned bytes);
  Status write_table(Running& running, std::uint32_t id);
  Status draw_sent(Running& running);
  // Those who reach memory tell a recording, else the targets that are kept.
  void watch_memory() {
    memory_.set_watch(recording_ ? static_cast<MemoryWatch*>(recording_.get()) : &draws_);
  }
  Status draw(Running& running, std::uint32_t id);
  Status draw_pixels(Running& running, std::uint32_t id, const DrawResult& result);

  Pipeline shading_;
  PipelineState& pipeline_ = shading_.state();
  PhysicalMemory memory_;
  FragmentTables tables_;
  PrimitiveAssembly assembly_;
  FragmentDraws draws_;
  InterruptFunction interrupt_ = nullptr;
  void* interrupt_context_ = nullptr;
  DrawVisitor* visitor_ = nullptr;
  std::uint64_t visited_ = 0;
  bool lazy_targets_ = false;
  std::unique_ptr<GpuRecording> recording_;
};

}  // namespace warpjit::pica200

class warpjit::pica200::Gpu::State final : public warpjit::pica200::GpuState {};
