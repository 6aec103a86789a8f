// The shared corpus of captures, and listings that another decoder made of them (pandecode.txt).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "support/source_dir.h"

namespace warpjit::valhall {

inline std::string corpus(const std::string& path) { return tests::shared_file("corpus/valhall/" + path); }

// A line of the first column and the indented ones below it; "Key: value" of those, in order.
struct Section {
  std::string title;
  std::vector<std::pair<std::string, std::string>> fields;

  // The value of the n-th field of that name.
  std::string at(const std::string& key, std::size_t n = 0) const {
    for (const auto& [name, value] : fields)
      if (name == key && n-- == 0) return value;
    return "(none)";
  }
  std::uint64_t number(const std::string& key, std::size_t n = 0) const {
    return std::strtoull(at(key, n).c_str(), nullptr, 0);
  }
  bool truth(const std::string& key, std::size_t n = 0) const { return at(key, n) == "true"; }
  // The n-th part that begins with "Key:" alone, as a section.
  Section part(const std::string& key, std::size_t n) const {
    Section found{.title = key, .fields = {}};
    for (std::size_t k = 0; k < fields.size(); ++k)
      if (fields[k] == std::pair(key, std::string()) && n-- == 0) {
        found.fields.assign(fields.begin() + static_cast<std::ptrdiff_t>(k) + 1, fields.end());
        break;
      }
    return found;
  }
};

inline std::vector<Section> read_listing(const std::string& path) {
  std::ifstream stream(path);
  std::vector<Section> list;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) continue;
    if (line[0] != ' ') {
      if (line.find(':') != std::string::npos && line.find("    ") == std::string::npos)
        list.push_back({line.substr(0, line.find_first_of(":(")), {}});
      continue;
    }
    const std::size_t begin = line.find_first_not_of(' '), colon = line.find(':');
    if (list.empty()) continue;
    if (colon == std::string::npos) {
      list.back().fields.emplace_back("words", line.substr(begin));
      continue;
    }
    const std::size_t value = line.find_first_not_of(' ', colon + 1);
    list.back().fields.emplace_back(line.substr(begin, colon - begin),
                                    value == std::string::npos ? "" : line.substr(value));
  }
  return list;
}

class Listing {
 public:
  explicit Listing(const std::string& path) : sections_(read_listing(path)) {}
  // The next section of that title.
  const Section& next(const std::string& title) {
    static const Section kNone;
    while (at_ < sections_.size())
      if (sections_[at_++].title == title) return sections_[at_ - 1];
    ADD_FAILURE() << "no more " << title;
    return kNone;
  }
  std::size_t count(const std::string& title) const {
    return static_cast<std::size_t>(std::ranges::count(sections_, title, &Section::title));
  }

 private:
  std::vector<Section> sections_;
  std::size_t at_ = 0;
};

}  // namespace warpjit::valhall
