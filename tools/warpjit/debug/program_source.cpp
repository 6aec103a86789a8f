#include "debug/program_source.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "files.h"
#include "guest/guest.h"

namespace warpjit::tool {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    lines.emplace_back(line.substr(first));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

ProgramSource::ProgramSource(const Program& program, const std::string& file) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  const frontend::Shader& shader = frontend::shader_of(program);
  const Guest& guest = guest_of(shader.isa());
  labels_ = guest.labels(shader);
  if (file.empty() || !shader.source_name().ends_with(guest.source_ending())) return;
  const auto bytes = folder_reader(path_of(file).parent_path())(shader.source_name());
  if (!bytes || bytes->size() > kMostBytes) return;
  const SourceText source{shader.source_name(), std::string(as_text(*bytes))};
  auto notes = guest.source_notes(shader, source);
  if (!notes || !*notes) return;  // the source is another one by now
  name_ = source.name;
  text_ = lines_of(source.text);
  lines_ = {(*notes)->lines.begin(), (*notes)->lines.end()};
  labels_ = std::move((*notes)->labels);
}

Json ProgramSource::at(std::uint32_t address) const {
  const auto found = lines_.find(address);
  if (found == lines_.end() || found->second == 0 || found->second > text_.size()) return {};
  return {{"file", name_}, {"line", found->second}, {"text", text_[found->second - 1]}};
}

std::vector<std::string> ProgramSource::labels_at(std::uint32_t address) const {
  std::vector<std::string> names;
  for (const auto& [at, label] : labels_)
    if (at == address) names.push_back(label);
  return names;
}

std::optional<std::uint32_t> ProgramSource::find(std::string_view place) const {
  for (const auto& [address, label] : labels_)
    if (label == place) return address;
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || name_.empty()) return std::nullopt;
  const auto wanted = text::parse_unsigned(place.substr(colon + 1));
  const std::string_view file = place.substr(0, colon);
  const bool is_named = file == name_ || (name_.ends_with(file) && name_.size() > file.size() &&
                                          name_[name_.size() - file.size() - 1] == '/');
  if (!wanted || !is_named) return std::nullopt;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> best;  // line and address
  for (const auto& [address, line] : lines_)
    if (line >= *wanted && (!best || std::pair(line, address) < *best)) best.emplace(line, address);
  return best ? std::optional(best->second) : std::nullopt;
}

std::string ProgramSource::labels() const {
  std::string list;
  for (const auto& [address, label] : labels_) list += (list.empty() ? "" : ", ") + label;
  return text::shortened(list);
}

}  // namespace warpjit::tool
