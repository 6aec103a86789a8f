#include "regress/journal.h"

#include "base/text.h"
#include "files.h"

namespace warpjit::tool {

namespace fs = std::filesystem;

Result<Journal> Journal::open(const fs::path& path, const Json& about, bool resume) {
  Journal journal;
  journal.path_ = path;
  std::error_code ignored;
  bool goes_on = false;
  if (resume && fs::exists(path, ignored)) {
    WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(path, kMaxResultBytes));
    // What was written last may lack its end.
    const std::string_view text = as_text(bytes);
    const std::string_view whole = text.substr(0, text.rfind('\n') + 1);
    WARPJIT_CHECK(journal.read(whole, name_of(path), about));
    if (whole.size() != text.size()) WARPJIT_CHECK(write_file(path, whole));
    goes_on = !whole.empty();
  }
  journal.file_.open(path, std::ios::binary | (goes_on ? std::ios::app : std::ios::trunc));
  if (!journal.file_) return Error{ErrorCode::io, "the file cannot be written", name_of(path)};
  if (!goes_on) WARPJIT_CHECK(journal.write_line(about));
  return journal;
}

Status Journal::read(std::string_view text, const std::string& name, const Json& about) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string place = name + ":" + std::to_string(number);
    WARPJIT_TRY(const Json line, parse_json(text.substr(0, end), place));
    text.remove_prefix(end + 1);
    const JsonField field(line, place);
    if (number == 1) {
      WARPJIT_CHECK(field.expect_object());
      for (const JsonMember& member : about.members())
        if (!field.has(member.key) || !(line[member.key] == member.value))
          return Error{ErrorCode::bad_input,
                       "the journal is of another run: its " + text::quoted(member.key) + " is " +
                           text::shortened(line[member.key].dump()) + ", not " + member.value.dump(),
                       place};
      continue;
    }
    WARPJIT_TRY(const std::string file, text_at(field, "file"));
    WARPJIT_TRY(Entry entry, read_entry(field));
    entries_.insert_or_assign(file, std::move(entry));
  }
  return {};
}

Result<Journal::Entry> Journal::read_entry(const JsonField& line) {
  WARPJIT_CHECK(line.expect_keys({"file", "size", "modified", "ms", "row", "result"}));
  Entry entry;
  WARPJIT_TRY(entry.size, number_at(line, "size"));
  WARPJIT_TRY(const JsonField modified, line.require("modified"));
  WARPJIT_TRY(entry.modified, modified.integer(INT64_MIN, INT64_MAX));
  WARPJIT_TRY(const JsonField row, line.require("row"));
  WARPJIT_TRY(entry.run.row, read_row(row));
  WARPJIT_TRY(const JsonField result, line.require("result"));
  WARPJIT_TRY(entry.run.result, read_result(result));
  return entry;
}

const CaptureRun* Journal::find(const CaptureFile& file) const {
  const auto found = entries_.find(file.name);
  if (found == entries_.end() || file.path.empty() || found->second.size != file.size ||
      found->second.modified != file.modified || found->second.run.row.file != file.name)
    return nullptr;
  return &found->second.run;
}

Status Journal::add(const CaptureFile& file, const CaptureRun& run, double milliseconds) {
  if (file.path.empty()) return {};
  return write_line({{"file", file.name},
                     {"size", file.size},
                     {"modified", file.modified},
                     {"ms", milliseconds},
                     {"row", to_json(run.row)},
                     {"result", to_json(run.result)}});
}

Status Journal::write_line(const Json& line) {
  file_ << line.dump() + "\n" << std::flush;
  if (!file_) return Error{ErrorCode::io, "the file cannot be written", name_of(path_)};
  return {};
}

void Journal::remove() {
  file_.close();
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace warpjit::tool
