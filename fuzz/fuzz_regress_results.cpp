// Any text as what `warpjit regress` reads: a capture of a baseline, a row of a report. What is accepted is the same
// after it was written. Input: JSON.
#include "regress/results.h"

#include "files.h"
#include "target.h"

namespace {

using namespace warpjit;
using tool::Json;

template <class Read>
void read_twice(const Json& document, Read read) {
  const std::string name = "input";
  const auto first = read(tool::JsonField(document, name));
  if (!first) {
    fuzz::require(!first.error().message.empty() && first.error().where.starts_with(name),
                  "an error says what is wrong, and where");
    return;
  }
  const Json written = tool::to_json(*first);
  const auto second = read(tool::JsonField(written, name));
  fuzz::require(second.ok() && tool::to_json(*second) == written, "what was written is read as it was");
}

}  // namespace

int warpjit::fuzz::fuzz_regress_results(const std::uint8_t* data, std::size_t size) {
  const auto document = tool::parse_json(tool::as_text(fuzz::bytes(data, size)), "input");
  if (!document) return 0;
  read_twice(*document, [](const tool::JsonField& field) { return tool::read_row(field); });
  read_twice(*document, [](const tool::JsonField& field) -> Result<tool::RunResult> {
    return tool::read_result(field);
  });
  return 0;
}
