// Any bytes as register writes and attribute arrays of a vertex stage; what can be drawn gives the same in
// the guest interpreter, the IR interpreter and the JIT.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "reader.h"
#include "target.h"
#include "warpjit/pica200.hpp"

namespace {

using namespace warpjit;
using fuzz::Reader;

constexpr std::uint32_t kIds[] = {0x04F, 0x050, 0x051, 0x056, 0x232, 0x233, 0x2B0, 0x2B1, 0x2B9, 0x2BA,
                                  0x2BB, 0x2BC, 0x2BD, 0x2C0, 0x2C1, 0x2CB, 0x2CC, 0x2D5, 0x2D6, 0x229};

void write_registers(Reader& reader, pica200::Pipeline& pipeline) {
  for (std::size_t writes = reader.take<std::uint8_t>() * 4u; writes != 0 && reader.left() != 0; --writes) {
    const auto choice = reader.take<std::uint8_t>();
    const std::uint32_t id = choice < std::size(kIds) ? kIds[choice]
                             : choice < 64            ? 0x2CC
                                                      : reader.take<std::uint16_t>();
    static_cast<void>(pipeline.write_register(id, reader.take<std::uint32_t>()));
  }
}

// Arrays in memory of their own, exactly as long as declared, so that a sanitizer sees accesses outside.
using Arrays = std::vector<std::unique_ptr<std::byte[]>>;
void bind_attributes(Reader& reader, pica200::Pipeline& pipeline, Arrays& arrays) {
  for (std::size_t count = reader.take<std::uint8_t>() % 6u; count != 0; --count) {
    pica200::AttributeArray array;
    array.size = reader.take<std::uint8_t>();
    arrays.push_back(std::make_unique<std::byte[]>(array.size));
    for (std::size_t n = 0; n < array.size; ++n)
      arrays.back()[n] = static_cast<std::byte>(n * 37 + arrays.size());
    array.data = arrays.back().get();
    array.stride = reader.take<std::uint8_t>() % 80u;
    for (std::size_t uses = 1 + reader.take<std::uint8_t>() % 4u; uses != 0; --uses) {
      const auto format = reader.take<std::uint8_t>();
      array.format = {static_cast<ComponentType>(format % 6), static_cast<std::uint8_t>(format / 6 % 6)};
      array.offset = reader.take<std::uint8_t>();
      if (format == 255) array.offset = static_cast<std::size_t>(reader.take<std::uint64_t>());
      if (format == 254) array.stride = static_cast<std::size_t>(reader.take<std::uint64_t>());
      static_cast<void>(pipeline.bind_attribute(reader.take<std::uint8_t>() % 13u, array));
    }
  }
}

struct Drawn {
  bool ok = false;
  ErrorCode code = ErrorCode::internal;
  std::vector<pica200::Vertex> vertices;
  std::vector<std::uint16_t> indices;
};
Drawn draw(const Engine& engine, pica200::Pipeline& pipeline, std::span<const std::uint16_t> indices,
           EngineKind kind) {
  RunOptions options;
  options.engine = kind;
  options.threads = 1;
  options.fuel = 64;
  const auto result = indices.size() % 2 != 0 ? pipeline.draw(engine, indices[0], indices.size() - 1, options)
                                              : pipeline.draw_indexed(engine, indices, options);
  Drawn drawn;
  drawn.ok = result.ok();
  if (!result) {
    drawn.code = result.error().code;
    fuzz::require(!result.error().message.empty(), "an error says what is wrong");
    return drawn;
  }
  drawn.vertices.assign(result->vertices.begin(), result->vertices.end());
  drawn.indices.assign(result->indices.begin(), result->indices.end());
  for (const std::uint16_t index : drawn.indices)
    fuzz::require(index < drawn.vertices.size(), "indices name vertices");
  return drawn;
}

}  // namespace

int warpjit::fuzz::fuzz_draw(const std::uint8_t* data, std::size_t size) {
  static const Engine engine;
  Reader reader(data, size);
  pica200::Pipeline pipeline;
  Arrays arrays;
  for (int turn = 0; turn < 3 && reader.left() != 0; ++turn) {
    write_registers(reader, pipeline);
    bind_attributes(reader, pipeline, arrays);
    std::vector<std::uint16_t> indices(reader.take<std::uint8_t>() % 80u);
    for (std::uint16_t& index : indices) index = reader.take<std::uint8_t>() % 20u;
    if (!indices.empty() && reader.take<std::uint8_t>() == 255) indices[0] = 0xFFFF;
    const Drawn guest = draw(engine, pipeline, indices, EngineKind::guest);
    for (const EngineKind kind : {EngineKind::ir, EngineKind::jit}) {
      const Drawn other = draw(engine, pipeline, indices, kind);
      if (!guest.ok) continue;  // fuel is a group's in the others
      // Translation also refuses undefined code that only a run past an unopened scope's end would reach.
      if (!other.ok && other.code == ErrorCode::bad_input) continue;
      fuzz::require(other.ok, "what the guest interpreter can run, the others can");
      fuzz::require(guest.vertices.size() == other.vertices.size() && guest.indices == other.indices,
                    "engines give the same vertices");
      fuzz::require(
          guest.vertices.empty() || std::memcmp(guest.vertices.data(), other.vertices.data(),
                                                guest.vertices.size() * sizeof(pica200::Vertex)) == 0,
          "engines give the same bits");
    }
  }
  engine.clear_cache();
  return 0;
}
