// Names and notes of captures.
#include "base/text.h"
#include "capture/frames.h"

namespace warpjit::capture {
namespace {

bool is_text(std::string_view words) {
  if (words.empty()) return false;
  while (!words.empty()) {
    const text::Character next = text::first_character(words);
    if (!next.valid) return false;
    words.remove_prefix(next.length);
  }
  return true;
}

Status read_name(const FileBytes& file, const Section& section, std::vector<CaptureName>& names) {
  constexpr std::size_t kHeader = 16;
  constexpr std::uint32_t kMostOf = 3;
  const Fields fields(file, section);
  if (names.size() == kMaxNames)
    return file.fail(section.at, "more than " + std::to_string(kMaxNames) + " names",
                     ErrorCode::resource_limit);
  WARPJIT_CHECK(fields.expect_least(kHeader, "a name"));
  if (fields.word(0) > kMostOf)
    return fields.fail(0, "what is named is " + std::to_string(fields.word(0)) +
                              ", expected 0 (address), 1 (register), 2 (draw) or 3 (uniform)");
  names.push_back({static_cast<CaptureName::Of>(fields.word(0)), fields.long_word(8),
                   fields.text(kHeader, section.bytes.size() - kHeader)});
  return {};
}

}  // namespace

Result<Texts> read_texts(const SectionFile& file) {
  Texts texts;
  for (const Section& section : file.sections) {
    if (section.kind == SectionKind::name) WARPJIT_CHECK(read_name(file.file, section, texts.names));
    if (section.kind == SectionKind::note)
      texts.notes.push_back(Fields(file.file, section).text(0, section.bytes.size()));
  }
  return texts;
}

Status check_names(std::span<const CaptureName> names) {
  if (names.size() > kMaxNames)
    return Error{ErrorCode::resource_limit, "more than " + std::to_string(kMaxNames) + " names", "names"};
  for (std::size_t n = 0; n < names.size(); ++n)
    if (!is_text(names[n].text))
      return Error{ErrorCode::bad_input, "the text is empty or not UTF-8", "name " + std::to_string(n)};
  return {};
}

void write_texts(SectionWriter& file, const Texts& texts) {
  for (const CaptureName& name : texts.names) {
    Numbers numbers;
    numbers.word(static_cast<std::uint32_t>(name.of)).word(0).long_word(name.number).text(name.text);
    file.write(SectionKind::name, 0, numbers.bytes());
  }
  for (const std::string& note : texts.notes)
    file.write(SectionKind::note, 0, std::as_bytes(std::span(note)));
}

}  // namespace warpjit::capture
