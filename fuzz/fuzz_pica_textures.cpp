// Any registers of texture units, and of what reads them, for two triangles of vertices that any bytes give: errors
// name a register, and the guest interpreter leaves the memory that the IR interpreter leaves.
#include <array>
#include <vector>

#include "reader.h"
#include "target.h"
#include "warpjit/pica200.hpp"

namespace {

using namespace warpjit;

constexpr std::uint32_t kAddress = 0x18000000, kBytes = 1 << 15, kTarget = 0x100, kTexture = 0x1000;

// Registers of units 0 to 2 and of the procedural one, of combiners and lighting.
constexpr std::uint16_t kIds[] = {0x080, 0x081, 0x082, 0x083, 0x084, 0x085, 0x086, 0x087, 0x088, 0x089,
                                  0x08A, 0x08B, 0x08E, 0x08F, 0x091, 0x092, 0x093, 0x094, 0x095, 0x096,
                                  0x099, 0x09A, 0x09B, 0x09C, 0x09D, 0x09E, 0x0A8, 0x0A9, 0x0AA, 0x0AB,
                                  0x0AC, 0x0AD, 0x0AE, 0x0C0, 0x0C1, 0x0C2, 0x0C3, 0x0C4, 0x0C8, 0x0C9,
                                  0x0CA, 0x1C3, 0x1C4, 0x1D0, 0x1D1, 0x06D, 0x058, 0x100};

}  // namespace

int warpjit::fuzz::fuzz_pica_textures(const std::uint8_t* data, std::size_t size) {
  static const Engine engine;
  std::vector<std::byte> start(kBytes), expected;
  for (std::size_t n = kTexture; n < kBytes; ++n) start[n] = static_cast<std::byte>(n * 2654435761u >> 13);
  bool was_ok = false;
  for (const EngineKind kind : {EngineKind::guest, EngineKind::ir}) {
    Reader reader(data, size);
    std::vector<std::byte> memory = start;
    const pica200::GpuMemory range{kAddress, memory.data(), memory.size()};
    pica200::Gpu gpu;
    require(gpu.set_memory({&range, 1}).ok(), "one range of memory is taken");
    const auto set = [&](std::uint32_t id, std::uint32_t value) {
      require(gpu.set_register(id, value).ok(), "registers below 0x300 are set");
    };
    for (const std::uint32_t id : {0x0C8u, 0x0D0u, 0x0D8u, 0x0F0u, 0x0F8u}) set(id, 0x000F000F);
    for (const auto& [id, value] : {std::pair<std::uint32_t, std::uint32_t>{0x041, 0x410000},
                                    {0x043, 0x410000},
                                    {0x0C0, 0x00030003},
                                    {0x100, 0x100},
                                    {0x101, 0x01010000},
                                    {0x107, 0xF00},
                                    {0x113, 15},
                                    {0x11D, (kAddress + kTarget) >> 3},
                                    {0x11E, 8 | 7u << 12 | 1u << 24},
                                    {0x080, 7},
                                    {0x082, 16u << 16 | 16},
                                    {0x085, (kAddress + kTexture) >> 3},
                                    {0x092, 8u << 16 | 32},
                                    {0x095, (kAddress + kTexture) >> 3},
                                    {0x09A, 32u << 16 | 8},
                                    {0x09D, (kAddress + kTexture) >> 3}})
      set(id, value);
    for (std::size_t writes = reader.take<std::uint8_t>() % 48u; writes != 0 && reader.left() >= 5;
         --writes) {
      const std::uint32_t id = kIds[reader.take<std::uint8_t>() % std::size(kIds)];
      set(id, reader.take<std::uint32_t>());
    }
    // A program of moves; its attributes are sent in immediate mode as words of f32.
    std::vector<std::uint32_t> list;
    const auto write = [&](std::uint32_t id, std::uint32_t value) {
      list.push_back(value);
      list.push_back(id | 0xF0000);
    };
    write(0x2CB, 0);
    for (std::uint32_t n = 0; n < 4; ++n) write(0x2CC, 0x4c000000 | n << 21 | n << 12);
    write(0x2CC, 0x88000000);
    write(0x2D6, 0x0d86c36f);
    write(0x2B9, 3);
    write(0x2BB, 0x76543210);
    write(0x2BD, 15);
    write(0x04F, 4);
    write(0x050, 0x03020100);
    write(0x051, 0x100D0C0B);
    write(0x052, 0x17160F0E);
    write(0x053, 0x07060504);
    write(0x242, 3);
    write(0x232, 15);
    for (unsigned vertex = 0; vertex < 6; ++vertex) {
      constexpr std::array<std::array<std::uint32_t, 2>, 6> kCorners = {
          {{0xBF, 0xBF}, {0x3F, 0xBF}, {0x3F, 0x3F}, {0xBF, 0xBF}, {0x3F, 0x3F}, {0xBF, 0x3F}}};
      for (unsigned attribute = 0; attribute < 4; ++attribute) {
        // Four floats of 24 bits in three words, the last one highest.
        std::array<std::uint32_t, 4> floats{};
        for (std::uint32_t& word : floats) word = reader.take<std::uint32_t>() & 0xFFFFFF;
        if (attribute == 0) floats = {kCorners[vertex][0] << 16, kCorners[vertex][1] << 16, 0, 0x3F0000};
        write(0x233, floats[3] << 8 | floats[2] >> 16);
        write(0x233, floats[2] << 16 | floats[1] >> 8);
        write(0x233, floats[1] << 24 | floats[0]);
      }
    }
    write(0x25F, 1);
    RunOptions options;
    options.engine = kind;
    options.threads = 1;
    Status status;
    for (std::size_t n = 0; n + 1 < list.size() && status; n += 2) {
      pica200::Packet packet;
      packet.id = list[n + 1] & 0xFFFF;
      packet.values = {&list[n], 1};
      if (const auto done = gpu.run_packet(engine, packet, options); !done) status = done.error();
    }
    require(status.ok() || !status.error().where.empty(), "an error names the place");
    if (kind == EngineKind::guest) {
      expected = std::move(memory);
      was_ok = status.ok();
      continue;
    }
    require(status.ok() == was_ok, "engines refuse the same registers");
    require(memory == expected, "engines leave the same memory");
  }
  engine.clear_cache();
  return 0;
}
