// Launch files from values: how the fuzzer hands over what it found.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "launch/launch_file.h"

namespace warpjit::tool {

// Files that lie beside a launch file, for data that is too much to be in it.
class SideFiles {
 public:
  explicit SideFiles(std::string stem) : stem_(std::move(stem)) {}
  // Their name: "stem_what0.bin"; equal ones are one.
  std::string add(const std::string& what, std::span<const std::byte> bytes, const char* ending = ".bin");
  const std::vector<std::pair<std::string, std::vector<std::byte>>>& files() const { return files_; }

 private:
  std::string stem_;
  std::vector<std::pair<std::string, std::vector<std::byte>>> files_;
};

// A launch file on its own, code as words and data inline, that reads back as the same launch. It has the
// inputs of threads first to first + count - 1, and of a grid everything but the
// constants that a container gives. With `side`: all inputs, data in these files.
Json write_launch(const LaunchFile& launch, std::uint64_t first, std::uint64_t count,
                  SideFiles* side = nullptr);

// A document as people read and edit it: an array of numbers on one line, everything else indented.
std::string launch_text(const Json& document);

}  // namespace warpjit::tool
