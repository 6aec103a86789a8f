#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "output.h"
#include "stop.h"

namespace warpjit::tool {

namespace fs = std::filesystem;

namespace {

Error io_error(int code, const fs::path& path) {
  return {ErrorCode::io, std::generic_category().message(code), path.string()};
}

// An open file; a failing close counts.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() { static_cast<void>(close()); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }  // negative: it could not be opened, see errno
  int close() {                           // errno, or 0
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0 ? 0 : errno;
  }

 private:
  int number_;
};

// A name beside `path` that no file has yet: another process with the same number may have been killed.
fs::path unused_name(const fs::path& path) {
  const std::string begin = ".warpjit-" + std::to_string(getpid()) + "-";
  std::error_code ignored;
  for (unsigned n = 0;; ++n) {
    const fs::path name = path.parent_path() / (begin + std::to_string(n) + ".part");
    if (!fs::exists(fs::symlink_status(name, ignored))) return name;
  }
}

// A device, pipe or socket, which is written to as it is.
Status write_in_place(const fs::path& path, std::string_view text) {
  Descriptor file(path, O_WRONLY | O_TRUNC);
  if (file.number() < 0) return io_error(errno, path);
  int failure = write_all(file.number(), text);
  if (failure == 0) failure = file.close();
  if (failure != 0) return io_error(failure, path);
  return {};
}

}  // namespace

Result<std::vector<std::byte>> read_file(const fs::path& path, std::uint64_t limit) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (path.empty()) return Error{ErrorCode::bad_input, "the name of a file is empty", {}};
  if (!fs::exists(status)) return Error{ErrorCode::io, "no such file", path.string()};
  if (!fs::is_regular_file(status)) return Error{ErrorCode::io, "not a regular file", path.string()};
  const std::uintmax_t size = fs::file_size(path, failure);
  if (failure) return Error{ErrorCode::io, failure.message(), path.string()};
  if (size > limit)
    return Error{
        ErrorCode::resource_limit,
        "the file has " + std::to_string(size) + " bytes, more than the limit of " + std::to_string(limit),
        path.string()};
  const Descriptor file(path, O_RDONLY);
  if (file.number() < 0) return io_error(errno, path);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t part = ::read(file.number(), bytes.data() + at, bytes.size() - at);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return io_error(errno, path);
    if (part == 0) return Error{ErrorCode::io, "the file became shorter while it was read", path.string()};
    at += static_cast<std::size_t>(part);
  }
  return bytes;
}

// Under another name until it is whole, so that no file is ever half written.
Status write_file(const fs::path& name, std::string_view text) {
  struct stat before {};
  const bool exists = stat(name.c_str(), &before) == 0;
  if (exists && !S_ISREG(before.st_mode)) return write_in_place(name, text);
  if (exists && access(name.c_str(), W_OK) != 0) return io_error(errno, name);
  std::error_code failure;
  fs::path path = fs::is_symlink(name, failure) ? fs::canonical(name, failure) : name;
  if (failure) path = name;
  const fs::path part = unused_name(path);
  const UnfinishedFile unfinished(part.c_str());
  Descriptor file(part, O_WRONLY | O_CREAT | O_EXCL);
  // In a folder that takes no new files, a file that is there can still be written.
  if (file.number() < 0 && exists && errno != ENOSPC) return write_in_place(name, text);
  if (file.number() < 0) return io_error(errno, name);
  int error = write_all(file.number(), text);
  if (error == 0 && exists && fchmod(file.number(), before.st_mode & 07777) != 0) error = errno;
  if (const int close_error = file.close(); error == 0) error = close_error;
  if (error == 0 && rename(part.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  unlink(part.c_str());
  return io_error(error, name);
}

Status write_file(const fs::path& path, std::span<const std::byte> bytes) {
  return write_file(path, as_text(bytes));
}

Status write_picture(const fs::path& path, std::span<const std::byte> bytes) {
  if (bytes.empty()) return Error{ErrorCode::io, "the picture cannot be encoded", path.string()};
  return write_file(path, bytes);
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
