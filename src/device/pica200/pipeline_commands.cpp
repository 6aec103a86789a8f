// Draws as the registers say, and command lists.
#include <cstring>
#include <utility>

#include "device/pica200/command_list.h"
#include "device/pica200/pipeline.h"

namespace warpjit::pica200 {
namespace {

constexpr std::uint32_t kIndexOffset = 0x0FFFFFFF;

// True if vertices that were sent may wait until after a write of this register.
bool keeps_sent_vertices(std::uint32_t id) { return id >= kFixedIndex && id < kFixedDataEnd; }

}  // namespace

Result<DrawResult> PipelineState::draw_arrays(const Engine& engine, const RunOptions& options) {
  return draw(engine, registers.read(kFirstVertex), registers.read(kVertexCount), options);
}

Result<DrawResult> PipelineState::draw_elements(const Engine& engine, const RunOptions& options) {
  const std::uint32_t list = registers.read(kIndexList);
  const std::size_t count = registers.read(kVertexCount);
  if (count > kMaxDrawVertices)
    return Error{ErrorCode::resource_limit, std::to_string(count) + " indices in one draw", "register 0x228"};
  const std::size_t size = list >> 31 != 0 ? 2 : 1;
  const std::span<const std::byte> bytes =
      attributes.memory(std::uint64_t{registers.attribute_base()} + (list & kIndexOffset), count * size);
  if (!bytes.empty()) reach(bytes.data(), bytes.size());
  if (bytes.size() < count * size && outside == Outside::zero) {
    const auto padded = [&](auto& indices) -> Result<DrawResult> {
      indices.assign(count, 0);
      if (!bytes.empty()) std::memcpy(indices.data(), bytes.data(), bytes.size());
      WARPJIT_TRY(DrawResult result, draw_indexed(engine, std::span(std::as_const(indices)), options));
      result.outside_indices = count - bytes.size() / size;
      return result;
    };
    return size == 1 ? padded(narrow_) : padded(aligned_);
  }
  if (bytes.size() < count * size)
    return outside_error("the list of " + std::to_string(count) + " indices does not lie in memory",
                         "register 0x227");
  if (size == 1)
    return draw_indexed(engine, std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), count),
                        options);
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % size == 0)
    return draw_indexed(engine, std::span(reinterpret_cast<const std::uint16_t*>(bytes.data()), count),
                        options);
  aligned_.resize(count);
  if (count != 0) std::memcpy(aligned_.data(), bytes.data(), bytes.size());
  return draw_indexed(engine, std::span<const std::uint16_t>(aligned_), options);
}

Result<DrawResult> PipelineState::draw_immediate(const Engine& engine, const RunOptions& options) {
  sent_.swap(registers.immediate);
  registers.immediate.clear();
  attributes.use(sent_);
  Result<DrawResult> result = draw_range(engine, 0, sent_.size(), options);
  if (!result) return result;
  return finish(*result);
}

Result<bool> PipelineState::execute(const Engine& engine, std::uint32_t id, std::uint32_t value,
                                    unsigned bytes, CommandVisitor& visitor, const RunOptions& options) {
  if (bytes == 0) return true;
  if (!registers.immediate.empty() && !keeps_sent_vertices(id) &&
      !show(draw_immediate(engine, options), visitor))
    return false;
  WARPJIT_CHECK(registers.write(id, value, bytes));
  visitor.write(id, id < kRegisterCount ? registers.read(id) : value);
  if (id == kDrawArrays) return show(draw_arrays(engine, options), visitor);
  if (id == kDrawElements) return show(draw_elements(engine, options), visitor);
  return true;
}

Result<bool> PipelineState::run_packet(const Engine& engine, const Packet& packet, CommandVisitor& visitor,
                                       const RunOptions& options) {
  for (std::size_t n = 0; n < packet.values.size(); ++n) {
    const std::uint32_t id = packet.id + (packet.consecutive ? static_cast<std::uint32_t>(n) : 0);
    WARPJIT_TRY(const bool more, execute(engine, id, packet.values[n], packet.bytes & 15, visitor, options));
    if (!more) return false;
  }
  return true;
}

Status PipelineState::run_commands(const Engine& engine, std::span<const std::uint32_t> words,
                                   CommandVisitor& visitor, const RunOptions& options) {
  // A list that is cut writes nothing.
  for (std::size_t at = 0; at < words.size();) {
    WARPJIT_TRY(const Command command, read_command(words, at));
    at += command.words;
  }
  for (std::size_t at = 0; at < words.size();) {
    WARPJIT_TRY(const Command command, read_command(words, at));
    Packet packet{command.id, {&command.first, 1}, command.bytes, command.consecutive};
    WARPJIT_TRY(bool more, run_packet(engine, packet, visitor, options));
    if (!more) return {};
    packet.id += command.consecutive;
    packet.values = command.others;
    WARPJIT_TRY(more, run_packet(engine, packet, visitor, options));
    if (!more) return {};
    at += command.words;
  }
  if (!registers.immediate.empty()) static_cast<void>(show(draw_immediate(engine, options), visitor));
  return {};
}

}  // namespace warpjit::pica200
