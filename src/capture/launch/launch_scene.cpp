#include "capture/launch/launch_scene.h"

#include <algorithm>
#include <map>

#include "capture/launch/launch_fields.h"
#include "capture/memory_writer.h"
#include "capture/program_section.h"

namespace warpjit::capture {

std::size_t LaunchScene::launches() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      events, [](const Event& event) { return std::holds_alternative<RecordedLaunch>(event); }));
}

void each_output(const RecordedLaunch& launch, const VisitOutput& visit) {
  const auto set_target = [&](const RecordedTarget& target, LaunchOutput& output) {
    if (!(output.memory == target.memory)) return;
    output.format = target.format;
    output.width = launch.pixels->width;
    output.height = launch.pixels->height;
    output.pitch = target.pitch;
  };
  each_buffer(launch, [&](const BufferPlace& place, bool writes, const BufferName& name) {
    if (!writes) return;
    LaunchOutput output{.name = {}, .memory = place};
    if (const auto& pixels = launch.pixels) {
      for (const RecordedTarget& target : pixels->colors) set_target(target, output);
      set_target(pixels->depth, output);
      set_target(pixels->pass_counts, output);
    }
    visit(name, output);
  });
}

std::vector<LaunchOutput> outputs_of(const RecordedLaunch& launch) {
  std::vector<LaunchOutput> outputs;
  each_output(launch, [&](const BufferName& name, const LaunchOutput& output) {
    outputs.push_back(output);
    outputs.back().name = name.text();
  });
  return outputs;
}

namespace {

template <class A, class Value>
void output_section_fields(A& a, Value& output) {
  constexpr std::size_t kMaxName = 256;
  place_fields(a, output.memory);
  a.choice(output.format, kLastPixelFormat, "the format");
  a.word(output.width);
  a.word(output.height);
  a.long_word(output.pitch);
  a.number(output.tolerance, 255, "the tolerance");
  a.text(output.name, kMaxName, "the name");
}

class LaunchReader {
 public:
  LaunchReader(const SectionFile& sections, FileOwner owner, std::uint64_t most_memory)
      : sections_(sections),
        memory_(sections.file, {.address_bits = 64, .pieces = SIZE_MAX, .memory = most_memory}) {
    scene_.owner = std::move(owner);
  }

  Result<LaunchScene> read() {
    switch (sections_.guest) {
      case FileGuest::pica200:
        scene_.isa = Isa::pica200;
        break;
      case FileGuest::tesla:
        scene_.isa = Isa::tesla;
        break;
      case FileGuest::usse:
        scene_.isa = Isa::usse;
        break;
      case FileGuest::valhall:
        scene_.isa = Isa::valhall;
        break;
    }
    for (const Section& section : sections_.sections) WARPJIT_CHECK(read(section));
    WARPJIT_TRY(scene_.memory, memory_.finish());
    std::size_t number = 0;
    for (const LaunchScene::Event& event : scene_.events)
      if (const auto* launch = std::get_if<RecordedLaunch>(&event))
        WARPJIT_CHECK(check_buffers(*launch, places_[number++]));
    for (std::size_t n = 0; n < scene_.outputs.size(); ++n)
      if (!lies_in_memory(scene_.outputs[n].memory))
        return not_in_memory(output_places_[n], scene_.outputs[n].memory, "the output");
    add_all_outputs();
    return std::move(scene_);
  }

 private:
  Error fail(std::size_t at, std::string what, ErrorCode code = ErrorCode::bad_input) const {
    return sections_.file.fail(at, std::move(what), code);
  }

  Status read(const Section& section) {
    if (is_memory(section.kind)) {
      WARPJIT_TRY(const auto change, memory_.read(section, started_));
      if (change) scene_.events.emplace_back(*change);
      return {};
    }
    switch (section.kind) {
      case SectionKind::program:
        return read_one_program(section);
      case SectionKind::launch:
        return read_one_launch(section);
      case SectionKind::expected:
        return read_output(section);
      default:
        return read_other(sections_.file, section, "launches", scene_.events.size(), &scene_.frame_ends);
    }
  }

  Status read_one_program(const Section& section) {
    if (scene_.programs.size() == kMaxPrograms)
      return fail(section.at, "more than " + std::to_string(kMaxPrograms) + " programs",
                  ErrorCode::resource_limit);
    WARPJIT_TRY(Program program, read_program(sections_.file, section, sections_.guest));
    scene_.programs.push_back(std::move(program));
    return {};
  }

  Status read_one_launch(const Section& section) {
    if (places_.size() == kMaxLaunches)
      return fail(section.at, "more than " + std::to_string(kMaxLaunches) + " launches",
                  ErrorCode::resource_limit);
    FieldReader fields(sections_.file, section, "a launch");
    RecordedLaunch launch;
    launch_fields(fields, launch);
    WARPJIT_CHECK(fields.finish());
    WARPJIT_CHECK(check_programs(launch, section));
    scene_.events.emplace_back(std::move(launch));
    places_.push_back(section.at);
    started_ = true;
    return {};
  }

  Status check_programs(const RecordedLaunch& launch, const Section& section) const {
    if (launch.program >= scene_.programs.size())
      return fail(section.at + kSectionHeader, "program " + std::to_string(launch.program) + " of " +
                                                   std::to_string(scene_.programs.size()) +
                                                   " that lie before the launch");
    for (const auto* stages : {&launch.vertex, &launch.geometry})
      for (const RecordedLaunch& stage : *stages) WARPJIT_CHECK(check_programs(stage, section));
    return {};
  }

  Status read_output(const Section& section) {
    if (scene_.outputs.size() == kMaxLaunchOutputs)
      return fail(section.at, "more than " + std::to_string(kMaxLaunchOutputs) + " outputs",
                  ErrorCode::resource_limit);
    FieldReader fields(sections_.file, section, "an output");
    LaunchOutput output;
    output_section_fields(fields, output);
    const std::size_t at = fields.at();
    const std::span<const std::byte> bytes = fields.rest();
    WARPJIT_CHECK(fields.finish());
    const std::size_t begin = section.at + kSectionHeader;
    const auto is_plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             c == '-';
    };
    if (output.name.empty() || !std::ranges::all_of(output.name, is_plain))
      return fail(begin + 44, "the name is not of letters, digits, _ and -");
    if (output.format != PixelFormat::none) {
      const std::uint64_t row = std::uint64_t{output.width} * pixel_size(output.format);
      if (output.width == 0 || output.height == 0 || output.width > kMaxTargetExtent ||
          output.height > kMaxTargetExtent)
        return fail(begin + 20, std::to_string(output.width) + " x " + std::to_string(output.height) +
                                    " pixels, expected 1 to " + std::to_string(kMaxTargetExtent));
      if (output.pitch < row || output.pitch > std::uint64_t{1} << 32 ||
          output.pitch * (output.height - 1) + row > output.memory.size)
        return fail(begin + 28, "rows of " + hex_text(row) + " bytes, " + hex_text(output.pitch) +
                                    " bytes from each other, do not lie in the output's " +
                                    hex_text(output.memory.size));
    }
    if ((section.flags & kExpectedFlag) != 0) {
      if (bytes.size() != output.memory.size)
        return fail(at, hex_text(bytes.size()) + " bytes are expected of " + hex_text(output.memory.size));
      output.expected.emplace(bytes.begin(), bytes.end());
    } else if (!bytes.empty()) {
      return fail(at, hex_text(bytes.size()) + " bytes after an output, expected none");
    }
    scene_.outputs.push_back(std::move(output));
    output_places_.push_back(section.at);
    return {};
  }

  bool lies_in_memory(const BufferPlace& place) const {
    const auto next = std::ranges::upper_bound(scene_.memory, place.address, {}, &MemoryPiece::address);
    if (next == scene_.memory.begin()) return false;
    const MemoryPiece& piece = *std::prev(next);
    const std::uint64_t from = place.address - piece.address;
    return from < piece.bytes.size() && place.size <= piece.bytes.size() - from;
  }
  Error not_in_memory(std::size_t at, const BufferPlace& place, const std::string& what) const {
    return fail(at, what + " has " + hex_text(place.size) + " bytes at " + hex_text(place.address) +
                        ", which do not lie in one piece of memory");
  }
  Status check_buffers(const RecordedLaunch& launch, std::size_t at) const {
    Status status;
    each_buffer(launch, [&](const BufferPlace& place, bool, const BufferName& name) {
      if (status.ok() && !lies_in_memory(place)) status = not_in_memory(at, place, name.text());
    });
    return status;
  }

  // What launches leave besides what the file names.
  void add_all_outputs() {
    std::map<std::uint64_t, std::size_t> named;
    for (const LaunchOutput& output : scene_.outputs) named.emplace(output.memory.address, named.size());
    std::map<std::uint64_t, LaunchOutput> last;
    std::vector<std::uint64_t> order;
    for (const LaunchScene::Event& event : scene_.events)
      if (const auto* launch = std::get_if<RecordedLaunch>(&event))
        for (LaunchOutput& output : outputs_of(*launch)) {
          const std::uint64_t address = output.memory.address;
          if (named.contains(address)) continue;
          if (last.insert_or_assign(address, std::move(output)).second) order.push_back(address);
        }
    for (const std::uint64_t address : order)
      if (scene_.outputs.size() < kMaxLaunchOutputs) scene_.outputs.push_back(std::move(last[address]));
  }

  const SectionFile& sections_;
  MemoryReader memory_;
  LaunchScene scene_;
  std::vector<std::size_t> places_, output_places_;  // of launches and of outputs in the file
  bool started_ = false;                             // a launch was read
};

}  // namespace

Result<LaunchScene> read_launches(const SectionFile& sections, FileOwner owner, std::uint64_t most_memory) {
  return LaunchReader(sections, std::move(owner), most_memory).read();
}

bool has_launches(const SectionFile& sections) {
  return std::ranges::any_of(sections.sections,
                             [](const Section& section) { return section.kind == SectionKind::launch; });
}

void write_launch(SectionWriter& file, const RecordedLaunch& launch) {
  FieldWriter fields;
  launch_fields(fields, launch);
  file.write(SectionKind::launch, 0, fields.bytes());
}

void write_output(SectionWriter& file, const LaunchOutput& output) {
  FieldWriter fields;
  output_section_fields(fields, output);
  std::span<const std::byte> expected;
  if (output.expected) expected = *output.expected;
  file.write(SectionKind::expected, output.expected ? kExpectedFlag : 0, fields.bytes(), expected);
}

Status write_launches(SectionWriter& file, const LaunchScene& scene) {
  MemoryWriter memory(file);
  for (const MemoryPiece& piece : scene.memory) memory.write(piece.address, piece.bytes, true);
  for (const Program& program : scene.programs) WARPJIT_CHECK(write_program(file, program));
  for (std::size_t n = 0; n < scene.events.size(); ++n) {
    file.write_ends(scene.frame_ends, n);
    if (const auto* launch = std::get_if<RecordedLaunch>(&scene.events[n])) {
      write_launch(file, *launch);
      continue;
    }
    const auto& change = std::get<MemoryChange>(scene.events[n]);
    memory.write_change(change.address, change.size, change.bytes);
  }
  file.write_ends(scene.frame_ends, scene.events.size());
  for (const LaunchOutput& output : scene.outputs) write_output(file, output);
  return {};
}

}  // namespace warpjit::capture
