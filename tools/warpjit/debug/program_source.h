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
  // The program is named after its source. The source is read if it lies in the folder of `file` and gives the same
  // code; else the program shows no lines, and the labels of its container alone.
  ProgramSource(const Program& program, const std::string& file);

  // The line of an instruction: `file`, `line`, `text`; null without a source.
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
