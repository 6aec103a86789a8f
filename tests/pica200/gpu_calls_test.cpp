// Gpu as an emulator calls it: interrupts, packets of lists that it walks through itself, saved states; in C++
// and in C.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <stdexcept>
#include <vector>

#include "runtime/c_api.h"
#include "warpjit/pica200.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {
namespace {

using test::sized;

constexpr std::uint32_t kMemory = 0x20000000, kRequestedEnd = 0x12345678;
constexpr std::uint32_t kSize = 16 | 16u << 16;  // of a transfer

RunOptions guest() {
  RunOptions options;
  options.engine = EngineKind::guest;
  return options;
}

struct Raised {
  std::vector<Interrupt> list;
  static void add(void* context, Interrupt interrupt) {
    static_cast<Raised*>(context)->list.push_back(interrupt);
  }
};

class GpuCalls : public testing::Test {
 protected:
  GpuCalls() {
    const GpuMemory range{kMemory, memory.data(), memory.size()};
    EXPECT_TRUE(gpu.set_memory({&range, 1}).ok());
    gpu.set_interrupt(&Raised::add, &raised);
  }
  GpuReport run(const Packet& packet) {
    const auto report = gpu.run_packet(engine, packet, guest());
    EXPECT_TRUE(report.ok()) << to_string(report.error());
    return report ? *report : GpuReport();
  }
  void put(std::size_t at, std::uint32_t word) {
    for (unsigned n = 0; n < 4; ++n) memory[at + n] = static_cast<std::byte>(word >> 8 * n);
  }

  std::vector<std::byte> memory = std::vector<std::byte>(0x4000);
  Engine engine;
  Gpu gpu;
  Raised raised;
};

TEST_F(GpuCalls, FinishedJobsRaiseInterrupts) {
  ASSERT_TRUE(gpu.fill({kMemory, kMemory + 8, 1, 1}).ok());
  ASSERT_TRUE(gpu.fill({kMemory, kMemory + 8, 1, 1}, 1).ok());
  ASSERT_TRUE(gpu.transfer({kMemory, kMemory + 0x2000, kSize, kSize, 0}).ok());
  ASSERT_TRUE(gpu.copy({kMemory, kMemory + 0x1000, 16, 0, 0}).ok());
  put(0, kRequestedEnd), put(4, 0xF0010);
  put(8, 0), put(12, 0xF0041);
  ASSERT_TRUE(gpu.run_commands(engine, kMemory, 16, guest()).ok());
  EXPECT_EQ(raised.list, (std::vector<Interrupt>{Interrupt::psc0, Interrupt::psc1, Interrupt::ppf,
                                                 Interrupt::ppf, Interrupt::p3d}));
  raised.list.clear();
  // What fails, or ends without the request, tells nothing.
  EXPECT_FALSE(gpu.fill({kMemory, kMemory + 8, 1, 1}, 2).ok());
  EXPECT_FALSE(gpu.fill({kMemory + 8, kMemory, 1, 1}).ok());
  EXPECT_FALSE(gpu.transfer({kMemory, kMemory + 0x2000, kSize, 0, 0}).ok());
  EXPECT_FALSE(gpu.copy({kMemory, kMemory + 0x1000, 0, 0, 0}).ok());
  put(0, 1);
  ASSERT_TRUE(gpu.run_commands(engine, kMemory, 16, guest()).ok());
  EXPECT_TRUE(raised.list.empty());
  gpu.set_interrupt(nullptr);
  EXPECT_TRUE(gpu.fill({kMemory, kMemory + 8, 1, 1}).ok());
  EXPECT_TRUE(raised.list.empty());
}

TEST_F(GpuCalls, ThrownExceptionsAreErrorsOfADoneJob) {
  gpu.set_interrupt([](void*, Interrupt) { throw std::runtime_error("no"); });
  const Status status = gpu.fill({kMemory, kMemory + 4, 0x11111111, 0x201});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::internal);
  EXPECT_EQ(memory[3], std::byte{0x11});
  EXPECT_FALSE(gpu.write_register(engine, 0x010, kRequestedEnd, guest()).ok());
  gpu.set_interrupt(nullptr);
  EXPECT_TRUE(gpu.fill({kMemory, kMemory + 4, 0, 0x201}).ok());
}

TEST_F(GpuCalls, InterruptsMayStartTheNextJob) {
  struct Next {
    Gpu* gpu;
    std::vector<Interrupt> list;
  } next{&gpu, {}};
  gpu.set_interrupt(
      [](void* context, Interrupt interrupt) {
        auto* self = static_cast<Next*>(context);
        self->list.push_back(interrupt);
        if (interrupt == Interrupt::p3d) {
          EXPECT_TRUE(self->gpu->fill({kMemory, kMemory + 4, 0x55555555, 0x201}, 1).ok());
        }
      },
      &next);
  const auto report = gpu.write_register(engine, 0x010, kRequestedEnd, guest());
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->interrupt);
  EXPECT_EQ(next.list, (std::vector<Interrupt>{Interrupt::p3d, Interrupt::psc1}));
  EXPECT_EQ(memory[0], std::byte{0x55});
}

TEST_F(GpuCalls, PacketsWriteWordsToOneOrMoreRegisters) {
  const std::array<std::uint32_t, 3> words = {1, 2, 3};
  EXPECT_EQ(run({0x041, words, 15, true}).words, 3u);
  EXPECT_EQ(gpu.get_register(0x041), 1u);
  EXPECT_EQ(gpu.get_register(0x043), 3u);
  run({0x045, words, 15, false});
  EXPECT_EQ(gpu.get_register(0x045), 3u);
  EXPECT_EQ(gpu.get_register(0x046), 0u);
  // Bytes, as of a list; those of a bit above the fourth do not exist.
  const std::uint32_t word = 0xAABBCCDD;
  run({0x048, {&word, 1}, 5});
  EXPECT_EQ(gpu.get_register(0x048), 0x00BB00DDu);
  run({0x048, {&word, 1}, 0x10});
  EXPECT_EQ(gpu.get_register(0x048), 0x00BB00DDu);
  // An index of a table goes on, as in a list.
  run({0x0E6, {&word, 1}, 0});
  EXPECT_EQ(run({0x0E8, words, 15, false}).words, 3u);
  EXPECT_EQ(gpu.table(Gpu::Table::fog)[1], 2u);
  EXPECT_EQ(gpu.get_register(0x0E6), 3u);
  const std::array<std::uint32_t, 2> light = {7, 8};
  const std::uint32_t index = 0x303;
  run({0x1C5, {&index, 1}});
  run({0x1C8, light, 15, false});
  EXPECT_EQ(gpu.table(Gpu::Table::light, 3)[4], 8u);
  EXPECT_EQ(gpu.table(Gpu::Table::light, 24).size(), 0u);
  EXPECT_EQ(gpu.table(Gpu::Table::color_differences).size(), 256u);
  const auto refused = gpu.run_packet(engine, {0x2FF, words, 15, true}, guest());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().where, "register 0x300");
  EXPECT_EQ(gpu.get_register(0x2FF), 1u) << "what was before stays";
}

TEST_F(GpuCalls, InterruptsAndJumpsEndPackets) {
  const std::array<std::uint32_t, 3> words = {kRequestedEnd, 2, 3};
  GpuReport report = run({0x010, words, 15, false});
  EXPECT_TRUE(report.interrupt);
  EXPECT_EQ(report.words, 1u);
  EXPECT_EQ(raised.list, std::vector<Interrupt>{Interrupt::p3d});
  report = run({0x23B, words, 15, true});
  EXPECT_EQ(report.jump, GpuReport::Jump::buffer0);
  EXPECT_EQ(report.words, 2u);
  EXPECT_EQ(gpu.get_register(0x23D), 0u);
  EXPECT_EQ(run({0x23D, words, 15, true}).jump, GpuReport::Jump::buffer1);
  EXPECT_EQ(run({0x041, words, 15, true}).jump, GpuReport::Jump::none);
}

// A vertex of immediate mode waits for the write after it; drawing it needs a program.
TEST_F(GpuCalls, SentVerticesWait) {
  const std::array<std::uint32_t, 4> words = {15, 0, 0, 0};
  run({0x232, words, 15, true});
  EXPECT_EQ(gpu.pipeline().immediate_vertices(), 1u);
  auto refused = gpu.write_register(engine, 0x041, 1, guest());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "no code was uploaded");
  run({0x232, words, 15, true});
  refused = gpu.draw_immediate(engine, guest());
  EXPECT_FALSE(refused.ok());
  EXPECT_TRUE(gpu.draw_immediate(engine, guest()).ok()) << "none waits";
}

TEST_F(GpuCalls, StatesAreSavedWhole) {
  const std::array<std::uint32_t, 3> words = {0x80000003, 0x11111111, 0x22222222};
  run({0x2C0, words, 15, true});  // two words of four of c3
  run({0x0E8, words, 15, false});
  auto saved = gpu.save();
  ASSERT_TRUE(saved.ok());
  Gpu other;
  ASSERT_TRUE(other.load(*saved).ok());
  EXPECT_EQ(*other.save(), *saved);
  for (Gpu* one : {&gpu, &other})
    ASSERT_TRUE(one->run_packet(engine, {0x2C1, std::span(words).first(2), 15, true}, guest()).ok());
  EXPECT_EQ(other.pipeline().unit(Unit::vertex).floats[3],
            (FloatBits{0x11111111, 0x80000003, 0x22222222, 0x11111111}));
  EXPECT_EQ(*other.save(), *gpu.save());
  EXPECT_EQ(other.table(Gpu::Table::fog)[2], 0x22222222u);
  // Back to the start.
  ASSERT_TRUE(other.reset().ok());
  EXPECT_EQ(*other.save(), *Gpu().save());
  EXPECT_EQ(other.pipeline().unit(Unit::geometry).attribute_count, 0u);
  ASSERT_TRUE(other.reset(Start::emulators).ok());
  EXPECT_EQ(other.get_register(0x289), 0xA0000001u);
  EXPECT_EQ(other.pipeline().unit(Unit::geometry).attribute_count, 2u);
}

// Whatever was written, the rest goes on alike after a save and a load.
TEST_F(GpuCalls, RandomWritesGoOnAlike) {
  std::mt19937 random(5);
  constexpr std::uint32_t kPorts[] = {0x0AF, 0x0B0, 0x0E6, 0x0E8, 0x1C5, 0x1C8, 0x232, 0x233, 0x234,
                                      0x25E, 0x25F, 0x242, 0x24A, 0x229, 0x244, 0x280, 0x290, 0x291,
                                      0x29B, 0x29C, 0x2A5, 0x2A6, 0x2B0, 0x2B9, 0x2BB, 0x2C0, 0x2C1,
                                      0x2CB, 0x2CC, 0x2D5, 0x2D6, 0x04F, 0x050};
  struct Write {
    std::uint32_t id;
    std::vector<std::uint32_t> values;
    unsigned bytes;
    bool consecutive;
  };
  const auto next = [&] {
    Write write;
    write.id = random() % 4 != 0 ? kPorts[random() % std::size(kPorts)] : random() % 0x300;
    write.values.resize(1 + random() % 9);
    for (std::uint32_t& value : write.values)
      value = random() % 2 != 0 ? static_cast<std::uint32_t>(random()) : random() % 0x200;
    write.bytes = random() % 4 != 0 ? 15 : random() % 16;
    write.consecutive = random() % 2 != 0;
    return write;
  };
  for (unsigned round = 0; round < 60; ++round) {
    Gpu first;
    const auto put = [&](Gpu& to, const Write& write) {
      static_cast<void>(
          to.run_packet(engine, {write.id, write.values, write.bytes, write.consecutive}, guest()));
    };
    for (unsigned n = 0; n < 60; ++n) put(first, next());
    const auto saved = first.save();
    ASSERT_TRUE(saved.ok());
    Gpu second;
    // What was there before does not count.
    for (unsigned n = 0; n < 10; ++n) put(second, next());
    ASSERT_TRUE(second.load(*saved).ok());
    ASSERT_EQ(*second.save(), *saved) << round;
    for (unsigned n = 0; n < 60; ++n) {
      const Write write = next();
      put(first, write);
      put(second, write);
    }
    ASSERT_EQ(*second.save(), *first.save()) << round;
  }
}

TEST_F(GpuCalls, HostileStatesAreRefused) {
  const std::uint32_t word = 7;
  run({0x041, {&word, 1}});
  const std::vector<std::byte> kept = *gpu.save();
  std::vector<std::byte> bytes = *Gpu().save();
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
    const Status cut = gpu.load(std::span(bytes).first(size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().code, ErrorCode::bad_input);
    EXPECT_EQ(cut.error().where.substr(0, 17), "saved state, byte");
  }
  const auto refused = [&](std::size_t at, std::byte value) {
    std::vector<std::byte> spoilt = bytes;
    spoilt[at] = value;
    const Status status = gpu.load(spoilt);
    return status ? std::string() : to_string(status.error());
  };
  EXPECT_EQ(refused(0, std::byte{1}), "saved state, byte 4, head: the bytes do not begin as a saved state");
  EXPECT_EQ(refused(4, std::byte{9}), "saved state, byte 8, head: version 9, this library reads 1");
  EXPECT_EQ(refused(8, std::byte{1}),
            "saved state, byte 12, head: kind 1, allowed is 2 (1 a pipeline, 2 a GPU)");
  EXPECT_FALSE(gpu.pipeline().load(bytes).ok());
  bytes.push_back(std::byte{0});
  EXPECT_NE(refused(0, bytes[0]).find("1 bytes are left over"), std::string::npos);
  bytes.pop_back();
  EXPECT_EQ(*gpu.save(), kept) << "after errors it is as it was";
  // Any byte may be another one: then it is refused, or a state that can be saved again.
  for (std::size_t at = 12; at < bytes.size(); at += 1 + at / 100) {
    std::vector<std::byte> spoilt = bytes;
    spoilt[at] = std::byte{0xFF};
    Gpu loaded;
    if (!loaded.load(spoilt)) continue;
    const auto again = loaded.save();
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, spoilt) << at;
  }
}

// ---- C

class GpuInC : public testing::Test {
 protected:
  GpuInC() {
    EXPECT_EQ(warpjit_engine_create(nullptr, &engine, &error), WARPJIT_OK);
    EXPECT_EQ(warpjit_pica200_gpu_create(&gpu, &error), WARPJIT_OK);
    const warpjit_pica200_gpu_memory range{kMemory, memory.data(), memory.size()};
    ok(warpjit_pica200_gpu_set_memory(gpu, &range, 1, &error));
    options.engine = WARPJIT_GUEST;
  }
  ~GpuInC() override {
    warpjit_pica200_gpu_destroy(gpu);
    warpjit_engine_destroy(engine);
  }
  void ok(warpjit_status status) { EXPECT_EQ(status, WARPJIT_OK) << error.where << ": " << error.message; }

  std::vector<std::byte> memory = std::vector<std::byte>(0x4000);
  warpjit_error error = sized<warpjit_error>();
  warpjit_run_options options = sized<warpjit_run_options>();
  warpjit_engine* engine = nullptr;
  warpjit_pica200_gpu* gpu = nullptr;
};

TEST_F(GpuInC, JobsAndInterrupts) {
  std::vector<int> raised;
  EXPECT_EQ(warpjit_pica200_gpu_set_interrupt(
                gpu,
                [](void* context, int32_t interrupt) {
                  static_cast<std::vector<int>*>(context)->push_back(interrupt);
                },
                &raised),
            WARPJIT_OK);
  const warpjit_pica200_fill fill{kMemory, kMemory + 8, 0x01020304, 0x201};
  ok(warpjit_pica200_gpu_fill(gpu, &fill, 0, &error));
  ok(warpjit_pica200_gpu_fill(gpu, &fill, 1, &error));
  EXPECT_EQ(memory[4], std::byte{4});
  const warpjit_pica200_transfer transfer{kMemory, kMemory + 0x2000, kSize, kSize, 0};
  ok(warpjit_pica200_gpu_transfer(gpu, &transfer, &error));
  const warpjit_pica200_copy copy{kMemory, kMemory + 0x1000, 16, 0, 0};
  ok(warpjit_pica200_gpu_copy(gpu, &copy, &error));
  EXPECT_EQ(memory[0x1000], std::byte{4});
  const std::uint32_t list[] = {kRequestedEnd, 0xF0010, 0, 0xF0041};
  std::memcpy(memory.data(), list, sizeof list);
  auto report = sized<warpjit_pica200_gpu_report>();
  ok(warpjit_pica200_gpu_run_commands(gpu, engine, kMemory, 16, &options, &report, &error));
  EXPECT_EQ(report.interrupt, 1u);
  EXPECT_EQ(raised, (std::vector<int>{WARPJIT_PICA200_PSC0, WARPJIT_PICA200_PSC1, WARPJIT_PICA200_PPF,
                                      WARPJIT_PICA200_PPF, WARPJIT_PICA200_P3D}));
  EXPECT_EQ(warpjit_pica200_gpu_set_interrupt(gpu, nullptr, nullptr), WARPJIT_OK);
  ok(warpjit_pica200_gpu_fill(gpu, &fill, 0, &error));
  EXPECT_EQ(raised.size(), 5u);
  EXPECT_EQ(warpjit_pica200_gpu_fill(gpu, &fill, 2, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_pica200_gpu_fill(nullptr, &fill, 0, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_pica200_gpu_copy(gpu, nullptr, &error), WARPJIT_BAD_INPUT);
}

TEST_F(GpuInC, PacketsRegistersAndTables) {
  const std::uint32_t words[] = {1, 2, 3};
  auto packet = sized<warpjit_pica200_packet>();
  packet.id = 0x23B;
  packet.bytes = 15;
  packet.values = words;
  packet.value_count = 3;
  packet.consecutive = 1;
  auto report = sized<warpjit_pica200_gpu_report>();
  ok(warpjit_pica200_gpu_run_packet(gpu, engine, &packet, &options, &report, &error));
  EXPECT_EQ(report.jump, WARPJIT_PICA200_JUMP_BUFFER0);
  EXPECT_EQ(report.words, 2u);
  ok(warpjit_pica200_gpu_set_register(gpu, 0x041, 9, &error));
  EXPECT_EQ(warpjit_pica200_gpu_get_register(gpu, 0x041), 9u);
  EXPECT_EQ(warpjit_pica200_gpu_get_register(nullptr, 0x041), 0u);
  packet.id = 0x0E8;
  packet.consecutive = 0;
  ok(warpjit_pica200_gpu_run_packet(gpu, engine, &packet, &options, nullptr, &error));
  std::uint32_t table[WARPJIT_PICA200_TABLE_WORDS] = {};
  std::size_t count = 0;
  ok(warpjit_pica200_gpu_table(gpu, WARPJIT_PICA200_TABLE_FOG, 0, table, &count, &error));
  EXPECT_EQ(count, 128u);
  EXPECT_EQ(table[2], 3u);
  EXPECT_EQ(warpjit_pica200_gpu_table(gpu, WARPJIT_PICA200_TABLE_LIGHT, 24, table, &count, &error),
            WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_pica200_gpu_table(gpu, 7, 0, table, &count, &error), WARPJIT_BAD_INPUT);
  ok(warpjit_pica200_gpu_draw_immediate(gpu, engine, &options, &report, &error));
  EXPECT_EQ(warpjit_pica200_gpu_run_packet(gpu, engine, nullptr, &options, &report, &error),
            WARPJIT_BAD_INPUT);
}

TEST_F(GpuInC, StatesAndItsPipeline) {
  warpjit_pica200_pipeline* pipeline = nullptr;
  ok(warpjit_pica200_gpu_pipeline(gpu, &pipeline, &error));
  const std::uint32_t floats[] = {1, 2, 3, 4, 5, 6, 7, 8};
  ok(warpjit_pica200_pipeline_set_floats(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 94, floats, 2, &error));
  EXPECT_EQ(warpjit_pica200_pipeline_set_floats(pipeline, WARPJIT_PICA200_VERTEX_UNIT, 95, floats, 2, &error),
            WARPJIT_BAD_INPUT);
  warpjit_pica200_pipeline_destroy(pipeline);  // does nothing
  std::size_t size = 0;
  ok(warpjit_pica200_gpu_save(gpu, nullptr, 0, &size, &error));
  std::vector<std::byte> bytes(size);
  ok(warpjit_pica200_gpu_save(gpu, bytes.data(), bytes.size(), &size, &error));
  ok(warpjit_pica200_gpu_reset(gpu, WARPJIT_PICA200_START_EMULATORS, &error));
  EXPECT_EQ(warpjit_pica200_gpu_get_register(gpu, 0x289), 0xA0000001u);
  EXPECT_EQ(warpjit_pica200_gpu_reset(gpu, 2, &error), WARPJIT_BAD_INPUT);
  ok(warpjit_pica200_gpu_load(gpu, bytes.data(), bytes.size(), &error));
  EXPECT_EQ(warpjit_pica200_gpu_get_register(gpu, 0x289), 0u);
  auto unit = sized<warpjit_pica200_unit>();
  ok(warpjit_pica200_pipeline_unit(pipeline, WARPJIT_PICA200_VERTEX_UNIT, &unit, &error));
  EXPECT_EQ(unit.floats[4 * 95 + 3], 8u);
  EXPECT_EQ(unit.float_count, 96u);
  warpjit_program* program = nullptr;
  EXPECT_EQ(warpjit_pica200_pipeline_program(pipeline, WARPJIT_PICA200_VERTEX_UNIT, &program, &error),
            WARPJIT_BAD_INPUT);
  EXPECT_STREQ(error.message, "no code was uploaded");
  const std::uint32_t code = 0x88000000;  // end
  ok(warpjit_pica200_pipeline_set_code(pipeline, WARPJIT_PICA200_VERTEX_UNIT, &code, 1, 0, &error));
  ok(warpjit_pica200_pipeline_program(pipeline, WARPJIT_PICA200_VERTEX_UNIT, &program, &error));
  EXPECT_NE(program, nullptr);
  warpjit_program_destroy(program);
  EXPECT_EQ(warpjit_pica200_gpu_load(gpu, bytes.data(), bytes.size() - 1, &error), WARPJIT_BAD_INPUT);
  EXPECT_NE(std::string(error.where).find("saved state, byte"), std::string::npos);
}

}  // namespace
}  // namespace warpjit::pica200
