// Runs the workgroups of a grid, or blocks of 64 vertices: warps in turn, barriers between them
// (docs/guests/valhall.md 8).
#include <algorithm>

#include "base/bits.h"
#include "frontend/interpret/fault.h"
#include "frontend/valhall/interpret/attribute.h"
#include "frontend/valhall/interpret/warp.h"

namespace warpjit::valhall {
namespace {

// Workgroups of a launch with one set of warps.
class BlockRun final : public WarpRun {
 public:
  BlockRun(const Interpreter& interpreter, const frontend::Grid& launch, const frontend::CheckedGrid& checked,
           const RunLimits& limits)
      : WarpRun(interpreter, launch, checked, limits),
        warps_((checked.threads + kWarpLanes - 1) / kWarpLanes) {
    // The launch is checked.
    if (program_.stage == Stage::vertex)
      for (const frontend::AttributeSource& attribute : launch.vertices.attributes)
        formats_.push_back(*find_vertex_format(attribute.format));
  }

  Status run(std::uint64_t first, std::uint64_t count, RunReport& report) {
    Status status;
    for (std::uint64_t k = 0; k < count && status.ok(); ++k) status = run_block(first + k);
    report_.first_fault = memory_.take_fault();
    report.add(report_);
    return status;
  }

 private:
  Status run_block(std::uint64_t number) {
    block_ = launch_.block_at(number);
    memory_.begin(block_);
    for (std::size_t k = 0; k < warps_.size(); ++k) {
      start(warps_[k], number, static_cast<std::uint32_t>(k));
      show(warps_[k], {.kind = interpret::ObservedGroup::Kind::block,
                       .lanes = warps_[k].running,
                       .first = warps_[k].first_thread,
                       .block = block_});
    }
    while (true) {
      std::uint32_t running = 0;
      for (Warp& warp : warps_) {
        WARPJIT_CHECK(run_warp(warp));
        running |= warp.running;
      }
      if (running == 0) return {};
      for (Warp& warp : warps_) warp.waiting = 0;
    }
  }

  void start(Warp& warp, std::uint64_t block_number, std::uint32_t k) {
    const std::uint32_t threads = threads_of_block(), first_thread = k * kWarpLanes;
    start_warp(warp,
               low_mask<std::uint32_t>(std::min(threads - std::min(threads, first_thread), kWarpLanes)));
    warp.first_thread = first_thread;
    warp.number = static_cast<std::uint32_t>(block_number * warps_.size() + k);
    const auto& size = launch_.block;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      if (program_.stage == Stage::vertex) {
        start_vertex(warp, lane);
        continue;
      }
      const std::uint32_t thread = warp.first_thread + lane;
      if (thread >= checked_.threads) break;
      const std::uint32_t local[3] = {thread % size[0], thread / size[0] % size[1],
                                      thread / size[0] / size[1]};
      warp.registers[55][lane] = local[0] | local[1] << 16;
      warp.registers[56][lane] = local[2];
      for (unsigned n = 0; n < 3; ++n) {
        const std::uint32_t group = block_[n] + launch_.first_block[n];
        warp.registers[57 + n][lane] = group;
        warp.registers[60 + n][lane] = group * size[n] + local[n];
      }
    }
  }

  // Threads that there are: blocks of vertices may end before their last one.
  std::uint32_t threads_of_block() const {
    if (program_.stage != Stage::vertex) return checked_.threads;
    return std::min(launch_.vertices.count - block_[0] * checked_.threads, checked_.threads);
  }

  void start_vertex(Warp& warp, unsigned lane) const {
    const frontend::Vertices& vertices = launch_.vertices;
    const std::uint32_t number = block_[0] * checked_.threads + warp.first_thread + lane,
                        instance = block_[1];
    warp.registers[59][lane] = 8 * (instance * vertices.count + number);
    warp.registers[60][lane] = vertices.first + number;
    warp.registers[61][lane] = vertices.first_instance + instance;
  }

  std::string place_text(const Warp& warp) const override {
    return ", in warp " + std::to_string(warp.first_thread / kWarpLanes) + interpret::block_text(block_);
  }

  // Messages of vertex programs.
  void execute_own(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source) override {
    const Staging& to = op.i.write;
    for_lanes(active, [&](unsigned lane) {
      const auto a = static_cast<std::uint32_t>(source[0][lane]),
                 b = static_cast<std::uint32_t>(source[1][lane]);
      if (op.kind == WarpOp::Kind::result_address) {
        warp.set(to.first, lane, (a >> 3) * launch_.vertices.packet_stride + (a & 7) * 16);
        warp.set(to.first + 1U, lane, static_cast<std::uint32_t>(memory_.result_pointer() >> 32));
        return;
      }
      const auto values = attribute(warp, op, lane, a, b);
      for (unsigned n = 0; n < to.count; ++n) warp.set(to.first + n, lane, values[n]);
    });
  }

  // What LD_ATTR and LEA_ATTR write for these numbers of vertex and instance.
  std::array<std::uint32_t, 4> attribute(const Warp& warp, const WarpOp& op, unsigned lane,
                                         std::uint32_t vertex, std::uint32_t instance) {
    const GroupMemory::Accessor accessor = by(warp, op, lane);
    const frontend::Vertices& vertices = launch_.vertices;
    const AttributeEntry entry = *attribute_entry(op.i);
    if (entry.table != 1 || entry.index >= formats_.size()) {
      memory_.report_no_attribute(entry.index, accessor);
      return {};
    }
    const frontend::AttributeSource& of = vertices.attributes[entry.index];
    const VertexFormat& format = formats_[entry.index];
    const std::uint64_t byte = byte_of_element(of, vertices.attribute_offset, vertex, instance);
    const auto low = static_cast<std::uint32_t>(of.address + byte),
               high = static_cast<std::uint32_t>(of.address >> 32);
    if (op.kind == WarpOp::Kind::attribute_address) return {low, high, of.format};
    if (byte >= of.bytes || of.bytes - byte < format.bytes()) return {};
    const std::uint64_t address = std::uint64_t{high} << 32 | low;
    const ElementBytes bytes = memory_.read_element(address, format.bytes(), accessor);
    show_access(warp, lane, address, format.bytes(), bytes.data());
    const auto to = op.i.register_format;
    auto values = convert_element(format, bytes, to);
    for (unsigned n = op.i.vector_size + 1U; n < 4; ++n) values[n] = 0;
    if (to == RegisterFormat::f16 || to == RegisterFormat::s16 || to == RegisterFormat::u16)
      return {values[0] | values[1] << 16, values[2] | values[3] << 16};
    return values;
  }

  std::vector<Warp> warps_;
  std::vector<VertexFormat> formats_;  // of attributes
  ir::BlockPosition block_{};
};

}  // namespace

void RunReport::add(const RunReport& other) {
  if (!first_fault)
    first_fault = other.first_fault;
  else if (other.first_fault)
    first_fault->access.add(other.first_fault->access);
  warp_instructions += other.warp_instructions;
  lane_instructions += other.lane_instructions;
  divergences += other.divergences;
}

Status Interpreter::run(const frontend::Grid& launch, std::uint64_t first, std::uint64_t count,
                        RunReport& report, std::optional<RunLimits> limits) const {
  if (program_.stage == Stage::fragment)
    return Error{ErrorCode::bad_input, "fragment programs run over pixels", program_.source_name};
  WARPJIT_TRY(const frontend::CheckedGrid checked, check_launch(program_, launch));
  const std::uint64_t all = launch.blocks();
  if (first > all || count > all - first)
    return Error{ErrorCode::bad_input, "the workgroups are not in the grid", {}};
  return BlockRun(*this, launch, checked, limits.value_or(launch.fuel)).run(first, count, report);
}

Status Interpreter::run(const frontend::Grid& launch, RunReport& report) const {
  return run(launch, 0, launch.blocks(), report);
}

}  // namespace warpjit::valhall
