#include <algorithm>
#include <utility>

#include "capture/memory_reader.h"
#include "capture/pica200/call_list.h"
#include "capture/pica200/scene_sections.h"

namespace warpjit::pica200 {
namespace {

using capture::Fields;
using capture::hex_text;
using capture::Section;
using capture::SectionFile;
using capture::SectionKind;

constexpr std::size_t kMaxOutputs = 4096;

class SceneReader {
 public:
  SceneReader(const SectionFile& sections, std::shared_ptr<const void> owner, const SceneLimits& limits)
      : sections_(sections),
        owner_(std::move(owner)),
        memory_(sections.file, {.address_bits = 32,
                                .pieces = kMaxMemoryRanges,
                                .memory = limits.memory,
                                .loads = limits.loads}) {}

  Result<Scene> read() {
    for (const Section& section : sections_.sections) WARPJIT_CHECK(read(section));
    WARPJIT_TRY(std::vector<capture::MemoryPiece> memory, memory_.finish());
    for (capture::MemoryPiece& piece : memory)
      scene_.memory.push_back({static_cast<std::uint32_t>(piece.address), std::move(piece.bytes)});
    WARPJIT_TRY(scene_.texts, capture::read_texts(sections_));
    return std::move(scene_);
  }

 private:
  Error fail(std::size_t at, std::string what, ErrorCode code = ErrorCode::bad_input) const {
    return sections_.file.fail(at, std::move(what), code);
  }

  Status read(const Section& section) {
    if (capture::is_memory(section.kind)) return read_memory(section);
    const Fields fields(sections_.file, section);
    switch (section.kind) {
      case SectionKind::registers:
        return read_registers(fields);
      case SectionKind::state:
        scene_.jobs.emplace_back(StateLoad{
            std::make_shared<const std::vector<std::byte>>(section.bytes.begin(), section.bytes.end()),
            (section.flags & capture::kPipelineFlag) != 0});
        return {};
      case SectionKind::calls:
        return read_calls(fields);
      case SectionKind::commands:
        WARPJIT_CHECK(fields.expect_size(8, "a command list"));
        add_job(CommandList{fields.word(0), fields.word(4)});
        return {};
      case SectionKind::fill:
        WARPJIT_CHECK(fields.expect_size(16, "a fill"));
        add_job(MemoryFill{fields.word(0), fields.word(4), fields.word(8), fields.word(12)});
        return {};
      case SectionKind::transfer:
        WARPJIT_CHECK(fields.expect_size(20, "a transfer"));
        add_job(DisplayTransfer{fields.word(0), fields.word(4), fields.word(8), fields.word(12),
                                fields.word(16)});
        return {};
      case SectionKind::copy:
        WARPJIT_CHECK(fields.expect_size(20, "a copy"));
        add_job(
            TextureCopy{fields.word(0), fields.word(4), fields.word(8), fields.word(12), fields.word(16)});
        return {};
      case SectionKind::output:
        return read_output(fields);
      default:
        return capture::read_other(sections_.file, section, "a PICA200", scene_.jobs.size(),
                                   &scene_.frame_ends);
    }
  }

  void add_job(SceneJob job) {
    scene_.jobs.push_back(std::move(job));
    started_ = true;
  }

  Status read_memory(const Section& section) {
    WARPJIT_TRY(const auto change, memory_.read(section, started_));
    if (change)
      scene_.jobs.emplace_back(MemoryLoad{static_cast<std::uint32_t>(change->address),
                                          static_cast<std::uint32_t>(change->size), change->bytes, owner_});
    return {};
  }

  Status read_calls(const Fields& fields) {
    const std::span<const std::byte> bytes = fields.section().bytes;
    const CountedCalls counted = count_calls(bytes);
    if (!counted.status) return fields.fail(counted.at, counted.status.error().message);
    add_job(CallList{bytes, owner_});
    return {};
  }

  Status read_registers(const Fields& fields) {
    const Section& section = fields.section();
    if (started_)
      return fail(section.at, "registers after a job, expected before the first: later ones are in lists");
    if (section.bytes.size() % 8 != 0)
      return fail(section.at + 8, "the section of registers has " + hex_text(section.bytes.size()) +
                                      " bytes, expected a multiple of 8");
    constexpr std::uint32_t kRegisters = 0x300;
    for (std::size_t n = 0; n < section.bytes.size() / 4; n += 2) {
      const std::uint32_t id = fields.word(4 * n);
      if (id >= kRegisters)
        return fields.fail(4 * n, "register " + hex_text(id) + ", expected at most 0x2ff");
      scene_.registers.push_back({id, fields.word(4 * n + 4)});
    }
    return {};
  }

  Status read_output(const Fields& fields) {
    const Section& section = fields.section();
    constexpr std::size_t kHeader = 32, kMaxName = 256;
    if (scene_.outputs.size() == kMaxOutputs)
      return fail(section.at, "more than " + std::to_string(kMaxOutputs) + " outputs",
                  ErrorCode::resource_limit);
    WARPJIT_CHECK(fields.expect_least(kHeader, "an output"));
    SceneOutput output;
    output.address = fields.word(0);
    output.size = fields.word(4);
    output.tolerance = fields.word(8);
    constexpr std::uint32_t kMostTolerance = 255, kMostLayout = 3;
    if (output.tolerance > kMostTolerance)
      return fields.fail(8, "tolerance is " + std::to_string(output.tolerance) + ", expected at most 255");
    if (fields.word(12) > kMostLayout)
      return fields.fail(12, "layout is " + std::to_string(fields.word(12)) + ", expected 0 to 3");
    output.layout = static_cast<SceneOutput::Layout>(fields.word(12));
    output.width = fields.word(16);
    output.height = fields.word(20);
    output.format = fields.word(24);
    const std::size_t name = fields.word(28);
    if (name > kMaxName)
      return fields.fail(28, "the name has " + std::to_string(name) + " bytes, expected at most 256");
    const bool expected = (section.flags & capture::kExpectedFlag) != 0;
    WARPJIT_CHECK(fields.expect_size(kHeader + name + (expected ? std::uint64_t{output.size} : 0),
                                     expected ? "an output with what is expected" : "an output"));
    output.name = fields.text(kHeader, name);
    if (const auto problem = check_output(output)) return fields.fail(0, problem->message);
    if (expected) {
      const std::span<const std::byte> bytes = fields.rest(kHeader + name);
      output.expected.emplace(bytes.begin(), bytes.end());
    }
    scene_.outputs.push_back(std::move(output));
    return {};
  }

  const SectionFile& sections_;
  std::shared_ptr<const void> owner_;
  capture::MemoryReader memory_;
  Scene scene_;
  bool started_ = false;  // a job was read
};

}  // namespace

Result<Scene> read_scene(const SectionFile& sections, capture::FileOwner owner, const SceneLimits& limits) {
  return SceneReader(sections, std::move(owner), limits).read();
}

Result<Scene> read_capture(capture::FileOwner bytes, std::string name, const SceneLimits& limits) {
  WARPJIT_TRY(const SectionFile sections, capture::read_sections(*bytes, std::move(name)));
  if (sections.guest != capture::FileGuest::pica200)
    return sections.file.fail(8, "the capture is of another guest than a PICA200", ErrorCode::unsupported);
  return read_scene(sections, std::move(bytes), limits);
}

}  // namespace warpjit::pica200
