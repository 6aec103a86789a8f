#include "files.h"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace warpjit::tool {

namespace fs = std::filesystem;

Result<std::vector<std::byte>> read_file(const fs::path& path, std::uint64_t limit) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) return Error{ErrorCode::io, "no such file", path.string()};
  if (!fs::is_regular_file(status)) return Error{ErrorCode::io, "not a regular file", path.string()};
  const std::uintmax_t size = fs::file_size(path, failure);
  if (failure) return Error{ErrorCode::io, failure.message(), path.string()};
  if (size > limit)
    return Error{
        ErrorCode::resource_limit,
        "the file has " + std::to_string(size) + " bytes, more than the limit of " + std::to_string(limit),
        path.string()};
  std::ifstream stream(path, std::ios::binary);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  if (size != 0) stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!stream) return Error{ErrorCode::io, "the file cannot be read", path.string()};
  return bytes;
}

Status write_file(const fs::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.flush();
  if (!stream) return Error{ErrorCode::io, "the file cannot be written", path.string()};
  return {};
}

Status write_file(const fs::path& path, std::span<const std::byte> bytes) {
  return write_file(path, as_text(bytes));
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_launch_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

bool is_launch_file(const std::string& path) {
  if (path.ends_with(".json")) return true;
  const auto bytes = read_file(path);
  return bytes && is_launch_text(as_text(*bytes));
}

FileReader folder_reader(fs::path folder) {
  return [folder = std::move(folder)](const std::string& name) -> Result<std::vector<std::byte>> {
    const fs::path relative(name);
    if (name.empty() || name.find('\0') != std::string::npos || relative.is_absolute() ||
        relative.has_root_name())
      return Error{ErrorCode::bad_input, "'" + name + "' is not a relative path", {}};
    std::error_code failure;
    const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, failure);
    if (failure) return Error{ErrorCode::io, failure.message(), folder.string()};
    // weakly: a path that leaves the folder is refused whether or not it exists.
    const fs::path path = fs::weakly_canonical(root / relative, failure);
    if (failure) return Error{ErrorCode::io, "'" + name + "': " + failure.message(), {}};
    const auto [end_of_root, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
    if (end_of_root != root.end())
      return Error{ErrorCode::bad_input, "'" + name + "' leaves the folder of the launch file", {}};
    return read_file(path);
  };
}

}  // namespace warpjit::tool
