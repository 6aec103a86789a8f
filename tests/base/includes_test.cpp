// Which room of the project may include which: the layers of docs/architecture.md, read off the include lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/source_dir.h"

namespace warpjit::tests {
namespace {

using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

// A room may always include itself and the public headers, `warpjit/`.
struct Room {
  std::string_view name;  // where its files lie, from src/ on; the longest name that fits a path is its room
  std::string_view may_include;
};

constexpr std::string_view kGuestName = "GUEST";
constexpr std::string_view kGuests[] = {"pica200", "tesla", "usse", "valhall"};

// GUEST is any guest; in the second column the same one as in the first, if that has one.
constexpr Room kRooms[] = {
    {"base", ""},
    {"textures", "base"},
    {"pixels", "base"},
    {"ir", "base pixels"},

    // What guests share, and their contract with the runtime.
    {"frontend/assembly", "base"},
    {"frontend/encoding", "base"},
    {"frontend/flow", "base ir"},
    {"frontend/interpret", "base ir pixels textures"},
    {"frontend/pixels", "base ir pixels"},
    {"frontend/textures", "ir textures"},
    {"frontend", "base ir textures frontend/interpret frontend/pixels frontend/textures"},

    {"frontend/GUEST/encoding", "base frontend/encoding"},
    {"frontend/GUEST/container", "base pixels textures frontend/encoding frontend/GUEST/encoding"},
    {"frontend/GUEST/facts", "base pixels frontend frontend/GUEST/encoding frontend/GUEST/container"},
    {"frontend/GUEST/assembly",
     "base frontend/assembly frontend/encoding frontend/GUEST/encoding frontend/GUEST/container "
     "frontend/GUEST/facts"},
    {"frontend/GUEST/flow",
     "base pixels frontend frontend/flow frontend/GUEST/encoding frontend/GUEST/container "
     "frontend/GUEST/facts"},
    {"frontend/GUEST/interpret",
     "base textures frontend frontend/interpret frontend/GUEST/encoding frontend/GUEST/container "
     "frontend/GUEST/facts"},
    {"frontend/GUEST/translate",
     "base ir textures frontend frontend/encoding frontend/flow frontend/pixels frontend/textures "
     "frontend/GUEST/encoding frontend/GUEST/container frontend/GUEST/facts frontend/GUEST/flow"},
    {"frontend/GUEST",
     "base frontend frontend/interpret frontend/GUEST/encoding frontend/GUEST/container frontend/GUEST/facts "
     "frontend/GUEST/flow frontend/GUEST/interpret frontend/GUEST/translate"},

    {"backend", "base ir pixels"},
    {"runtime/code", "base backend"},
    // Drivers of work get their kernels from a source, which the engine is.
    {"runtime/kernel", "base backend frontend frontend/textures"},
    {"runtime/work",
     "base pixels frontend frontend/interpret frontend/pixels frontend/textures runtime/kernel"},
    {"runtime/engine", "base ir backend frontend runtime/code runtime/kernel runtime/work"},
    {"runtime/api",
     "base runtime/kernel runtime/work runtime/engine frontend/GUEST frontend/GUEST/container "
     "frontend/GUEST/assembly "
     "frontend/GUEST/facts"},

    {"device/pica200",
     "base pixels frontend frontend/interpret frontend/GUEST/* runtime/api runtime/kernel runtime/work "
     "runtime/engine"},
    {"device/GUEST", "base frontend frontend/interpret frontend/GUEST/* runtime/api"},
    {"debug", "base pixels frontend frontend/interpret runtime/work runtime/engine capture"},
    {"capture", "base frontend frontend/GUEST/* device/GUEST runtime/api capture/launch"},
    // What launches hold, and textures that they have copied.
    {"capture/launch",
     "base pixels textures frontend frontend/interpret frontend/textures runtime/work runtime/engine "
     "runtime/api "
     "capture"},
    {"tools/warpjit", "*"},
};

bool lies_in(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string with_guest(std::string_view text, std::string_view guest) {
  std::string result(text);
  for (std::size_t at = 0; (at = result.find(kGuestName, at)) != std::string::npos;)
    result.replace(at, kGuestName.size(), guest);
  return result;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  if (!text.empty()) words.emplace_back();
  for (const char c : text)
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

// A room with its guest, if it has one.
struct Place {
  std::string name;
  std::vector<std::string> may_include;
};
std::optional<Place> room_of(std::string_view path) {
  std::optional<Place> found;
  for (const Room& room : kRooms)
    for (const std::string_view guest : kGuests) {
      const std::string name = with_guest(room.name, guest);
      if (!lies_in(path, name) || (found && name.size() <= found->name.size())) continue;
      found = Place{name, {}};
      for (const std::string& word : words_of(room.may_include))
        for (const std::string_view other : kGuests)
          if (name != room.name ? other == guest
                                : other == kGuests[0] || word.find(kGuestName) != std::string::npos)
            found->may_include.push_back(with_guest(word, other));
    }
  return found;
}

// "src/ir/ir.h" and "frontend/shader.h": what is wrong with that include; nothing if it may be.
std::optional<std::string> refused(const std::string& file, const std::string& include) {
  const std::string path = file.starts_with("src/") ? file.substr(4) : file;
  const auto from = room_of(path);
  if (!from) return file + " lies in no room of tests/base/includes_test.cpp";
  if (lies_in(include, "warpjit") || from->may_include == std::vector{"*"s}) return std::nullopt;
  const auto to = room_of(include);
  if (to && to->name == from->name) return std::nullopt;
  if (to)
    for (const std::string& word : from->may_include) {
      const bool below = word.ends_with("/*") && lies_in(to->name, word.substr(0, word.size() - 2));
      if (below || to->name == word) return std::nullopt;
    }
  std::string message =
      file + " includes \"" + include + "\"; " + from->name + " may include itself, warpjit";
  for (const std::string& word : from->may_include) message += ", " + word;
  return message;
}

// The name between quotes of an include line; empty: the line is another.
std::string included_by(std::string_view line) {
  constexpr std::string_view kStart = "#include \"";
  if (!line.starts_with(kStart)) return {};
  line.remove_prefix(kStart.size());
  return std::string(line.substr(0, line.find('"')));
}

TEST(Includes, KeepToTheLayers) {
  std::size_t lines = 0;
  std::string all;
  for (const std::string_view folder : {"src"sv, "tools"sv})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(source_file(std::string(folder)))) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".inc" && extension != ".c") continue;
      const std::string file = entry.path().lexically_relative(kSourceDir).generic_string();
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) {
        const std::string include = included_by(line);
        if (include.empty()) continue;
        ++lines;
        if (const auto message = refused(file, include)) all += *message + "\n";
      }
    }
  EXPECT_EQ(all, "");
  EXPECT_GT(lines, 1000U) << "where are the sources?";
}

TEST(Includes, WhatBreaksTheLayersIsNamed) {
  const std::string include = included_by("#include \"frontend/tesla/interpret/interpret.h\"");
  EXPECT_EQ(refused("src/frontend/tesla/flow/reach.cpp", include),
            "src/frontend/tesla/flow/reach.cpp includes \"frontend/tesla/interpret/interpret.h\"; "
            "frontend/tesla/flow may include itself, warpjit, base, pixels, frontend, frontend/flow, "
            "frontend/tesla/encoding, frontend/tesla/container, frontend/tesla/facts");
  EXPECT_TRUE(refused("src/frontend/tesla/translate/move.cpp", include));
  EXPECT_TRUE(refused("src/frontend/tesla/interpret/prepare.cpp", "frontend/tesla/flow/lane_order.h"));
  EXPECT_TRUE(refused("src/frontend/tesla/interpret/prepare.cpp", "frontend/flow/states.h"));
  EXPECT_TRUE(refused("src/frontend/tesla/facts/reach.cpp", "frontend/usse/facts/slots.h"));
  EXPECT_TRUE(refused("src/base/bits.h", "ir/function.h"));
  EXPECT_TRUE(refused("src/base/bits.h", "bits.h")) << "no room";
  EXPECT_TRUE(refused("src/nowhere/file.h", "base/bits.h"));
  EXPECT_TRUE(refused("src/backend/cost.h", "frontend/shader.h"));
  EXPECT_TRUE(refused("src/device/usse/scene.cpp", "frontend/valhall/shader.h"));
  EXPECT_FALSE(refused("src/device/usse/scene.cpp", "frontend/usse/facts/slots.h"));
  EXPECT_FALSE(refused("src/base/bits.h", "warpjit/warpjit.hpp"));
  EXPECT_FALSE(refused("src/ir/function.h", "ir/pass/ssa.h"));
}

}  // namespace
}  // namespace warpjit::tests
