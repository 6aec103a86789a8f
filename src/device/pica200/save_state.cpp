// What a saved state has of each part of a Pipeline and a Gpu, in its order (pica200.hpp: save, load).
#include <cstring>

#include "device/pica200/gpu.h"
#include "device/pica200/state_bytes.h"

namespace warpjit::pica200 {
namespace {

void describe(StateBytes& bytes, Vertex& vertex) {
  std::array<std::uint32_t, kSemantics> words;
  std::memcpy(words.data(), &vertex, sizeof vertex);
  bytes.words(words);
  std::memcpy(&vertex, words.data(), sizeof vertex);
}

// What registers hold at first.
Status begin(Registers& registers, Start start) {
  constexpr std::uint32_t kGeometryInputs = 0x289;
  return start == Start::emulators ? registers.write(kGeometryInputs, 0xA0000001) : Status();
}

}  // namespace

void VectorTransfer::describe(StateBytes& bytes) {
  bytes.number(f32_mode, 1);
  bytes.number(count, f32_mode ? 3 : 2);
  if (bytes.ok()) bytes.words(std::span(words).first(count));
}

void UnitRegisters::describe(StateBytes& bytes) {
  bytes.trimmed(code);
  bytes.trimmed(descriptors);
  bytes.number(entry, 0xFFFF);
  bytes.words(floats);
  bytes.words(ints);
  bytes.number(bools, 0xFFFF);
  bytes.number(attribute_count, kAttributeSlots);
  for (std::uint8_t& reg : permutation) bytes.number(reg, 15);
  bytes.number(output_mask, 0xFFFF);
  bytes.number(code_index_, kGeometryWords);  // one after the last word
  bytes.number(descriptor_index_, 0xFF);
  bytes.number(float_index_, 0xFF);
  float_transfer_.describe(bytes);
  if (!bytes.reads()) return;
  ++program_version;
  ++values_version;
  ++layout_version;
}

void Registers::describe(StateBytes& bytes) {
  bytes.part("registers");
  bytes.words(words_);
  bytes.part("vertex unit");
  vertex.describe(bytes);
  bytes.part("geometry unit");
  geometry.describe(bytes);
  GeometryUnit& state = unit();
  bytes.words(state.words());
  bytes.part("fixed attributes");
  bytes.words(fixed);
  bytes.number(fixed_index_, 15);
  fixed_transfer_.describe(bytes);
  bytes.part("output map");
  bytes.number(map_count, kMapWords);
  bytes.words(output_map);
  bytes.number(vertex_outputs_written_, 1);
  bytes.part("immediate mode");
  bytes.number(sent_count_, 15);
  bytes.words(sent_);
  std::size_t waiting = immediate.size();
  bytes.count(waiting, kMaxDrawVertices, sizeof(ImmediateVertex));
  if (!bytes.ok()) return;
  immediate.resize(waiting);
  for (ImmediateVertex& sent : immediate) bytes.words(sent);
  bytes.part("primitive assembly");
  bytes.number(restarted, 1);
  bytes.number(topology_written, 1);
  if (!bytes.reads()) return;
  ++fixed_version;
  ++map_version;
  ++loader_version;
  ++pixel_version;
}

void PrimitiveAssembly::describe(StateBytes& bytes) {
  bytes.part("primitive assembly");
  bytes.number(topology_, 3);
  // What counts of the number of vertices: how many are held, and the parity.
  std::uint64_t count = count_ < 2 ? count_ : 2 + count_ % 2;
  bytes.number(count, 3);
  for (Vertex& vertex : kept_) pica200::describe(bytes, vertex);
  if (bytes.reads()) count_ = count;
}

namespace {

void describe(StateBytes& bytes, FragmentTables& tables) {
  bytes.part("tables");
  bytes.words(tables.lights);
  for (std::span<std::uint32_t> table :
       {std::span<std::uint32_t>(tables.fog), std::span<std::uint32_t>(tables.noise),
        std::span<std::uint32_t>(tables.color_map), std::span<std::uint32_t>(tables.alpha_map),
        std::span<std::uint32_t>(tables.colors), std::span<std::uint32_t>(tables.color_differences)})
    bytes.words(table);
}

}  // namespace

std::vector<std::byte> PipelineState::save() {
  StateBytes bytes(StateBytes::Kind::pipeline);
  registers.describe(bytes);
  return bytes.take();
}

Status PipelineState::load(std::span<const std::byte> from) {
  StateBytes bytes(StateBytes::Kind::pipeline, from);
  Registers loaded = registers;
  loaded.describe(bytes);
  WARPJIT_CHECK(bytes.finish());
  registers = std::move(loaded);
  shaded_ = {};
  return {};
}

Status PipelineState::reset(Start start) {
  Registers fresh;
  WARPJIT_CHECK(begin(fresh, start));
  StateBytes bytes(StateBytes::Kind::pipeline);
  fresh.describe(bytes);
  return load(bytes.take());
}

std::vector<std::byte> GpuState::save() {
  draws_.write_back();  // who saves the state saves memory, too
  StateBytes bytes(StateBytes::Kind::gpu);
  pipeline_.registers.describe(bytes);
  describe(bytes, tables_);
  assembly_.describe(bytes);
  return bytes.take();
}

Status GpuState::load(std::span<const std::byte> from) {
  StateBytes bytes(StateBytes::Kind::gpu, from);
  Registers registers = pipeline_.registers;
  FragmentTables tables;
  PrimitiveAssembly assembly;
  registers.describe(bytes);
  describe(bytes, tables);
  assembly.describe(bytes);
  WARPJIT_CHECK(bytes.finish());
  draws_.write_back();
  pipeline_.registers = std::move(registers);
  tables_ = tables;
  draws_.change_tables();
  assembly_ = std::move(assembly);
  if (recording_) recording_->load(from);
  return {};
}

Status GpuState::reset(Start start) {
  GpuState fresh;
  WARPJIT_CHECK(begin(fresh.pipeline_.registers, start));
  return load(fresh.save());
}

}  // namespace warpjit::pica200
