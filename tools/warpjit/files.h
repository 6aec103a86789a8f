// Files as the command line tool and the launch reader use them: whole, bounded, errors as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpjit::tool {

inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;   // of any file that is read
inline constexpr std::uint64_t kMaxJsonBytes = std::uint64_t{64} << 20;  // of a launch file

// Names of files in text are UTF-8, or on Linux any bytes. What a path makes of text by itself differs between systems.
std::filesystem::path path_of(std::string_view name);
std::string name_of(const std::filesystem::path& path);

// The bytes of a regular file. Errors (io) name the path; more than `limit` bytes is a resource_limit.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path,
                                         std::uint64_t limit = kMaxFileBytes);
Result<std::vector<std::byte>> read_file(const std::string& name, std::uint64_t limit = kMaxFileBytes);
// Writes a file that is whole or as it was before. Errors (io) name the path.
Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
Status write_file(const std::filesystem::path& path, std::string_view text);
Status write_file(const std::string& name, std::span<const std::byte> bytes);
Status write_file(const std::string& name, std::string_view text);

// A picture's file. Nothing could be encoded if there are no bytes: an error (io).
Status write_picture(const std::string& name, std::span<const std::byte> bytes);

std::string_view as_text(std::span<const std::byte> bytes);

// True if it is a launch file: no container and no source begins with a brace.
bool is_launch_text(std::string_view text);
bool is_launch_file(const std::string& path);  // false if it cannot be read, unless its name ends in .json

// Gives the bytes of a file that a launch names. The name comes from an untrusted launch file.
using FileReader = std::function<Result<std::vector<std::byte>>(const std::string& name)>;

// Reads names relative to `folder`. A name that is absolute, or that leaves the folder once links are
// resolved, is refused (bad_input).
FileReader folder_reader(std::filesystem::path folder);

}  // namespace warpjit::tool
