#include "compute_file.h"

#include <algorithm>

#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/container/cubin.h"
#include "json_field.h"
#include "launch_data.h"

namespace warpjit::tool {

namespace {

constexpr std::uint64_t kMaxMemoryBytes = std::uint64_t{1} << 30;  // of all pieces of a launch

Result<tesla::Container> read_kernels(std::span<const std::byte> bytes, const std::string& name) {
  if (name.ends_with(".tesla")) return tesla::assemble(as_text(bytes), name);
  return tesla::read_cubin(bytes, name);
}

class ComputeReader {
 public:
  ComputeReader(const JsonField& root, const FileReader& files) : root_(root), files_(files) {}

  Result<ComputeFile> read() {
    WARPJIT_CHECK(read_head());
    WARPJIT_CHECK(read_program());
    WARPJIT_CHECK(read_extents());
    WARPJIT_CHECK(read_parameters());
    WARPJIT_CHECK(read_modes());
    WARPJIT_CHECK(read_memory());
    WARPJIT_CHECK(read_outputs());
    WARPJIT_CHECK(read_expectations());
    return std::move(launch_);
  }

 private:
  Status read_head() {
    WARPJIT_CHECK(root_.expect_object());
    WARPJIT_TRY(const JsonField version, root_.require("warpjit"));
    WARPJIT_TRY(const std::int64_t number, version.integer(0, 1 << 30));
    if (number != 1)
      return version.error("version " + std::to_string(number) +
                           " of the launch format is not known; this build reads 1");
    WARPJIT_TRY(const JsonField stage_field, root_.require("stage"));
    WARPJIT_TRY(const std::string stage, stage_field.string());
    if (stage != "compute")
      return stage_field.error("stage '" + stage + "' of tesla is not supported yet, compute is",
                               ErrorCode::unsupported);
    return root_.expect_keys({"warpjit", "isa", "stage", "program", "grid", "block", "shared", "params",
                              "modes", "memory", "outputs", "expect"});
  }

  Status read_program() {
    WARPJIT_TRY(const JsonField program, root_.require("program"));
    WARPJIT_CHECK(program.expect_object());
    if (program.has("words")) return read_words(program);
    WARPJIT_CHECK(program.expect_keys({"file", "entry", "kernel"}));
    if (program.has("entry") && program.has("kernel"))
      return program.error("'kernel' is an older name of 'entry': give one of them");
    WARPJIT_TRY(const JsonField file, program.require("file"));
    WARPJIT_TRY(const std::string name, file.string());
    std::string kernel;
    for (const char* key : {"entry", "kernel"})
      if (const auto field = program.find(key)) {
        WARPJIT_TRY(kernel, field->string());
      }
    const auto bytes = files_(name);
    if (!bytes) return file.wrap(bytes.error());
    const auto container = read_kernels(*bytes, name);
    if (!container) return file.wrap(container.error());
    auto chosen = tesla::select_program(*container, kernel);
    if (!chosen) return file.wrap(chosen.error());
    launch_.program = std::move(*chosen);
    return {};
  }

  Status read_words(const JsonField& program) {
    WARPJIT_CHECK(program.expect_keys({"words", "registers", "local"}));
    const JsonField words = program.at("words");
    WARPJIT_CHECK(words.expect_array());
    if (words.size() == 0 || words.size() > tesla::kMaxCodeWords)
      return words.error("a program has 1 to " + std::to_string(tesla::kMaxCodeWords) + " words");
    for (std::size_t k = 0; k < words.size(); ++k) {
      WARPJIT_TRY(const std::int64_t word, words.at(k).integer(0, 0xffffffff, 32));
      launch_.program.code.push_back(static_cast<std::uint32_t>(word));
    }
    WARPJIT_TRY(launch_.program.registers, number(program, "registers", 1, 128, 128));
    WARPJIT_TRY(launch_.program.local_bytes, number(program, "local", 0, tesla::kMaxLocalBytes, 0));
    return {};
  }

  // The number at `key`, or what it is without.
  Result<std::uint32_t> number(const JsonField& object, std::string_view key, std::int64_t low,
                               std::int64_t high, std::uint32_t otherwise) {
    const auto field = object.find(key);
    if (!field) return otherwise;
    WARPJIT_TRY(const std::int64_t value, field->integer(low, high));
    return static_cast<std::uint32_t>(value);
  }

  template <std::size_t kCount>
  Status read_extent(const char* key, std::array<std::uint32_t, kCount>& out, std::int64_t most) {
    WARPJIT_TRY(const JsonField field, root_.require(key));
    WARPJIT_CHECK(field.expect_array());
    if (field.size() == 0 || field.size() > 3) return field.error("one to three numbers");
    for (std::size_t k = 0; k < field.size(); ++k) {
      WARPJIT_TRY(const std::int64_t extent, field.at(k).integer(1, most));
      if (k < kCount)
        out[k] = static_cast<std::uint32_t>(extent);
      else if (extent != 1)
        return field.at(k).error("this guest has no third dimension here: it must be 1");
    }
    return {};
  }

  Status read_extents() {
    WARPJIT_CHECK(read_extent("grid", launch_.grid, 65535));
    WARPJIT_CHECK(read_extent("block", launch_.block, 512));
    if (const auto shared = root_.find("shared")) {
      WARPJIT_CHECK(shared->expect_object());
      WARPJIT_CHECK(shared->expect_keys({"size"}));
      WARPJIT_TRY(launch_.shared_bytes, number(*shared, "size", 0, tesla::kMaxSharedBytes, 0));
    }
    return {};
  }

  // Words one after the other from s[0x10] on; an object {"offset": n} goes on at s[n].
  Status read_parameters() {
    const auto params = root_.find("params");
    if (!params) return {};
    WARPJIT_CHECK(params->expect_array());
    std::size_t at = 0;
    for (std::size_t k = 0; k < params->size(); ++k) {
      const JsonField item = params->at(k);
      if (item.json().is_object()) {
        WARPJIT_CHECK(item.expect_keys({"offset"}));
        WARPJIT_TRY(const std::uint32_t offset,
                    number(item, "offset", tesla::kParameterOffset, tesla::kMaxSharedBytes - 4, 0));
        at = offset - tesla::kParameterOffset;
        continue;
      }
      std::uint32_t word = 0;
      if (item.json().is_number_float()) {
        WARPJIT_TRY(word, item.float_bits());
      } else {
        WARPJIT_TRY(const std::int64_t value, item.integer(-(std::int64_t{1} << 31), 0xffffffff, 32));
        word = static_cast<std::uint32_t>(value);
      }
      if (at + 4 > tesla::kMaxSharedBytes - tesla::kParameterOffset)
        return item.error("parameters beyond shared memory");
      launch_.parameters.resize(std::max(launch_.parameters.size(), at + 4));
      for (unsigned byte = 0; byte < 4; ++byte)
        launch_.parameters[at + byte] = static_cast<std::byte>(word >> 8 * byte);
      at += 4;
    }
    return {};
  }

  Status read_modes() {
    const auto modes = root_.find("modes");
    if (!modes) return {};
    WARPJIT_CHECK(modes->expect_object());
    const std::pair<const char*, bool*> known[] = {
        {"fast-fmad", &launch_.modes.fast_fmad},
        {"saturated-nan-is-zero", &launch_.modes.saturated_nan_is_zero},
        {"zero-wins", &launch_.modes.zero_wins},
        {"infinite-derivatives", &launch_.modes.infinite_derivatives}};
    WARPJIT_CHECK(modes->expect_keys(
        {"fast-fmad", "saturated-nan-is-zero", "zero-wins", "infinite-derivatives", "call-limit"}));
    for (const auto& [key, flag] : known)
      if (const auto field = modes->find(key)) {
        WARPJIT_TRY(*flag, field->boolean());
      }
    WARPJIT_TRY(launch_.modes.call_limit, number(*modes, "call-limit", 0, 4096, 4096));
    return {};
  }

  // "g14", "c0".
  Status read_space(const JsonField& object, ComputeMemory& out) {
    WARPJIT_TRY(const JsonField field, object.require("space"));
    WARPJIT_TRY(out.name, field.string());
    out.constant = out.name.starts_with('c');
    const std::string digits = out.name.substr(std::min<std::size_t>(1, out.name.size()));
    const bool plain =
        !digits.empty() && digits.size() <= 2 && digits.find_first_not_of("0123456789") == std::string::npos;
    if ((!out.constant && !out.name.starts_with('g')) || !plain || std::stoul(digits) > 15)
      return field.error("'" + out.name + "' is no space: c0 to c15 and g0 to g15 are");
    out.space = static_cast<unsigned>(std::stoul(digits));
    return {};
  }

  Status read_memory() {
    const auto list = root_.find("memory");
    if (!list) return {};
    WARPJIT_CHECK(list->expect_array());
    if (list->size() > 256) return list->error("at most 256 pieces of memory");
    std::uint64_t total = 0;
    for (std::size_t k = 0; k < list->size(); ++k) {
      ComputeMemory piece;
      WARPJIT_CHECK(read_piece(list->at(k), total, piece));
      for (std::size_t other = 0; other < launch_.memory.size(); ++other)
        if (overlap(piece, launch_.memory[other]))
          return list->at(k).error("overlaps memory[" + std::to_string(other) + "], which has " +
                                   std::to_string(launch_.memory[other].bytes.size()) + " bytes from " +
                                   hex_address(launch_.memory[other].address) + " on");
      launch_.memory.push_back(std::move(piece));
    }
    return {};
  }

  static bool overlap(const ComputeMemory& a, const ComputeMemory& b) {
    return a.name == b.name && a.address < std::uint64_t{b.address} + b.bytes.size() &&
           b.address < std::uint64_t{a.address} + a.bytes.size();
  }

  Status read_piece(const JsonField& field, std::uint64_t& total, ComputeMemory& piece) {
    WARPJIT_CHECK(field.expect_object());
    WARPJIT_CHECK(
        field.expect_keys({"space", "address", "size", "file", "offset", "format", "data", "fill"}));
    WARPJIT_CHECK(read_space(field, piece));
    if (!piece.constant || field.has("address")) {
      WARPJIT_TRY(const JsonField address, field.require("address"));
      WARPJIT_TRY(const std::int64_t value, address.integer(0, 0xffffffff, 32));
      piece.address = static_cast<std::uint32_t>(value);
      if (value % 8 != 0) return address.error("must be a multiple of 8");
      if (piece.constant && value != 0) return address.error("a c[] space begins at 0");
    }
    if (field.has("file") && field.has("data")) return field.error("'file' and 'data' exclude each other");
    if (const auto file = field.find("file")) {
      WARPJIT_TRY(const std::string name, file->string());
      auto bytes = files_(name);
      if (!bytes) return file->wrap(bytes.error());
      WARPJIT_TRY(const std::uint32_t offset, number(field, "offset", 0, 0x7fffffff, 0));
      if (offset > bytes->size()) return field.at("offset").error("is behind the end of the file");
      piece.bytes.assign(bytes->begin() + static_cast<std::ptrdiff_t>(offset), bytes->end());
    } else if (const auto data = field.find("data")) {
      Format format{ComponentType::u32, 1};
      if (const auto name = field.find("format")) {
        WARPJIT_TRY(format, read_format(*name));
      }
      WARPJIT_CHECK(data->expect_array());
      WARPJIT_CHECK(append_components(*data, format.type, piece.bytes));
    }
    const auto most = static_cast<std::int64_t>(kMaxMemoryBytes - total);
    WARPJIT_TRY(
        const std::uint32_t size,
        number(field, "size", 0, most,
               static_cast<std::uint32_t>(std::min<std::uint64_t>(piece.bytes.size(), kMaxMemoryBytes))));
    if (size == 0 || piece.bytes.size() > kMaxMemoryBytes - total)
      return field.error("needs 'size', or data, of 1 to " + std::to_string(most) + " bytes");
    WARPJIT_TRY(const std::uint32_t fill, number(field, "fill", 0, 255, 0));
    piece.bytes.resize((std::size_t{size} + 7) / 8 * 8, static_cast<std::byte>(fill));
    total += piece.bytes.size();
    return {};
  }

  Status read_range(const JsonField& field, ComputeRange& range) {
    ComputeMemory where;
    WARPJIT_CHECK(read_space(field, where));
    WARPJIT_TRY(const JsonField address_field, field.require("address"));
    WARPJIT_TRY(const std::int64_t address, address_field.integer(0, 0xffffffff, 32));
    WARPJIT_TRY(const JsonField format, field.require("format"));
    WARPJIT_TRY(range.format, read_format(format));
    if (component_size(range.format.type) != 4) return format.error("results are f32, u32 or s32");
    std::uint32_t items = 0;
    if (const auto data = field.find("data"); data && !field.has("count"))
      items = static_cast<std::uint32_t>(data->size() / range.format.components);
    else {
      WARPJIT_TRY(const JsonField count, field.require("count"));
      WARPJIT_TRY(const std::int64_t value, count.integer(1, 1 << 28));
      items = static_cast<std::uint32_t>(value);
    }
    range.count = std::size_t{items} * range.format.components;
    for (std::size_t k = 0; k < launch_.memory.size(); ++k) {
      const ComputeMemory& piece = launch_.memory[k];
      if (piece.constant != where.constant || piece.space != where.space || address < piece.address) continue;
      range.offset = static_cast<std::size_t>(address) - piece.address;
      if (range.offset % 4 != 0 || range.offset + range.count * 4 > piece.bytes.size()) continue;
      range.piece = k;
      range.name = where.name + "[" + hex_address(static_cast<std::uint32_t>(address)) + "]";
      return {};
    }
    return field.error("lies in no piece of 'memory'");
  }
  static std::string hex_address(std::uint32_t address) {
    char buffer[16];
    std::snprintf(buffer, sizeof buffer, "0x%x", address);
    return buffer;
  }

  Status read_outputs() {
    const auto list = root_.find("outputs");
    if (!list) return {};
    WARPJIT_CHECK(list->expect_array());
    for (std::size_t k = 0; k < list->size(); ++k) {
      WARPJIT_CHECK(list->at(k).expect_object());
      WARPJIT_CHECK(list->at(k).expect_keys({"space", "address", "format", "count"}));
      WARPJIT_CHECK(read_range(list->at(k), launch_.outputs.emplace_back()));
    }
    return {};
  }

  Status read_expectations() {
    const auto list = root_.find("expect");
    if (!list) return {};
    WARPJIT_CHECK(list->expect_array());
    for (std::size_t k = 0; k < list->size(); ++k) {
      const JsonField field = list->at(k);
      WARPJIT_CHECK(field.expect_object());
      WARPJIT_CHECK(field.expect_keys({"space", "address", "format", "data", "ulp", "abs", "rel"}));
      WARPJIT_TRY(const JsonField data, field.require("data"));
      WARPJIT_CHECK(data.expect_array());
      ComputeExpectation& expectation = launch_.expectations.emplace_back();
      WARPJIT_CHECK(read_range(field, expectation.range));
      if (expectation.range.count != data.size())
        return data.error("has not a whole number of rows of the format");
      const ComponentType type = expectation.range.format.type;
      std::vector<std::byte> bytes;
      WARPJIT_CHECK(append_components(data, type, bytes));
      Expectation& wanted = expectation.wanted;
      wanted.name = expectation.range.name;
      wanted.state = type == ComponentType::f32 ? StateName{pica200::ExitFile::r, 0}
                                                : StateName{pica200::ExitFile::aL, 0};
      wanted.words.resize(data.size());
      std::memcpy(wanted.words.data(), bytes.data(), bytes.size());
      if (const auto ulp = field.find("ulp")) {
        WARPJIT_TRY(const std::int64_t value, ulp->integer(0, 0x7fffffff));
        wanted.ulp = static_cast<std::uint32_t>(value);
      }
      if (const auto absolute = field.find("abs")) {
        WARPJIT_TRY(wanted.absolute, absolute->tolerance());
      }
      if (const auto relative = field.find("rel")) {
        WARPJIT_TRY(wanted.relative, relative->tolerance());
      }
    }
    return {};
  }

  const JsonField& root_;
  const FileReader& files_;
  ComputeFile launch_;
};

}  // namespace

bool is_compute(const std::string& path) {
  if (path.ends_with(".tesla") || path.ends_with(".cubin")) return true;
  const auto bytes = read_file(path);
  if (!bytes) return false;
  const std::string_view text = as_text(*bytes);
  if (!is_launch_text(text))
    return text.starts_with("architecture") || text.starts_with(
                                                   "\x7f"
                                                   "ELF");
  const auto json = parse_json(text, path);
  return json && json->is_object() && json->contains("isa") && (*json)["isa"] == "tesla";
}

Result<tesla::Container> read_kernels(const std::string& path) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(path));
  return read_kernels(bytes, path);
}

Result<tesla::Program> read_kernel(const std::string& path, const std::string& kernel) {
  WARPJIT_TRY(const tesla::Container container, read_kernels(path));
  return tesla::select_program(container, kernel);
}

Result<ComputeFile> parse_compute_launch(std::string_view text, const std::string& name,
                                         const FileReader& files) {
  WARPJIT_TRY(const JsonField::Json json, parse_json(text, name));
  const JsonField root(json, name);
  WARPJIT_TRY(ComputeFile launch, ComputeReader(root, files).read());
  launch.name = name;
  return launch;
}

Result<ComputeFile> read_compute_launch(const std::string& path) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(path, kMaxJsonBytes));
  return parse_compute_launch(as_text(bytes), path, folder_reader(std::filesystem::path(path).parent_path()));
}

}  // namespace warpjit::tool
