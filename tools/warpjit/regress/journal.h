// What a run of many captures has done so far, a line of JSON for each, so that another run can go on after it was
// killed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "regress/collection.h"
#include "regress/run_capture.h"

namespace warpjit::tool {

class Journal {
 public:
  // A new one, or with `resume` one that is there and says the same of its run. A last line that was torn is
  // dropped. Errors name file and line: bad_input, io.
  static Result<Journal> open(const std::filesystem::path& path, const Json& about, bool resume);

  // What it says of a file that is as it was; null: nothing.
  const CaptureRun* find(const CaptureFile& file) const;
  Status add(const CaptureFile& file, const CaptureRun& run, double milliseconds);
  // The run is whole.
  void remove();

 private:
  struct Entry {
    std::uint64_t size = 0;
    std::int64_t modified = 0;
    CaptureRun run;
  };
  Status read(std::string_view text, const std::string& name, const Json& about);
  static Result<Entry> read_entry(const JsonField& line);
  Status write_line(const Json& line);

  std::filesystem::path path_;
  std::ofstream file_;
  std::map<std::string, Entry> entries_;
};

}  // namespace warpjit::tool
