#include "device/pica200/gpu.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/bits.h"
#include "device/pica200/command_list.h"
#include "device/pica200/memory_engines.h"

namespace warpjit::pica200 {

namespace {

// Registers that only a GPU as a whole knows.
enum GpuRegister : std::uint32_t {
  kRequest = 0x010,
  kRequestEnd = 0x020,
  kIgnoredEnd = 0x040,
  kProceduralIndex = 0x0AF,
  kProceduralData = 0x0B0,
  kProceduralDataEnd = 0x0B8,
  kFogIndex = 0x0E6,
  kFogData = 0x0E8,
  kFogDataEnd = 0x0F0,
  kGasData = 0x124,
  kLightIndex = 0x1C5,
  kLightData = 0x1C8,
  kLightDataEnd = 0x1D0,
  kListSize0 = 0x238,
  kListAddress0 = 0x23A,
  kJump0 = 0x23C,
  kJump1 = 0x23D,
};
// What the operating system compares requests with.
constexpr std::uint32_t kFinish = 0x12345678;

// True of registers that do something when they are written, beside holding their value.
bool has_effect(std::uint32_t id) {
  constexpr std::array<std::array<std::uint32_t, 2>, 14> kRanges = {{{kRequest, kRequestEnd},
                                                                     {kProceduralData, kProceduralDataEnd},
                                                                     {kFogData, kFogDataEnd},
                                                                     {kGasData, kGasData + 1},
                                                                     {kLightData, kLightDataEnd},
                                                                     {kDrawArrays, kDrawElements + 1},
                                                                     {0x231, kFixedDataEnd},
                                                                     {kJump0, kJump1 + 1},
                                                                     {0x290, 0x299},
                                                                     {0x29B, 0x2A4},
                                                                     {0x2A5, 0x2AE},
                                                                     {0x2C0, 0x2C9},
                                                                     {0x2CB, 0x2D4},
                                                                     {0x2D5, 0x2DE}}};
  for (const auto& [begin, end] : kRanges)
    if (within(id, begin, end)) return true;
  return false;
}

// The error of a command with the address of that.
Error at_command(Error error, std::uint64_t address) {
  char text[48];
  std::snprintf(text, sizeof text, "command list at 0x%08llX", static_cast<unsigned long long>(address));
  error.where = error.where.empty() ? text : error.where + ", " + text;
  return error;
}

}  // namespace

Status GpuState::set_memory(std::span<const GpuMemory> ranges) {
  if (recording_) return bad_input("the memory cannot change while a capture is recorded", "memory");
  std::vector<MemoryRange> read;
  std::vector<PhysicalMemory::Piece> pieces;
  for (const GpuMemory& range : ranges) {
    read.push_back({range.address, range.data, range.size});
    pieces.push_back({range.address, static_cast<std::byte*>(range.data), range.size});
  }
  WARPJIT_CHECK(pipeline_.attributes.set_memory(read));
  draws_.write_back();
  memory_ = PhysicalMemory(std::move(pieces));
  watch_memory();
  draws_.change_memory();
  return {};
}

Status GpuState::set_register(std::uint32_t id, std::uint32_t value) {
  if (id >= kRegisterCount) return bad_input("registers end at 0x2FF", register_name(id));
  if (has_effect(id)) return {};
  if (recording_) {
    const PipelineCall call{CallKind::write, {}, id | 15 << 16, {&value, 1}};
    recording_->begin_call(call);
    recording_->end_call(call, {});
  }
  return pipeline_.registers.write(id, value);
}
std::uint32_t GpuState::get_register(std::uint32_t id) const {
  return id < kRegisterCount ? pipeline_.registers.read(id) : 0;
}

template <class Work>
Result<GpuReport> GpuState::run(Running& running, const Work& work) {
  Status status;
  try {
    status = work();
  } catch (...) {
    status = caught();
  }
  // What waits is drawn, also after an error; an error of these draws comes first, as they do.
  Status drawn = lazy_targets_ && !recording_ ? draws_.flush(running.engine, running.options)
                                              : draws_.finish(running.engine, running.options);
  if (!drawn) status = std::move(drawn);
  pipeline_.kept = draws_.watch();
  running.report.fragments = draws_.take_counts().covered;
  if (!status) return status.error();
  return running.report;
}

template <class Run>
auto GpuState::record(const StartedJob& job, Run run) {
  if (!recording_) return run();
  recording_->begin_job(*this, job);
  auto done = run();
  recording_->end_job(*this, job, done ? Status() : Status(done.error()));
  return done;
}

Result<GpuReport> GpuState::run_commands(const Engine& engine, std::uint32_t address, std::uint32_t bytes,
                                         const RunOptions& options) {
  return record(CommandList{address, bytes}, [&] {
    // Other memory is told of by the first draw only if that looks for its textures and targets.
    if (recording_) draws_.change_memory();
    Running running{engine, options, {}, {}};
    return run(running, [&] { return run_lists(running, {address, bytes}); });
  });
}

void GpuState::set_recording(std::unique_ptr<GpuRecording> recording) {
  draws_.write_back();
  recording_ = std::move(recording);
  pipeline_.recording = recording_.get();
  watch_memory();
}

void GpuState::write_back(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = bytes < ~address ? address + bytes : ~std::uint64_t{0};
  for (const PhysicalMemory::Piece& piece : memory_.pieces()) {
    const std::uint64_t first = std::max<std::uint64_t>(address, piece.address),
                        last = std::min<std::uint64_t>(end, piece.address + std::uint64_t{piece.size});
    if (first < last)
      draws_.reach(piece.data + (first - piece.address), static_cast<std::size_t>(last - first), true);
  }
}

Status GpuState::fill(const MemoryFill& job) {
  return record(job, [&] { return fill_memory(memory_, job); });
}
Status GpuState::transfer(const DisplayTransfer& job) {
  return record(job, [&] { return transfer_picture(memory_, job); });
}
Status GpuState::copy(const TextureCopy& job) {
  return record(job, [&] { return copy_texture(memory_, job); });
}

Status GpuState::run_lists(Running& running, List list) {
  // A jump while the four registers of the lists were as at an earlier one goes on as that did.
  std::set<std::array<std::uint32_t, 5>> jumps;
  constexpr std::size_t kMostJumps = std::size_t{1} << 18;
  for (;;) {
    WARPJIT_TRY(const Next next, run_list(running, list));
    if (next == Next::go_on || next == Next::end) break;
    ++running.report.jumps;
    const std::uint32_t channel = next == Next::jump1 ? 1 : 0;
    std::array<std::uint32_t, 5> state = {channel};
    for (std::uint32_t n = 0; n < 4; ++n) state[n + 1] = pipeline_.registers.read(kListSize0 + n);
    if (!jumps.insert(state).second || jumps.size() > kMostJumps)
      return at_command(bad_input("the lists jump in a circle, or too often, and do not end",
                                  register_name(kJump0 + channel)),
                        list.address);
    list = {pipeline_.registers.read(kListAddress0 + channel) << 3,
            bits(pipeline_.registers.read(kListSize0 + channel), 0, 21) << 3};
  }
  return {};
}

Result<GpuReport> GpuState::run_packet(const Engine& engine, const Packet& packet,
                                       const RunOptions& options) {
  return record(packet_call(CallKind::gpu_packet, packet), [&] {
    if (recording_) draws_.change_memory();
    draws_.read_commands(std::as_bytes(packet.values));
    Running running{engine, options, {}, {}};
    return run(running, [&] { return write_packet(running, packet); });
  });
}

Status GpuState::write_packet(Running& running, const Packet& packet) {
  for (std::size_t n = 0; n < packet.values.size(); ++n) {
    const std::uint32_t id = packet.id + (packet.consecutive ? static_cast<std::uint32_t>(n) : 0);
    WARPJIT_TRY(const Next next, write(running, id, packet.values[n], packet.bytes & 15));
    ++running.report.words;
    if (next == Next::jump0) running.report.jump = GpuReport::Jump::buffer0;
    if (next == Next::jump1) running.report.jump = GpuReport::Jump::buffer1;
    if (next != Next::go_on) break;
  }
  return {};
}

Result<GpuReport> GpuState::draw_immediate(const Engine& engine, const RunOptions& options) {
  return record(PipelineCall{CallKind::gpu_draw_immediate}, [&] {
    if (recording_) draws_.change_memory();
    draws_.read_commands({});
    Running running{engine, options, {}, {}};
    return run(running, [&] { return draw_sent(running); });
  });
}

Result<GpuState::Next> GpuState::run_list(Running& running, const List& list) {
  constexpr std::uint32_t kListUnit = 16;  // bytes; what is left over is not run
  const std::uint32_t bytes = list.bytes & ~(kListUnit - 1);
  if (bytes == 0) return Next::go_on;
  const std::byte* data = memory_.access(list.address, bytes, false);
  if (data == nullptr)
    return at_command(bad_input("its " + std::to_string(bytes) + " bytes do not lie in memory", ""),
                      list.address);
  draws_.read_commands({data, bytes});
  const std::size_t words = bytes / 4;
  const auto word = [&](std::size_t n) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) value |= std::to_integer<std::uint32_t>(data[4 * n + k]) << 8 * k;
    return value;
  };
  for (std::size_t at = 0; at + 1 < words;) {
    const std::uint32_t header = word(at + 1);
    const std::uint32_t first_id = header & 0xFFFF, others = header >> 20 & 0xFF;
    const unsigned mask = header >> 16 & 15;
    const std::uint64_t place = list.address + 4 * std::uint64_t{at};
    running.command = static_cast<std::uint32_t>(place);
    if (running.options.cancel != nullptr && running.options.cancel->load(std::memory_order_relaxed) != 0)
      return at_command({ErrorCode::cancelled, "the run was cancelled", ""}, place);
    if (at + 2 + others > words)
      return at_command(
          bad_input("a packet of " + std::to_string(2 + others) + " words is cut by the list's end",
                    register_name(first_id)),
          place);
    for (std::uint32_t n = 0; n <= others; ++n) {
      const std::uint32_t id = first_id + (header >> 31 != 0 ? n : 0);
      auto next = write(running, id, word(n == 0 ? at : at + 1 + n), mask);
      if (!next) return at_command(next.error(), place);
      if (*next != Next::go_on) return *next;
    }
    at += (2 + others + 1) / 2 * 2;
  }
  if (Status drawn = draw_sent(running); !drawn) return at_command(drawn.error(), list.address);
  return Next::go_on;
}

Result<GpuState::Next> GpuState::write(Running& running, std::uint32_t id, std::uint32_t value,
                                       unsigned bytes) {
  if (bytes == 0) return Next::go_on;
  if (id >= kRegisterCount) return bad_input("registers end at 0x2FF", register_name(id));
  Registers& registers = pipeline_.registers;
  if (!within(id, kFixedIndex, kFixedDataEnd)) WARPJIT_CHECK(draw_sent(running));
  if (within(id, 0, kIgnoredEnd) && !within(id, kRequest, kRequestEnd)) return Next::go_on;
  WARPJIT_CHECK(registers.write(id, value, bytes));
  switch (id) {
    case kRequest:
      if (registers.read(id) != kFinish) return Next::go_on;
      running.report.interrupt = true;
      // The request is taken: the next list raises its own.
      WARPJIT_CHECK(registers.write(id, 0));
      return Next::end;
    case kJump0:
      return Next::jump0;
    case kJump1:
      return Next::jump1;
    case kRestart:
      assembly_.restart();
      return Next::go_on;
    case kDrawArrays:
    case kDrawElements:
      WARPJIT_CHECK(draw(running, id));
      return Next::go_on;
    default:
      break;
  }
  WARPJIT_CHECK(write_table(running, id));
  return Next::go_on;
}

// A word of a look-up table. The index goes on to the next.
Status GpuState::write_table(Running& running, std::uint32_t id) {
  Registers& registers = pipeline_.registers;
  const std::uint32_t word = registers.read(id);
  const auto advance = [&](std::uint32_t index_id, std::uint32_t entries) {
    const std::uint32_t index = registers.read(index_id);
    return registers.write(index_id, (index & ~(entries - 1)) | ((index + 1) & (entries - 1)));
  };
  const bool is_data = within(id, kLightData, kLightDataEnd) || within(id, kFogData, kFogDataEnd) ||
                       within(id, kProceduralData, kProceduralDataEnd);
  if (!is_data) return {};
  // What waits is drawn with the tables as they were.
  WARPJIT_CHECK(draws_.flush(running.engine, running.options));
  draws_.change_tables();
  if (within(id, kLightData, kLightDataEnd)) {
    const std::uint32_t index = registers.read(kLightIndex), table = bits(index, 8, 5);
    constexpr std::uint32_t kDefined = 0x00FFFF7B;  // by table
    if ((kDefined >> table & 1) == 0) return reserved(kLightIndex, "light table " + std::to_string(table));
    tables_.lights[table][index & 255] = word;
    return advance(kLightIndex, 256);
  }
  if (within(id, kFogData, kFogDataEnd)) {
    tables_.fog[registers.read(kFogIndex) & 127] = word;
    return advance(kFogIndex, 128);
  }
  const std::uint32_t index = registers.read(kProceduralIndex), table = bits(index, 8, 4), n = index & 255;
  switch (table) {
    case 0:
      tables_.noise[n & 127] = word;
      break;
    case 2:
      tables_.color_map[n & 127] = word;
      break;
    case 3:
      tables_.alpha_map[n & 127] = word;
      break;
    case 4:
      tables_.colors[n] = word;
      break;
    case 5:
      tables_.color_differences[n] = word;
      break;
    default:
      return reserved(kProceduralIndex, "procedural table " + std::to_string(table));
  }
  return advance(kProceduralIndex, 256);
}

// Vertices of immediate mode that wait.
Status GpuState::draw_sent(Running& running) {
  if (pipeline_.registers.immediate.empty()) return {};
  return draw(running, kFixedData);
}

Status GpuState::draw(Running& running, std::uint32_t id) {
  if ((pipeline_.registers.read(kGeometryStage) & 1) != 0)
    return reserved(kGeometryStage,
                    "geometry stage " + std::to_string(pipeline_.registers.read(kGeometryStage) & 3));
  if (id != kFixedData && pipeline_.registers.read(kVertexCount) > kMaxDrawVertices)
    return Error{ErrorCode::resource_limit,
                 std::to_string(pipeline_.registers.read(kVertexCount)) +
                     " vertices in one draw, allowed are " + std::to_string(kMaxDrawVertices),
                 register_name(kVertexCount)};
  if (visitor_ != nullptr) {
    // It sees memory as the draws before have left it.
    WARPJIT_CHECK(draws_.flush(running.engine, running.options));
    WARPJIT_CHECK(visitor_->begin());
  }
  pipeline_.kept = draws_.watch();
  const auto shade = [&](const RunOptions& options) {
    return id == kDrawArrays     ? pipeline_.draw_arrays(running.engine, options)
           : id == kDrawElements ? pipeline_.draw_elements(running.engine, options)
                                 : pipeline_.draw_immediate(running.engine, options);
  };
  auto result = shade(running.options);
  // Compiled geometry programs emit fewer triangles than the hardware.
  if (!result && result.error().code == ErrorCode::resource_limit && pipeline_.registers.geometry_on() &&
      id != kFixedData && running.options.engine != EngineKind::guest) {
    RunOptions interpreted = running.options;
    interpreted.engine = EngineKind::guest;
    result = shade(interpreted);
  }
  if (!result) return result.error();
  if (result->restarted) assembly_.restart();
  return draw_pixels(running, id, *result);
}

Status GpuState::draw_pixels(Running& running, std::uint32_t id, const DrawResult& result) {
  PrimitiveTriangles triangles{result.vertices, {}, false};
  if (!result.triangles) triangles = assembly_.assemble(result.topology, result.vertices, result.indices);
  ++running.report.draws;
  running.report.triangles += triangles.count();
  const Registers& registers = pipeline_.registers;
  if (visitor_ != nullptr) {
    WARPJIT_TRY(const FragmentSetup setup, read_fragment_setup(registers.words(), tables_));
    WARPJIT_TRY(const bool draws, visitor_->visit({visited_++, running.command, id, result.vertices.size(),
                                                   triangles, setup, registers.words(), memory_, pipeline_}));
    if (!draws) return {};
  }
  if (!draws_.is_current(registers.pixel_version)) {
    WARPJIT_CHECK(draws_.flush(running.engine, running.options));
    const bool keeps = visitor_ == nullptr && !recording_ && running.options.engine != EngineKind::guest;
    WARPJIT_CHECK(draws_.begin(registers.words(), registers.pixel_version, tables_, memory_, keeps));
  }
  return draws_.add(running.engine, triangles, running.options);
}

}  // namespace warpjit::pica200
