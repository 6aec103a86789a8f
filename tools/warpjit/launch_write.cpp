#include "launch_write.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace warpjit::tool {

namespace {

using Json = nlohmann::ordered_json;
using pica200::ExitFile;

std::string bits(std::uint64_t word, unsigned bytes) { return fmt::format("0x{:0{}x}", word, 2 * bytes); }
std::string bits(float value) { return bits(std::bit_cast<std::uint32_t>(value), 4); }

Json row(const float (&values)[4]) {
  Json json = Json::array();
  for (const float value : values) json.push_back(bits(value));
  return json;
}

Json words(const std::vector<std::uint32_t>& list) {
  Json json = Json::array();
  for (const std::uint32_t word : list) json.push_back(bits(word, 4));
  return json;
}

// What is not 0; a reader takes the rest as 0.
Json uniforms_json(const pica200::Uniforms& uniforms) {
  Json json = Json::object();
  for (unsigned k = 0; k < std::size(uniforms.c); ++k)
    if (std::any_of(std::begin(uniforms.c[k]), std::end(uniforms.c[k]),
                    [](float f) { return std::bit_cast<std::uint32_t>(f) != 0; }))
      json["c" + std::to_string(k)] = row(uniforms.c[k]);
  for (unsigned k = 0; k < std::size(uniforms.i); ++k) json["i" + std::to_string(k)] = uniforms.i[k];
  for (unsigned k = 0; k < 16; ++k)
    if ((uniforms.b >> k & 1) != 0) json["b" + std::to_string(k)] = true;
  return json;
}

Json state_json(const pica200::ThreadState& start, StateName state) {
  switch (state.file) {
    case ExitFile::a0:
      return {start.a0[0], start.a0[1]};
    case ExitFile::aL:
      return start.aL;
    case ExitFile::cmp:
      return {start.cmp[0], start.cmp[1]};
    default:
      return row(start.r[state.index]);
  }
}

Json input_json(const LaunchFile& launch, const LaunchInput& input, std::uint64_t first,
                std::uint64_t count) {
  const std::vector<std::byte>& bytes = launch.buffers[input.buffer].bytes;
  const unsigned width = static_cast<unsigned>(component_size(input.format.type));
  Json data = Json::array();
  for (std::uint64_t thread = first; thread < first + count; ++thread)
    for (unsigned k = 0; k < input.format.components; ++k) {
      const std::uint64_t place = input.offset + thread * input.stride + k * width;
      std::uint64_t word = 0;
      for (unsigned byte = 0; byte < width; ++byte)
        word |= std::to_integer<std::uint64_t>(bytes[place + byte]) << (8 * byte);
      data.push_back(bits(word, width));
    }
  return {{"format", warpjit::name(input.format)}, {"data", std::move(data)}};
}

}  // namespace

Json write_launch(const LaunchFile& launch, std::uint64_t first, std::uint64_t count) {
  Json json{{"warpjit", 1}, {"isa", "pica200"}, {"stage", "vertex"}};
  json["program"] = {{"words", words(launch.program.code)},
                     {"descriptors", words(launch.program.descriptors)},
                     {"entry", launch.program.entry}};
  if (launch.program.f24) json["modes"] = {{"float", "f24"}};
  json["count"] = count;
  json["uniforms"] = uniforms_json(launch.uniforms);
  if (!launch.state.empty())
    for (const StateName state : launch.state) json["state"][name(state)] = state_json(launch.start, state);
  json["inputs"] = Json::object();
  for (const LaunchInput& input : launch.inputs)
    json["inputs"]["v" + std::to_string(input.reg)] = input_json(launch, input, first, count);
  json["outputs"] = Json::object();
  for (const LaunchOutput& output : launch.outputs) {
    const char* type = is_float(output.state) ? "f32x" : "s32x";
    json["outputs"][name(output.state)] = {{"format", type + std::to_string(output.components)}};
  }
  return json;
}

}  // namespace warpjit::tool
