// The assembly source of a program beside its listing, and labels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json.h"
#include "warpjit/program.hpp"

namespace warpjit::tool {

class ProgramSource {
 public:
  ProgramSource() = default;
  // Of a program of a file: the source that it is named after, if that lies in the file's folder and gives the same
  // code. Without one there are no lines, and the labels that its container has kept.
  ProgramSource(const Program& program, const std::string& file);

  // The line of an instruction: `file`, `line`, `text`. Null: there is none.
  Json at(std::uint32_t address) const;
  // The names of what stands at an address: "loop".
  std::vector<std::string> labels_at(std::uint32_t address) const;
  // The instruction of "loop", or of "blur.pica:12", whose first one it is from that line on.
  std::optional<std::uint32_t> find(std::string_view place) const;
  // All labels, with commas between them.
  std::string labels() const;

 private:
  std::string name_;                              // of the source
  std::vector<std::string> text_;                 // its lines
  std::map<std::uint32_t, std::uint32_t> lines_;  // by address, from 1 on
  std::vector<std::pair<std::uint32_t, std::string>> labels_;
};

}  // namespace warpjit::tool
