#include "files.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <type_traits>
#include <utility>

#include "output.h"
#include "stop.h"
#include "system.h"

namespace warpjit::tool {

namespace fs = std::filesystem;
using system::File;

namespace {

Error io_error(int code, const fs::path& path) {
  return {ErrorCode::io, std::generic_category().message(code), name_of(path)};
}

// A name beside `path` that no file has yet: another process with the same number may have been killed.
fs::path unused_name(const fs::path& path) {
  const std::string begin = ".warpjit-" + std::to_string(system::process_number()) + "-";
  std::error_code ignored;
  for (unsigned n = 0;; ++n) {
    const fs::path name = path.parent_path() / (begin + std::to_string(n) + ".part");
    if (!fs::exists(fs::symlink_status(name, ignored))) return name;
  }
}

// A device, pipe or socket, which is written to as it is.
Status write_in_place(const fs::path& path, std::string_view text) {
  File file(path, File::Use::overwrite);
  if (file.number() < 0) return io_error(errno, path);
  int failure = system::write_all(file.number(), text);
  if (failure == 0) failure = file.close();
  if (failure != 0) return io_error(failure, path);
  return {};
}

}  // namespace

fs::path path_of(std::string_view name) {
  if constexpr (std::is_same_v<fs::path::value_type, char>)
    return fs::path(name);
  else
    return fs::path(std::u8string(name.begin(), name.end()));
}
std::string name_of(const fs::path& path) {
  if constexpr (std::is_same_v<fs::path::value_type, char>) return path.string();
  const std::u8string name = path.u8string();
  return {name.begin(), name.end()};
}

Result<std::vector<std::byte>> read_file(const std::string& name, std::uint64_t limit) {
  return read_file(path_of(name), limit);
}
Result<std::vector<std::byte>> read_file(const fs::path& path, std::uint64_t limit) {
  if (path.empty()) return Error{ErrorCode::bad_input, "the name of a file is empty", {}};
  const system::Existing found = system::existing(path);
  if (!found.exists) return Error{ErrorCode::io, "no such file", name_of(path)};
  if (!found.regular) return Error{ErrorCode::io, "not a regular file", name_of(path)};
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(path, failure);
  if (failure) return Error{ErrorCode::io, failure.message(), name_of(path)};
  if (size > limit)
    return Error{
        ErrorCode::resource_limit,
        "the file has " + std::to_string(size) + " bytes, more than the limit of " + std::to_string(limit),
        name_of(path)};
  const File file(path, File::Use::read);
  if (file.number() < 0) return io_error(errno, path);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  for (std::size_t at = 0; at < bytes.size();) {
    const std::ptrdiff_t part = system::read_some(file.number(), bytes.data() + at, bytes.size() - at);
    if (part < 0) return io_error(static_cast<int>(-part), path);
    if (part == 0) return Error{ErrorCode::io, "the file became shorter while it was read", name_of(path)};
    at += static_cast<std::size_t>(part);
  }
  return bytes;
}

// Under another name until it is whole, so that no file is ever half written.
Status write_file(const fs::path& name, std::string_view text) {
  const system::Existing before = system::existing(name);
  if (before.exists && !before.regular) return write_in_place(name, text);
  if (before.exists)
    if (const int refused = system::check_writable(name); refused != 0) return io_error(refused, name);
  std::error_code failure;
  fs::path path = fs::is_symlink(name, failure) ? fs::canonical(name, failure) : name;
  if (failure) path = name;
  const fs::path part = unused_name(path);
  const UnfinishedFile unfinished(part.c_str());
  File file(part, File::Use::create);
  // In a folder that takes no new files, a file that is there can still be written.
  if (file.number() < 0 && before.exists && errno != ENOSPC) return write_in_place(name, text);
  if (file.number() < 0) return io_error(errno, name);
  int error = system::write_all(file.number(), text);
  if (error == 0 && before.exists) error = system::set_permissions(file.number(), before.permissions);
  if (const int close_error = file.close(); error == 0) error = close_error;
  if (error == 0) error = system::rename_over(part, path);
  if (error == 0) return {};
  fs::remove(part, failure);
  return io_error(error, name);
}

Status write_file(const fs::path& path, std::span<const std::byte> bytes) {
  return write_file(path, as_text(bytes));
}

Status write_file(const std::string& name, std::string_view text) { return write_file(path_of(name), text); }
Status write_file(const std::string& name, std::span<const std::byte> bytes) {
  return write_file(path_of(name), bytes);
}

Status write_picture(const std::string& name, std::span<const std::byte> bytes) {
  if (bytes.empty()) return Error{ErrorCode::io, "the picture cannot be encoded", name};
  return write_file(name, bytes);
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
    const fs::path relative = path_of(name);
    if (name.empty() || name.find('\0') != std::string::npos || relative.is_absolute() ||
        relative.has_root_name())
      return Error{ErrorCode::bad_input, "'" + name + "' is not a relative path", {}};
    std::error_code failure;
    const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, failure);
    if (failure) return Error{ErrorCode::io, failure.message(), name_of(folder)};
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
