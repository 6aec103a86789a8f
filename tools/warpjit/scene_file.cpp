#include "scene_file.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "capture/pica200/call_list.h"
#include "json.h"
#include "launch/json_field.h"
#include "unpack.h"

namespace warpjit::tool {

namespace {

using pica200::ColorFormat;
using Layout = SceneOutput::Layout;

constexpr std::string_view kFormatName = "pica-frame 1";
constexpr std::int64_t kMostAddress = 0xFFFFFFFF;

Result<std::uint32_t> word(const JsonField& field, std::int64_t most = kMostAddress) {
  WARPJIT_TRY(const std::int64_t value, field.integer(0, most));
  return static_cast<std::uint32_t>(value);
}
Result<std::uint32_t> word(const JsonField& object, std::string_view key, std::int64_t most = kMostAddress) {
  WARPJIT_TRY(const JsonField field, object.require(key));
  return word(field, most);
}

Result<std::vector<std::byte>> read_named(const JsonField& field, const FileReader& reader) {
  WARPJIT_TRY(const std::string name, field.string());
  auto bytes = reader(name);
  if (!bytes) return field.wrap(bytes.error());
  if (!name.ends_with(".xz")) return bytes;
  auto unpacked = unpack_xz(*bytes, name, kMaxFileBytes);
  if (!unpacked) return field.wrap(unpacked.error());
  return unpacked;
}

Result<SceneMemory> read_memory(const JsonField& field, const FileReader& reader, std::uint64_t& left) {
  WARPJIT_CHECK(field.expect_object());
  SceneMemory memory;
  WARPJIT_TRY(memory.address, word(field, "address"));
  if (const auto file = field.find("file")) {
    WARPJIT_TRY(memory.bytes, read_named(*file, reader));
  } else {
    WARPJIT_TRY(const std::uint32_t size, word(field, "bytes"));
    if (size > left) return field.error("the memory has more than 1 GiB", ErrorCode::resource_limit);
    memory.bytes = LazyBytes(size);
  }
  if (memory.bytes.size() > left)
    return field.error("the memory has more than 1 GiB", ErrorCode::resource_limit);
  left -= memory.bytes.size();
  return memory;
}

Result<SceneJob> read_job(const JsonField& field, const FileReader& reader, std::uint64_t& left) {
  WARPJIT_CHECK(field.expect_object());
  if (const auto job = field.find("commands")) {
    CommandList list;
    WARPJIT_TRY(list.address, word(*job, "address"));
    WARPJIT_TRY(list.bytes, word(*job, "bytes"));
    return SceneJob(list);
  }
  if (const auto job = field.find("fill")) {
    pica200::MemoryFill fill;
    WARPJIT_TRY(fill.start, word(*job, "start"));
    WARPJIT_TRY(fill.end, word(*job, "end"));
    WARPJIT_TRY(fill.value, word(*job, "value"));
    WARPJIT_TRY(fill.control, word(*job, "control"));
    return SceneJob(fill);
  }
  if (const auto job = field.find("transfer")) {
    pica200::DisplayTransfer transfer;
    WARPJIT_TRY(transfer.input, word(*job, "input"));
    WARPJIT_TRY(transfer.output, word(*job, "output"));
    WARPJIT_TRY(transfer.input_size, word(*job, "input_size"));
    WARPJIT_TRY(transfer.output_size, word(*job, "output_size"));
    WARPJIT_TRY(transfer.flags, word(*job, "flags"));
    return SceneJob(transfer);
  }
  if (const auto job = field.find("texture_copy")) {
    pica200::TextureCopy copy;
    WARPJIT_TRY(copy.input, word(*job, "input"));
    WARPJIT_TRY(copy.output, word(*job, "output"));
    WARPJIT_TRY(copy.size, word(*job, "size"));
    WARPJIT_TRY(copy.input_line, word(*job, "input_line"));
    WARPJIT_TRY(copy.output_line, word(*job, "output_line"));
    return SceneJob(copy);
  }
  if (const auto job = field.find("load")) {
    WARPJIT_CHECK(job->expect_object());
    WARPJIT_TRY(const std::uint32_t address, word(*job, "address"));
    WARPJIT_TRY(const JsonField file, job->require("file"));
    WARPJIT_TRY(std::vector<std::byte> bytes, read_named(file, reader));
    if (bytes.size() > left) return job->error("the loads have more than 1 GiB", ErrorCode::resource_limit);
    left -= bytes.size();
    return SceneJob(
        pica200::make_load(address, std::make_shared<const std::vector<std::byte>>(std::move(bytes))));
  }
  if (const auto job = field.find("state")) {
    WARPJIT_CHECK(job->expect_object());
    WARPJIT_TRY(const JsonField file, job->require("file"));
    WARPJIT_TRY(std::vector<std::byte> bytes, read_named(file, reader));
    bool of_pipeline = false;
    if (const auto of = job->find("of")) {
      WARPJIT_TRY(const std::string text, of->string());
      if (text != "pipeline" && text != "gpu") return of->error("is neither \"gpu\" nor \"pipeline\"");
      of_pipeline = text == "pipeline";
    }
    return SceneJob(StateLoad{std::make_shared<const std::vector<std::byte>>(std::move(bytes)), of_pipeline});
  }
  if (const auto job = field.find("calls")) {
    WARPJIT_CHECK(job->expect_object());
    WARPJIT_TRY(const JsonField file, job->require("file"));
    WARPJIT_TRY(std::vector<std::byte> bytes, read_named(file, reader));
    const pica200::CountedCalls counted = pica200::count_calls(bytes);
    if (!counted.status)
      return file.error("byte " + std::to_string(counted.at) + ": " + counted.status.error().message);
    const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return SceneJob(pica200::CallList{*owner, owner});
  }
  return field.error("is no job: commands, calls, fill, transfer, texture_copy, load and state are");
}

Result<SceneOutput> read_output(const JsonField& field, const FileReader& reader) {
  WARPJIT_CHECK(field.expect_object());
  SceneOutput output;
  WARPJIT_TRY(const JsonField name, field.require("name"));
  WARPJIT_TRY(output.name, name.string());
  WARPJIT_TRY(output.address, word(field, "address"));
  WARPJIT_TRY(output.size, word(field, "bytes"));
  if (field.has("tolerance")) {
    WARPJIT_TRY(output.tolerance, word(field, "tolerance", 255));
  }
  if (const auto layout = field.find("layout")) {
    WARPJIT_TRY(const std::string text, layout->string());
    if (text == "colour")
      output.layout = Layout::color;
    else if (text == "depth")
      output.layout = Layout::depth;
    else if (text == "linear")
      output.layout = Layout::linear;
    else
      return layout->error("is no layout: colour, depth and linear are");
    WARPJIT_TRY(output.width, word(field, "width"));
    WARPJIT_TRY(output.height, word(field, "height"));
    WARPJIT_TRY(output.format, word(field, "format"));
  }
  if (const auto problem = pica200::check_output(output)) {
    const auto member = field.find(problem->field);
    return (member ? *member : field).error(problem->message);
  }
  if (const auto file = field.find("file")) {
    auto bytes = read_named(*file, reader);
    if (!bytes && bytes.error().code != ErrorCode::io) return bytes.error();
    if (bytes && bytes->size() != output.size)
      return file->error("the file has " + std::to_string(bytes->size()) + " bytes");
    if (bytes) output.expected = std::move(*bytes);
  }
  return output;
}

}  // namespace

bool is_scene_text(std::string_view text) {
  constexpr std::size_t kStart = 400;
  return text.substr(0, kStart).find("\"pica-frame") != std::string_view::npos;
}

Result<Scene> read_scene(std::string_view text, const std::string& name,
                         const std::filesystem::path& folder) {
  WARPJIT_TRY(const Json document, parse_json(text, name));
  const JsonField root(document, name);
  WARPJIT_CHECK(root.expect_object());
  WARPJIT_TRY(const JsonField format, root.require("format"));
  WARPJIT_TRY(const std::string format_name, format.string());
  if (format_name != kFormatName)
    return format.error("is \"" + format_name + "\", and only \"" + std::string(kFormatName) +
                        "\" can be read");
  const FileReader reader = folder_reader(folder);
  Scene scene;
  scene.refused = root.has("error");
  WARPJIT_TRY(const JsonField memory, root.require("memory"));
  WARPJIT_CHECK(memory.expect_array());
  WARPJIT_CHECK(memory.expect_most(pica200::kMaxMemoryRanges, "pieces"));
  std::uint64_t left = kMaxFileBytes;
  for (std::size_t n = 0; n < memory.size(); ++n) {
    WARPJIT_TRY(SceneMemory piece, read_memory(memory.at(n), reader, left));
    scene.memory.push_back(std::move(piece));
  }
  if (const auto registers = root.find("registers")) {
    WARPJIT_CHECK(registers->expect_object());
    for (const JsonMember& member : registers->json().members()) {
      char* end = nullptr;
      const unsigned long id = std::strtoul(member.key.c_str(), &end, 16);
      const JsonField field = registers->at(member.key);
      if (!member.key.starts_with("0x") || *end != '\0' || id >= 0x300)
        return field.error("is no register: 0x000 to 0x2ff are");
      WARPJIT_TRY(const std::uint32_t value, word(field));
      scene.registers.push_back({static_cast<std::uint32_t>(id), value});
    }
  }
  WARPJIT_TRY(const JsonField queue, root.require("queue"));
  WARPJIT_CHECK(queue.expect_array());
  std::uint64_t loads_left = kMaxFileBytes;
  for (std::size_t n = 0; n < queue.size(); ++n) {
    WARPJIT_TRY(SceneJob job, read_job(queue.at(n), reader, loads_left));
    scene.jobs.push_back(job);
  }
  WARPJIT_TRY(const JsonField outputs, root.require("outputs"));
  WARPJIT_CHECK(outputs.expect_array());
  for (std::size_t n = 0; n < outputs.size(); ++n) {
    WARPJIT_TRY(SceneOutput output, read_output(outputs.at(n), reader));
    scene.outputs.push_back(std::move(output));
  }
  return scene;
}

std::optional<Image> output_picture(const SceneOutput& output, std::span<const std::byte> bytes) {
  const auto pixels = pica200::output_pixels(output, bytes);
  if (!pixels) return std::nullopt;
  Image image;
  image.width = output.width;
  image.height = output.height;
  image.rgba.resize(std::size_t{output.width} * output.height * 4);
  for (std::size_t n = 0; n < image.rgba.size(); n += 4) {
    // The highest bits of depth are grey.
    const bool depth = output.layout == Layout::depth;
    for (std::size_t k = 0; k < 3; ++k)
      image.rgba[n + k] = std::to_integer<std::uint8_t>(pixels->bytes[n + (depth ? 2 : k)]);
    image.rgba[n + 3] = 255;
  }
  return image;
}

}  // namespace warpjit::tool
