// Any register writes, then any bytes, as a command list of the 3DS's GPU: it ends, errors name a place, and the
// guest interpreter leaves the memory that the IR interpreter leaves.
#include <vector>

#include "reader.h"
#include "target.h"
#include "warpjit/pica200.hpp"

namespace {

using namespace warpjit;
using fuzz::Reader;

constexpr std::uint32_t kQueueMemory = 0x18000000, kQueueBytes = 1 << 15, kListBytes = 1 << 13,
                        kVertexArray = 1 << 13, kQueueTarget = 1 << 14;

void add(std::vector<std::uint32_t>& list, std::uint32_t id, std::uint32_t value) {
  list.push_back(value);
  list.push_back(id | 0xF0000);
}

// Four outputs are the four attributes of vertices in memory, which go to a target of 32 x 32 pixels.
std::vector<std::uint32_t> set_up() {
  std::vector<std::uint32_t> list;
  add(list, 0x2CB, 0);
  for (std::uint32_t n = 0; n < 4; ++n) add(list, 0x2CC, 0x4c000000 | n << 21 | n << 12);
  add(list, 0x2CC, 0x88000000);
  add(list, 0x2D6, 0x0d86c36f);
  for (const auto& [id, value] : {std::pair<std::uint32_t, std::uint32_t>{0x2B9, 3},
                                  {0x2BB, 0x76543210},
                                  {0x2BD, 15},
                                  {0x04F, 4},
                                  {0x050, 0x03020100},
                                  {0x051, 0x0B0A0908},
                                  {0x052, 0x0F0E0D0C},
                                  {0x053, 0x07060504},
                                  {0x200, (kQueueMemory + kVertexArray) >> 3},
                                  {0x201, 0x0000BBB7},
                                  {0x202, 3u << 28},
                                  {0x204, 0x3210},
                                  {0x205, 4u << 28 | 32u << 16},
                                  {0x228, 6},
                                  {0x041, 0x430000},
                                  {0x043, 0x430000},
                                  {0x04D, 0xBF0000},
                                  {0x06D, 1},
                                  {0x100, 0x100},
                                  {0x101, 0x01010000},
                                  {0x107, 0xF00},
                                  {0x113, 15},
                                  {0x11C, (kQueueMemory + kQueueTarget + 0x2000) >> 3},
                                  {0x11D, (kQueueMemory + kQueueTarget) >> 3},
                                  {0x11E, 32 | 31u << 12 | 1u << 24}})
    add(list, id, value);
  return list;
}

void put(std::vector<std::byte>& memory, std::size_t at, std::uint32_t word) {
  for (std::size_t k = 0; k < 4; ++k) memory[at + k] = static_cast<std::byte>(word >> 8 * k);
}

}  // namespace

int warpjit::fuzz::fuzz_pica_queue(const std::uint8_t* data, std::size_t size) {
  static const Engine engine;
  static const std::vector<std::uint32_t> kSetUp = set_up();
  Reader reader(data, size);
  std::vector<std::uint32_t> list = kSetUp;
  const std::size_t writes = reader.take<std::uint8_t>();
  while (list.size() / 2 < kSetUp.size() / 2 + writes && reader.left() >= 6) {
    const std::uint32_t id = reader.take<std::uint16_t>() & 0x3FFu, value = reader.take<std::uint32_t>();
    add(list, id, id == 0x228 ? value & 63 : value);  // few vertices, so that a run takes no seconds
  }
  add(list, 0x22E, 1);
  while (reader.left() != 0 && 4 * list.size() < kListBytes) list.push_back(reader.take<std::uint32_t>());
  std::vector<std::byte> start(kQueueBytes);
  for (std::size_t n = 0; n < list.size() && 4 * n < kListBytes; ++n) put(start, 4 * n, list[n]);
  for (std::size_t n = kVertexArray; n < kQueueTarget; ++n)
    start[n] = static_cast<std::byte>(size == 0 ? n * 37 : data[n % size]);

  std::vector<std::byte> expected;
  bool was_ok = false;
  for (const EngineKind kind : {EngineKind::guest, EngineKind::ir}) {
    std::vector<std::byte> memory = start;
    const pica200::GpuMemory range{kQueueMemory, memory.data(), memory.size()};
    pica200::Gpu gpu;
    require(gpu.set_memory({&range, 1}).ok(), "one range of memory is taken");
    RunOptions options;
    options.engine = kind;
    options.threads = 1;
    options.fuel = 64;
    const auto report = gpu.run_commands(engine, kQueueMemory, kListBytes, options);
    require(report.ok() || !report.error().where.empty(), "an error names the place");
    if (kind == EngineKind::guest) {
      expected = std::move(memory);
      was_ok = report.ok();
      continue;
    }
    // Fuel is a group's in other engines, and code that only some threads reach may be refused.
    if (!was_ok || !report) continue;
    require(memory == expected, "engines leave the same memory");
  }
  engine.clear_cache();
  return 0;
}
