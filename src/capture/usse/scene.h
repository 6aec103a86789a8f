// Frames of the Vita as data: memory, programs, scenes with their draws. Captures are read into it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "capture/memory_reader.h"
#include "frontend/usse/shader.h"
#include "warpjit/usse.hpp"

namespace warpjit::usse {

// Memory has the guest's addresses below this one. From here on lie surfaces that have none.
inline constexpr std::uint64_t kOwnMemory = std::uint64_t{1} << 32;
inline constexpr unsigned kCaptureAddressBits = 40;

// Bytes of the file, or of whoever is recorded, which outlive what refers to them. Words are little-endian.
using DataBytes = std::span<const std::byte>;

struct ProgramData {
  ProgramSource::Form form = ProgramSource::Form::gxp;
  Stage stage = Stage::vertex;
  std::string name;  // of the file, for messages
  DataBytes bytes;
};

struct SceneBegin {
  ColorSurface color;         // without data
  std::uint64_t address = 0;  // of it
  std::optional<DepthSurface> depth;
};

struct UniformData {
  std::string_view name;
  DataBytes words;
};
struct UniformBufferData {
  unsigned buffer = 0;
  std::uint32_t address = 0;
  DataBytes words;
};
struct StageData {
  std::uint32_t program = 0;  // number
  std::vector<UniformData> uniforms;
  DataBytes default_uniforms;
  std::vector<UniformBufferData> buffers;
  std::vector<TextureBinding> textures;
};
struct StreamData {
  std::optional<std::uint64_t> address;  // none: its bytes are here
  std::uint64_t size = 0;
  DataBytes bytes;
  std::uint32_t stride = 0;
  bool per_instance = false;
};
struct MemoryData {
  std::uint32_t address = 0;
  std::uint64_t size = 0;
};
struct DrawData {
  std::size_t scene = 0;
  StageData vertex, fragment;
  std::vector<StreamData> streams;
  std::vector<VertexAttribute> attributes;
  std::vector<MemoryData> memory;
  DataBytes indices;
  unsigned index_bytes = 4;  // of each: 2 or 4
  Draw state;                // all other members
};

struct SceneEnd {
  std::size_t scene = 0;
  unsigned tolerance = 0;             // in units of a channel
  std::uint32_t beyond = 0;           // pixels that may differ by more
  std::optional<std::uint64_t> hash;  // that its surface must have
  DataBytes expected;                 // the bytes of its surface; empty: not known
};

using SceneStep = std::variant<capture::MemoryChange, SceneBegin, DrawData, SceneEnd>;

struct SceneList {
  std::vector<capture::MemoryPiece> memory;
  std::vector<ProgramData> programs;
  std::vector<SceneStep> steps;
  std::vector<std::size_t> frame_ends;  // numbers of the steps that follow
  std::size_t scenes = 0;
  std::shared_ptr<const void> owner;  // of all bytes
};

// FNV-1a of 64 bits over words of 64 bits, the last one filled with zeros.
std::uint64_t surface_hash(DataBytes bytes);

}  // namespace warpjit::usse
