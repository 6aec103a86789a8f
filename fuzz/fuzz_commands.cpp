// Any bytes as command lists with memory: each list is refused as a whole or run to its end, and what it
// draws, with the geometry unit or without, is the same in the guest interpreter,
// the IR interpreter and the JIT.
#include <memory>
#include <vector>

#include "reader.h"
#include "target.h"
#include "warpjit/pica200.hpp"

namespace {

using namespace warpjit;
using fuzz::Reader;

// Registers that matter, for entries that name them by a byte.
constexpr std::uint16_t kCommandIds[] = {
    0x04F, 0x050, 0x051, 0x200, 0x201, 0x202, 0x203, 0x204, 0x205, 0x206, 0x207, 0x208, 0x227,
    0x228, 0x229, 0x22A, 0x22E, 0x22F, 0x232, 0x233, 0x242, 0x244, 0x24A, 0x252, 0x254, 0x25E,
    0x25F, 0x280, 0x281, 0x289, 0x28A, 0x28B, 0x28D, 0x290, 0x291, 0x29B, 0x29C, 0x2A5, 0x2A6,
    0x2B0, 0x2B1, 0x2B9, 0x2BA, 0x2BB, 0x2BD, 0x2C0, 0x2C1, 0x2CB, 0x2CC, 0x2D5, 0x2D6};

std::vector<std::uint32_t> command_list(Reader& reader) {
  std::vector<std::uint32_t> list;
  for (std::size_t entries = reader.take<std::uint8_t>(); entries != 0 && reader.left() != 0; --entries) {
    const auto choice = reader.take<std::uint8_t>();
    if (choice == 255) {  // any words, which may break what follows
      list.push_back(reader.take<std::uint32_t>());
      continue;
    }
    const std::uint32_t id =
        choice < std::size(kCommandIds) ? kCommandIds[choice] : reader.take<std::uint16_t>() & 0x3FFu;
    const auto shape = reader.take<std::uint8_t>();
    const std::uint32_t others = shape >> 4;
    list.push_back(reader.take<std::uint32_t>());
    list.push_back(id | ((shape & 2) != 0 ? 15u : reader.take<std::uint8_t>() & 15u) << 16 | others << 20 |
                   ((shape & 1) != 0 ? 0x80000000u : 0));
    for (std::uint32_t n = 0; n < others; ++n) list.push_back(reader.take<std::uint32_t>());
    if (others % 2 != 0) list.push_back(0);
  }
  return list;
}

struct Listed {
  bool ok = false;
  ErrorCode code = ErrorCode::internal;
  std::vector<pica200::Vertex> vertices;
  std::vector<std::uint16_t> indices;
};

struct Draws final : pica200::CommandVisitor {
  std::vector<Listed> list;
  bool draw(const Result<pica200::DrawResult>& result) override {
    Listed& drawn = list.emplace_back();
    drawn.ok = result.ok();
    if (!result) {
      drawn.code = result.error().code;
      fuzz::require(!result.error().message.empty(), "an error says what is wrong");
      return list.size() < 16;
    }
    drawn.vertices.assign(result->vertices.begin(), result->vertices.end());
    drawn.indices.assign(result->indices.begin(), result->indices.end());
    fuzz::require(!result->triangles || (drawn.vertices.size() % 3 == 0 && drawn.indices.empty()),
                  "triangles have three vertices each");
    for (const std::uint16_t index : drawn.indices)
      fuzz::require(index < drawn.vertices.size(), "indices name vertices");
    return list.size() < 16;
  }
};

// False where the engines may go different ways from here on.
bool compare(const std::vector<Listed>& guest, const std::vector<Listed>& other) {
  for (std::size_t n = 0; n < guest.size(); ++n) {
    if (!guest[n].ok) return false;  // fuel is a group's in the others
    fuzz::require(n < other.size(), "engines draw as often");
    // Translation also refuses undefined code that only a run past an unopened scope's end would reach.
    if (!other[n].ok && other[n].code == ErrorCode::bad_input) return false;
    fuzz::require(other[n].ok, "what the guest interpreter can run, the others can");
    fuzz::require(
        guest[n].vertices.size() == other[n].vertices.size() && guest[n].indices == other[n].indices,
        "engines give the same vertices");
    fuzz::require(
        guest[n].vertices.empty() || std::memcmp(guest[n].vertices.data(), other[n].vertices.data(),
                                                 guest[n].vertices.size() * sizeof(pica200::Vertex)) == 0,
        "engines give the same bits");
  }
  return true;
}

}  // namespace

int warpjit::fuzz::fuzz_commands(const std::uint8_t* data, std::size_t size) {
  static const Engine engine;
  constexpr EngineKind kKinds[] = {EngineKind::guest, EngineKind::ir, EngineKind::jit};
  Reader reader(data, size);
  // Exactly as long as declared, so that a sanitizer sees accesses outside.
  const std::size_t bytes = reader.take<std::uint16_t>() % 1024u;
  const auto memory = std::make_unique<std::byte[]>(bytes);
  for (std::size_t n = 0; n < bytes; ++n) memory[n] = static_cast<std::byte>(n % 7);
  const pica200::MemoryRange range{0x18000000, memory.get(), bytes};
  pica200::Pipeline pipelines[std::size(kKinds)];
  for (pica200::Pipeline& pipeline : pipelines)
    require(pipeline.set_memory({&range, 1}).ok(), "one range of memory is taken");
  bool alike = true;
  while (alike && reader.left() != 0) {
    const std::vector<std::uint32_t> list = command_list(reader);
    std::vector<Listed> guest;
    for (std::size_t k = 0; k < std::size(kKinds); ++k) {
      RunOptions options;
      options.engine = kKinds[k];
      options.threads = 1;
      options.fuel = 64;
      Draws draws;
      const Status status = pipelines[k].run_commands(engine, list, draws, options);
      require(status.ok() || !status.error().where.empty(), "an error names the place");
      if (k == 0)
        guest = std::move(draws.list);
      else
        alike &= compare(guest, draws.list);
    }
    const auto& unit = pipelines[0].geometry_unit();
    for (const pica200::Pipeline& other : pipelines)
      require(!alike || std::memcmp(&unit, &other.geometry_unit(), sizeof unit) == 0,
              "engines leave the same state");
  }
  engine.clear_cache();
  return 0;
}
