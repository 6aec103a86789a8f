// What launches of compute kernels have: extents, parameters and memory.
#include <algorithm>
#include <limits>

#include "launch/numbers.h"
#include "launch/reading.h"

namespace warpjit::tool {

namespace {

constexpr std::size_t kMaxPieces = 256;

Status read_extent(const JsonField& root, const char* key, const std::array<std::uint32_t, 3>& limits,
                   std::array<std::uint32_t, 3>& out) {
  WARPJIT_TRY(const JsonField field, root.require(key));
  WARPJIT_CHECK(field.expect_array());
  if (field.size() == 0 || field.size() > 3) return field.error("one to three numbers");
  for (std::size_t k = 0; k < field.size(); ++k) {
    WARPJIT_TRY(const std::int64_t extent, field.at(k).integer(1, limits[0]));
    if (extent > limits[k])
      return field.at(k).error("this guest has at most " + std::to_string(limits[k]) + " here");
    out[k] = static_cast<std::uint32_t>(extent);
  }
  return {};
}

// The number of the first block.
Status read_first_block(const JsonField& root, const GridLimits& limits, std::array<std::uint32_t, 3>& out) {
  const auto field = root.find("first_block");
  if (!field) return {};
  if (!limits.first_block) return field->error("this guest's grids begin with block 0");
  WARPJIT_CHECK(field->expect_array());
  if (field->size() == 0 || field->size() > 3) return field->error("one to three numbers");
  for (std::size_t k = 0; k < field->size(); ++k) {
    WARPJIT_TRY(const std::int64_t number, field->at(k).integer(0, 0xffffffff, 32));
    out[k] = static_cast<std::uint32_t>(number);
  }
  return {};
}

// What a piece holds: `data`, or a `file` from an `offset` on.
Status read_contents(const Reading& reading, const JsonField& field, LaunchMemory& piece) {
  if (field.has("file") && field.has("data"))
    return field.error("has 'file' and 'data'; only one of them is allowed");
  if (const auto format = field.find("format")) {
    WARPJIT_TRY(const Format read, read_format(*format));
    piece.type = read.type;
  }
  if (const auto file = field.find("file")) {
    WARPJIT_TRY(const std::string name, file->string());
    const auto bytes = reading.files(name);
    if (!bytes) return file->wrap(bytes.error());
    WARPJIT_TRY(const std::uint32_t offset, number_at(field, "offset", 0, 0x7fffffff, 0));
    if (offset > bytes->size()) return field.at("offset").error("is after the end of the file");
    piece.bytes.assign(bytes->begin() + static_cast<std::ptrdiff_t>(offset), bytes->end());
  } else if (const auto data = field.find("data")) {
    WARPJIT_CHECK(data->expect_array());
    WARPJIT_CHECK(append_components(*data, piece.type, piece.bytes));
  }
  piece.given = piece.bytes.size();
  return {};
}

Status read_piece(const Reading& reading, const JsonField& field, std::uint64_t& total, LaunchMemory& piece) {
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(field.expect_keys({"space", "address", "size", "file", "offset", "format", "data", "fill"}));
  WARPJIT_TRY(const JsonField space, field.require("space"));
  WARPJIT_TRY(piece.space, space.string());
  const auto found = frontend::find_space(*reading.launch.program, piece.space);
  if (!found) return space.error(found.error().message);
  piece.constant = found->constant;
  if (!piece.constant || field.has("address")) {
    WARPJIT_TRY(const JsonField address, field.require("address"));
    WARPJIT_TRY(const std::uint64_t value, read_address(address, *found));
    piece.address = value;
    if (value % 8 != 0) return address.error("must be a multiple of 8");
    if (piece.constant && value != 0) return address.error("a constant space begins at 0");
  }
  WARPJIT_CHECK(read_contents(reading, field, piece));
  const std::uint64_t most = kMaxMemoryBytes - total;
  const auto given = static_cast<std::uint32_t>(std::min<std::uint64_t>(piece.given, kMaxMemoryBytes));
  WARPJIT_TRY(const std::uint32_t size, number_at(field, "size", 0, static_cast<std::int64_t>(most), given));
  if (size == 0 || piece.given > most)
    return field.error("needs 'size', or data, of 1 to " + std::to_string(most) + " bytes");
  WARPJIT_TRY(const std::uint32_t fill, number_at(field, "fill", 0, 255, 0));
  piece.bytes.resize((std::size_t{size} + 7) / 8 * 8, static_cast<std::byte>(fill));
  piece.given = std::min(piece.given, piece.bytes.size());
  total += piece.bytes.size();
  return {};
}

bool overlap(const LaunchMemory& a, const LaunchMemory& b) {
  return a.space == b.space && a.address < std::uint64_t{b.address} + b.bytes.size() &&
         b.address < std::uint64_t{a.address} + a.bytes.size();
}

}  // namespace

// Words one after the other, from the guest's place for parameters on; an object
// {"offset": n} goes on at byte n.
Status read_parameters(Reading& reading) {
  const GridLimits limits = reading.guest->grid_limits();
  const auto params = reading.root.find("params");
  if (!params) return {};
  WARPJIT_CHECK(params->expect_array());
  std::vector<std::byte>& parameters = reading.launch.grid.parameters;
  std::size_t at = 0;
  for (std::size_t k = 0; k < params->size(); ++k) {
    const JsonField item = params->at(k);
    if (item.json().is_object()) {
      WARPJIT_CHECK(item.expect_keys({"offset"}));
      WARPJIT_TRY(const JsonField offset, item.require("offset"));
      WARPJIT_TRY(
          const std::int64_t byte,
          offset.integer(limits.parameter_offset, limits.parameter_offset + limits.parameter_bytes - 4));
      at = static_cast<std::size_t>(byte) - limits.parameter_offset;
      continue;
    }
    std::uint32_t word = 0;
    if (item.json().type() == Json::Type::real) {
      WARPJIT_TRY(word, item.float_bits());
    } else {
      WARPJIT_TRY(const std::int64_t value, item.integer(-(std::int64_t{1} << 31), 0xffffffff, 32));
      word = static_cast<std::uint32_t>(value);
    }
    if (at + 4 > limits.parameter_bytes)
      return item.error("parameters beyond the " + std::to_string(limits.parameter_bytes) +
                        " bytes there are");
    parameters.resize(std::max(parameters.size(), at + 4));
    for (unsigned byte = 0; byte < 4; ++byte)
      parameters[at + byte] = static_cast<std::byte>(word >> 8 * byte);
    at += 4;
  }
  return {};
}

Result<frontend::SpaceName> find_space(const Reading& reading, const std::string& name) {
  if (reading.launch.grid.vertices && name == kResultSpace) return frontend::SpaceName{};
  return frontend::find_space(*reading.launch.program, name);
}

Result<std::uint64_t> read_address(const JsonField& field, const frontend::SpaceName& space) {
  const bool wide = space.high_words != 0;
  WARPJIT_TRY(const std::int64_t address,
              field.integer(0, wide ? std::numeric_limits<std::int64_t>::max() : 0xffffffff, wide ? 64 : 32));
  return static_cast<std::uint64_t>(address);
}

Status read_memory(Reading& reading) {
  const auto list = reading.root.find("memory");
  if (!list) return {};
  WARPJIT_CHECK(list->expect_array());
  if (list->size() > kMaxPieces)
    return list->error("at most " + std::to_string(kMaxPieces) + " pieces of memory");
  std::vector<LaunchMemory>& memory = reading.launch.grid.memory;
  std::uint64_t total = 0;
  for (std::size_t k = 0; k < list->size(); ++k) {
    LaunchMemory piece;
    WARPJIT_CHECK(read_piece(reading, list->at(k), total, piece));
    for (std::size_t other = 0; other < memory.size(); ++other)
      if (overlap(piece, memory[other]))
        return list->at(k).error("overlaps memory[" + std::to_string(other) + "], which has " +
                                 std::to_string(memory[other].bytes.size()) + " bytes from " +
                                 address_text(memory[other].address) + " on");
    memory.push_back(std::move(piece));
  }
  return {};
}

Status read_grid(Reading& reading) {
  const GridLimits limits = reading.guest->grid_limits();
  LaunchGrid& grid = reading.launch.grid;
  WARPJIT_CHECK(read_extent(reading.root, "grid", limits.grid, grid.grid));
  WARPJIT_CHECK(read_extent(reading.root, "block", limits.block, grid.block));
  WARPJIT_CHECK(read_first_block(reading.root, limits, grid.first_block));
  if (const auto shared = reading.root.find("shared")) {
    WARPJIT_CHECK(shared->expect_keys({"size"}));
    WARPJIT_TRY(grid.shared_bytes, number_at(*shared, "size", 0, limits.shared_bytes, 0));
  }
  WARPJIT_CHECK(read_parameters(reading));
  return read_memory(reading);
}

}  // namespace warpjit::tool
