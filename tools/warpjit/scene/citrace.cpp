#include "scene/citrace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "device/pica200/registers.h"
#include "json.h"

namespace warpjit::tool {

namespace {

constexpr std::uint32_t kHeaderBytes = 0x64, kElementBytes = 20;
constexpr std::uint32_t kFrame = 0xE1, kLoad = 0xE2, kWrite = 0xE3;
constexpr std::uint32_t kGpuBegin = 0x10400000, kGpuWords = 0x1000, kInternal = 0x400;
constexpr std::uint32_t kLcdBegin = 0x10202000, kLcdEnd = 0x10203000;
constexpr std::uint32_t kVram = 0x18000000, kVramBytes = 0x600000;
constexpr std::uint32_t kFcram = 0x20000000, kFcramBytes = 0x10000000;
constexpr std::uint32_t kPrologue =
    0x10000000;  // where the list of the initial state lies: no memory of the GPU

// Parts of the header, by their place in it.
enum Part : std::uint8_t {
  kGpuRegisters,
  kLcdRegisters,
  kPicaRegisters,
  kDefaultAttributes,
  kVertexCode,
  kVertexDescriptors,
  kVertexFloats,
  kGeometryCode,
  kGeometryDescriptors,
  kGeometryFloats,
  kParts
};
constexpr std::array<std::string_view, kParts> kPartNames = {
    "gpu_registers",   "lcd_registers",     "pica_registers",    "default_attributes", "vs_program_binary",
    "vs_swizzle_data", "vs_float_uniforms", "gs_program_binary", "gs_swizzle_data",    "gs_float_uniforms"};

class TraceReader {
 public:
  TraceReader(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Result<ImportedScene> read() {
    WARPJIT_CHECK(read_header());
    WARPJIT_CHECK(set_registers());
    WARPJIT_CHECK(read_stream());
    WARPJIT_CHECK(add_memory());
    add_outputs();
    return std::move(result_);
  }

 private:
  struct Range {
    std::uint64_t first = 0, size = 0;  // bytes of the file
  };

  Error error(std::string message, std::uint64_t at, ErrorCode code = ErrorCode::bad_input) const {
    return {code, std::move(message), fmt::format("{}, byte {:#x}", name_, at)};
  }
  std::uint32_t word(std::uint64_t at) const {
    std::uint32_t value = 0;
    for (unsigned n = 0; n < 4; ++n) value |= std::to_integer<std::uint32_t>(bytes_[at + n]) << 8 * n;
    return value;
  }
  std::vector<std::uint32_t> words(Part part) const {
    std::vector<std::uint32_t> list;
    for (std::uint64_t at = 0; at < parts_[part].size; at += 4) list.push_back(word(parts_[part].first + at));
    return list;
  }

  Status read_header() {
    if (bytes_.size() < kHeaderBytes)
      return error(fmt::format("the file has {} bytes, its header {}", bytes_.size(), kHeaderBytes), 0);
    if (word(4) != 1) return error(fmt::format("version {} is not supported, only 1", word(4)), 4);
    if (word(8) != kHeaderBytes)
      return error(fmt::format("the header has {} bytes, those of version 1 have {}", word(8), kHeaderBytes),
                   8);
    constexpr std::string_view kHint =
        "; some recorders write sizes in bytes where words belong, and stop after the header";
    for (unsigned part = 0; part < kParts; ++part) {
      const std::uint64_t at = 0xC + 8 * part;
      parts_[part] = {word(at), std::uint64_t{word(at + 4)} * 4};
      const Range& range = parts_[part];
      if (range.size == 0) continue;
      if (range.first < kHeaderBytes || range.first + range.size > bytes_.size())
        return error(fmt::format("{} does not lie in the file: {} bytes from {:#x} on{}", kPartNames[part],
                                 range.size, range.first, kHint),
                     at);
      for (unsigned other = 0; other < part; ++other)
        if (parts_[other].size != 0 && range.first < parts_[other].first + parts_[other].size &&
            parts_[other].first < range.first + range.size)
          return error(
              fmt::format("{} and {} lie over each other{}", kPartNames[other], kPartNames[part], kHint), at);
    }
    stream_ = {word(0x5C), std::uint64_t{word(0x60)} * kElementBytes};
    if (stream_.size != 0 && (stream_.first < kHeaderBytes || stream_.first + stream_.size > bytes_.size()))
      return error(fmt::format("the stream does not lie in the file: {} elements from {:#x} on{}", word(0x60),
                               stream_.first, kHint),
                   0x5C);
    if (stream_.size == 0)
      return error(
          "the stream is empty: the file has the state at the beginning of a recording, but nothing that "
          "happened after it. Recorders write the stream when a recording is stopped, after at least one "
          "frame",
          0x60);
    return {};
  }

  // Packets of one register.
  void send(std::uint32_t id, std::span<const std::uint32_t> values) {
    constexpr std::size_t kMost = 256;
    for (std::size_t n = 0; n < values.size(); n += kMost) {
      const std::size_t count = std::min(kMost, values.size() - n);
      prologue_.push_back(values[n]);
      prologue_.push_back(id | 0xF0000 | static_cast<std::uint32_t>(count - 1) << 20);
      prologue_.insert(prologue_.end(), values.begin() + static_cast<std::ptrdiff_t>(n) + 1,
                       values.begin() + static_cast<std::ptrdiff_t>(n + count));
      if (prologue_.size() % 2 != 0) prologue_.push_back(0);
    }
  }
  void send(std::uint32_t id, std::uint32_t value) { send(id, {&value, 1}); }
  // A vector of four f24 as the data ports take it: three words, w first.
  void send_vector(std::uint32_t id, std::span<const std::uint32_t> xyzw) {
    constexpr std::uint32_t kMask = 0xFFFFFF;
    const std::uint32_t x = xyzw[0] & kMask, y = xyzw[1] & kMask, z = xyzw[2] & kMask, w = xyzw[3] & kMask;
    const std::array<std::uint32_t, 3> packed = {w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x};
    send(id, packed);
  }

  static void cut_zeros(std::vector<std::uint32_t>& list) {
    while (!list.empty() && list.back() == 0) list.pop_back();
  }

  Status set_registers() {
    const std::vector<std::uint32_t> gpu = words(kGpuRegisters), pica = words(kPicaRegisters);
    std::copy_n(gpu.begin(), std::min<std::size_t>(gpu.size(), kGpuWords), gpu_.begin());
    for (std::size_t id = 0; id < std::min<std::size_t>(pica.size(), pica200::kRegisterCount); ++id)
      if (pica[id] != 0) result_.scene.registers.push_back({static_cast<std::uint32_t>(id), pica[id]});

    std::vector<std::uint32_t> code = words(kVertexCode), descriptors = words(kVertexDescriptors);
    cut_zeros(code);
    cut_zeros(descriptors);
    // What the console has room for; recorders store more.
    constexpr std::size_t kMostCode = 512, kMostDescriptors = 128, kFloats = 96,
                          kAttributes = 12;  // those after them trigger vertices
    if (code.size() > kMostCode) code.resize(kMostCode);
    if (descriptors.size() > kMostDescriptors) descriptors.resize(kMostDescriptors);
    if (!code.empty()) {
      send(0x2CB, 0U);
      send(0x2CC, code);
      send(0x2BF, 1U);
    }
    if (!descriptors.empty()) {
      send(0x2D5, 0U);
      send(0x2D6, descriptors);
    }
    const auto vectors = [](const std::vector<std::uint32_t>& list, std::size_t most) {
      return std::min(list.size() / 4, most);
    };
    const std::vector<std::uint32_t> floats = words(kVertexFloats), fixed = words(kDefaultAttributes);
    bool any = false;
    for (std::size_t n = 0; n < vectors(floats, kFloats); ++n) {
      const auto value = std::span(floats).subspan(4 * n, 4);
      any = any || std::ranges::any_of(value, [](std::uint32_t part) { return part != 0; });
      send(0x2C0, static_cast<std::uint32_t>(n));
      send_vector(0x2C1, value);
    }
    for (std::size_t n = 0; n < vectors(fixed, kAttributes); ++n) {
      send(0x232, static_cast<std::uint32_t>(n));
      send_vector(0x233, std::span(fixed).subspan(4 * n, 4));
    }
    if (any)
      result_.notes.emplace_back(
          "the fourth part of uniforms and fixed attributes may be garbage where the trace's lists do not "
          "write "
          "them: recorders left it out");
    if (parts_[kGeometryCode].size == 0 && pica.size() > 0x229 && (pica[0x229] & 3) == 2)
      result_.notes.emplace_back("the trace has no geometry program, and begins with the geometry stage on");
    while (prologue_.size() % 4 != 0) prologue_.push_back(0);
    if (!prologue_.empty())
      result_.scene.jobs.emplace_back(
          CommandList{kPrologue, static_cast<std::uint32_t>(prologue_.size() * 4)});
    return {};
  }

  Status read_stream() {
    const std::size_t before = result_.scene.jobs.size();
    std::uint64_t loads = 0, left_out = 0;
    bool starts = false;
    for (std::uint64_t at = stream_.first; at < stream_.first + stream_.size; at += kElementBytes) {
      switch (word(at)) {
        case kFrame:
          break;
        case kLoad:
          WARPJIT_CHECK(read_load(at));
          ++loads;
          break;
        case kWrite: {
          WARPJIT_TRY(const bool known, read_write(at));
          left_out += known ? 0 : 1;
          break;
        }
        default:
          return error(fmt::format("element {} has the type {:#x}; 0xe1, 0xe2 and 0xe3 are known",
                                   (at - stream_.first) / kElementBytes, word(at)),
                       at);
      }
    }
    for (std::size_t n = before; n < result_.scene.jobs.size(); ++n)
      starts = starts || !std::holds_alternative<MemoryLoad>(result_.scene.jobs[n]);
    if (!starts)
      return error(fmt::format("none of the stream's {} elements starts a command list, a fill or a transfer",
                               stream_.size / kElementBytes),
                   stream_.first);
    if (left_out != 0)
      result_.notes.push_back(
          fmt::format("{} writes of registers by the processor start nothing and are left out", left_out));
    if (loads == 0)
      result_.notes.emplace_back(
          "the trace has no memory: recorders skip vertices while hardware shaders are on");
    result_.notes.emplace_back(
        "tables of lights, fog and the procedural unit, levels of textures after the first, and what targets "
        "held "
        "before are not part of traces");
    return {};
  }

  Status check_memory(std::uint32_t address, std::uint64_t size, std::uint64_t at) {
    const bool vram = address >= kVram && address + size <= std::uint64_t{kVram} + kVramBytes;
    const bool fcram = address >= kFcram && address + size <= std::uint64_t{kFcram} + kFcramBytes;
    if (!vram && !fcram)
      return error(fmt::format("{} bytes at {:#010x} lie neither in VRAM nor in FCRAM", size, address), at);
    if (!fcram || size == 0) return {};
    first_ = std::min<std::uint64_t>(first_, address);
    last_ = std::max(last_, address + size);
    return {};
  }

  Status read_load(std::uint64_t at) {
    const std::uint32_t offset = word(at + 4), size = word(at + 8), address = word(at + 12);
    if (std::uint64_t{offset} + size > bytes_.size())
      return error(fmt::format("{} bytes from {:#x} on do not lie in the file", size, offset), at);
    WARPJIT_CHECK(check_memory(address, size, at));
    auto& blob = blobs_[{offset, size}];
    if (!blob) {
      blob_bytes_ += size;
      if (blob_bytes_ > kMaxFileBytes)
        return error("the trace loads more than 1 GiB", at, ErrorCode::resource_limit);
      const auto part = bytes_.subspan(offset, size);
      blob = std::make_shared<const std::vector<std::byte>>(part.begin(), part.end());
    }
    result_.scene.jobs.emplace_back(pica200::make_load(address, blob));
    return {};
  }

  // False: it is a register that starts nothing here.
  Result<bool> read_write(std::uint64_t at) {
    const std::uint32_t address = word(at + 4), width = word(at + 8);
    if (width < 0xD1 || width > 0xD4)
      return error(fmt::format("a write has the width {:#x}; 0xd1 to 0xd4 are known", width), at);
    if (address >= kLcdBegin && address < kLcdEnd) return true;  // nothing of a picture
    if (address < kGpuBegin || address >= kGpuBegin + 4 * kGpuWords)
      return error(fmt::format("a write to {:#010x}, which is no register of the GPU", address), at);
    const std::uint32_t place = address - kGpuBegin, bytes = 1U << (width - 0xD1);
    for (std::uint32_t n = 0; n < bytes && place + n < 4 * kGpuWords; ++n) {
      const std::uint32_t shift = 8 * ((place + n) % 4);
      std::uint32_t& to = gpu_[(place + n) / 4];
      to = (to & ~(0xFFU << shift)) | std::to_integer<std::uint32_t>(bytes_[at + 12 + n]) << shift;
    }
    bool known = false;
    for (std::uint32_t reg = place / 4; reg <= (place + bytes - 1) / 4 && reg < kGpuWords; ++reg) {
      WARPJIT_TRY(const bool one, act(reg, at));
      known = known || one;
    }
    return known;
  }

  // What a write of this register starts.
  Result<bool> act(std::uint32_t reg, std::uint64_t at) {
    constexpr std::uint32_t kFill0 = 0x10 / 4, kFill1 = 0x20 / 4, kTransfer = 0xC00 / 4;
    constexpr std::uint32_t kSize = kInternal + 0x238, kAddress = kInternal + 0x23A,
                            kStart = kInternal + 0x23C;
    const bool starts = (gpu_[reg] & 1) != 0;
    if (reg >= kFill0 && reg < kFill0 + 8) {
      const std::uint32_t first = reg < kFill1 ? kFill0 : kFill1;
      if (reg - first != 3 || !starts) return true;
      const pica200::MemoryFill fill{gpu_[first] << 3, gpu_[first + 1] << 3, gpu_[first + 2], gpu_[reg]};
      if (fill.end > fill.start) {
        WARPJIT_CHECK(check_memory(fill.start, fill.end - fill.start, at));
      }
      result_.scene.jobs.emplace_back(fill);
      return true;
    }
    if (reg >= kTransfer && reg < kTransfer + 0x30 / 4) {
      if (reg - kTransfer != 0x18 / 4 || !starts) return true;
      const auto of = [&](unsigned offset) { return gpu_[kTransfer + offset / 4]; };
      const std::uint32_t input = of(0) << 3, output = of(4) << 3, flags = of(0x10);
      if ((flags >> 3 & 1) != 0) {
        WARPJIT_CHECK(check_memory(input, of(0x20), at));
        WARPJIT_CHECK(check_memory(output, of(0x20), at));
        result_.scene.jobs.emplace_back(pica200::TextureCopy{input, output, of(0x20), of(0x24), of(0x28)});
        return true;
      }
      const pica200::DisplayTransfer transfer{input, output, of(0xC), of(8), flags};
      // A pixel has at most 4 bytes.
      const auto most = [](std::uint32_t size) { return std::uint64_t{size & 0xFFFF} * (size >> 16) * 4; };
      WARPJIT_CHECK(check_memory(input, std::min<std::uint64_t>(most(transfer.input_size), 1 << 20), at));
      WARPJIT_CHECK(check_memory(output, std::min<std::uint64_t>(most(transfer.output_size), 1 << 20), at));
      result_.scene.jobs.emplace_back(transfer);
      return true;
    }
    if (reg >= kSize && reg < kStart + 2) {
      if (reg < kStart || !starts) return true;
      const std::uint32_t channel = reg - kStart;
      const CommandList list{gpu_[kAddress + channel] << 3, (gpu_[kSize + channel] & 0x1FFFFF) << 3};
      WARPJIT_CHECK(check_memory(list.address, list.bytes, at));
      result_.scene.jobs.emplace_back(list);
      return true;
    }
    return false;
  }

  Status add_memory() {
    constexpr std::uint64_t kPage = 0x10000, kMostSpan = 0x10000000;
    std::vector<SceneMemory>& memory = result_.scene.memory;
    if (!prologue_.empty()) {
      std::vector<std::byte> bytes;
      for (const std::uint32_t value : prologue_)
        for (unsigned n = 0; n < 4; ++n) bytes.push_back(static_cast<std::byte>(value >> 8 * n));
      memory.push_back({kPrologue, bytes});
    }
    memory.push_back({kVram, LazyBytes(kVramBytes)});
    if (last_ <= first_) return {};
    const std::uint64_t begin = first_ / kPage * kPage, end = (last_ + kPage - 1) / kPage * kPage;
    if (end - begin > kMostSpan) return error("FCRAM has 256 MiB", 0, ErrorCode::resource_limit);
    memory.push_back({static_cast<std::uint32_t>(begin), LazyBytes(end - begin)});
    return {};
  }

  // What transfers leave in lines, each place once.
  void add_outputs() {
    std::map<std::uint32_t, SceneOutput> outputs;
    for (const SceneJob& job : result_.scene.jobs) {
      const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job);
      if (transfer == nullptr) continue;
      if (const auto output = pica200::presented_picture(*transfer)) outputs[output->address] = *output;
    }
    for (auto& [address, output] : outputs) {
      output.name = fmt::format("display_{:08x}", address);
      for (const SceneMemory& piece : result_.scene.memory)
        if (address >= piece.address && address - piece.address <= piece.bytes.size() &&
            output.size <= piece.bytes.size() - (address - piece.address))
          result_.scene.outputs.push_back(output);
    }
    if (result_.scene.outputs.empty())
      result_.notes.emplace_back("the trace transfers nothing to a display: the scene has no outputs");
  }

  std::span<const std::byte> bytes_;
  const std::string& name_;
  std::array<Range, kParts> parts_{};
  Range stream_;
  std::array<std::uint32_t, kGpuWords> gpu_{};
  std::vector<std::uint32_t> prologue_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::shared_ptr<const std::vector<std::byte>>> blobs_;
  std::uint64_t blob_bytes_ = 0;
  std::uint64_t first_ = UINT64_MAX, last_ = 0;  // of FCRAM
  ImportedScene result_;
};

std::string number(std::uint32_t value) { return fmt::format("{:#010x}", value); }

}  // namespace

bool is_citrace(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && as_text(bytes.first(4)) == "CiTr";
}

Result<ImportedScene> read_citrace(std::span<const std::byte> bytes, const std::string& name) {
  return TraceReader(bytes, name).read();
}

Status write_scene(const Scene& scene, const std::string& name) {
  const std::filesystem::path path = path_of(name);
  const std::string stem = name_of(path.stem());
  const auto write = [&](const std::string& file, std::span<const std::byte> bytes) {
    return write_file(path.parent_path() / path_of(file), bytes);
  };
  Json document{{"format", "pica-frame 1"},
                {"memory", Json::array()},
                {"registers", Json::object()},
                {"queue", Json::array()},
                {"outputs", Json::array()}};
  for (std::size_t n = 0; n < scene.memory.size(); ++n) {
    const SceneMemory& piece = scene.memory[n];
    Json json{{"address", number(piece.address)}};
    if (std::ranges::all_of(piece.bytes, [](std::byte byte) { return byte == std::byte{}; })) {
      json["bytes"] = piece.bytes.size();
    } else {
      const std::string file = fmt::format("{}_memory_{}.bin", stem, n);
      WARPJIT_CHECK(write(file, piece.bytes));
      json["file"] = file;
    }
    document["memory"].push_back(std::move(json));
  }
  for (const pica200::RegisterWrite& reg : scene.registers)
    document["registers"][fmt::format("{:#05x}", reg.id)] = number(reg.value);
  std::size_t file_count = 0;
  // Bytes that several jobs share are one file.
  std::map<std::pair<const void*, std::size_t>, std::string> files;
  const auto written = [&](const char* what, const void* key,
                           std::span<const std::byte> bytes) -> Result<std::string> {
    std::string once;
    std::string& file = key == nullptr ? once : files[{key, bytes.size()}];
    if (file.empty()) {
      file = fmt::format("{}_{}_{}.bin", stem, what, file_count++);
      WARPJIT_CHECK(write(file, bytes));
    }
    return file;
  };
  for (const SceneJob& job : scene.jobs) {
    Json json;
    if (const auto* list = std::get_if<CommandList>(&job)) {
      json["commands"] = {{"address", number(list->address)}, {"bytes", list->bytes}};
    } else if (const auto* fill = std::get_if<pica200::MemoryFill>(&job)) {
      json["fill"] = {{"start", number(fill->start)},
                      {"end", number(fill->end)},
                      {"value", number(fill->value)},
                      {"control", number(fill->control)}};
    } else if (const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job)) {
      json["transfer"] = {{"input", number(transfer->input)},
                          {"output", number(transfer->output)},
                          {"input_size", number(transfer->input_size)},
                          {"output_size", number(transfer->output_size)},
                          {"flags", number(transfer->flags)}};
    } else if (const auto* copy = std::get_if<pica200::TextureCopy>(&job)) {
      json["texture_copy"] = {{"input", number(copy->input)},
                              {"output", number(copy->output)},
                              {"size", copy->size},
                              {"input_line", number(copy->input_line)},
                              {"output_line", number(copy->output_line)}};
    } else if (const auto* calls = std::get_if<pica200::CallList>(&job)) {
      WARPJIT_TRY(const std::string file, written("calls", calls->bytes.data(), calls->bytes));
      json["calls"] = {{"file", file}};
    } else if (const auto* state = std::get_if<StateLoad>(&job)) {
      WARPJIT_TRY(const std::string file, written("state", state->bytes.get(), *state->bytes));
      json["state"] = {{"file", file}};
      if (state->of_pipeline) json["state"]["of"] = "pipeline";
    } else {
      const auto& load = std::get<MemoryLoad>(job);
      const std::vector<std::byte> zeros(load.bytes.empty() ? load.size : 0);
      WARPJIT_TRY(const std::string file,
                  written("load", load.bytes.data(), zeros.empty() ? load.bytes : zeros));
      json["load"] = {{"address", number(load.address)}, {"file", file}};
    }
    document["queue"].push_back(std::move(json));
  }
  for (const SceneOutput& output : scene.outputs) {
    Json json{{"name", output.name}, {"address", number(output.address)}, {"bytes", output.size}};
    if (output.tolerance != 0) json["tolerance"] = output.tolerance;
    if (output.layout != SceneOutput::Layout::bytes) {
      constexpr std::array<const char*, 4> kLayouts = {"", "colour", "depth", "linear"};
      json["layout"] = kLayouts[static_cast<std::size_t>(output.layout)];
      json["width"] = output.width;
      json["height"] = output.height;
      json["format"] = output.format;
    }
    if (output.expected) {
      const std::string file = fmt::format("{}_output_{}.bin", stem, output.name);
      WARPJIT_CHECK(write(file, *output.expected));
      json["file"] = file;
    }
    document["outputs"].push_back(std::move(json));
  }
  return write_file(path, document.dump(1) + "\n");
}

}  // namespace warpjit::tool
