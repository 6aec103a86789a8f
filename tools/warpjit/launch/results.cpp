#include "launch/results.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "launch/numbers.h"
#include "launch/pixel_results.h"
#include "output.h"

namespace warpjit::tool {

namespace {

constexpr std::uint64_t kShown = 4, kWordsShown = 8, kListed = 64;
constexpr const char* kRest = "(--all prints them, --out and --json give them)";

// A number in a column of numbers.
std::string cell(ComponentType type, std::uint32_t word) {
  if (type == ComponentType::f32) return fmt::format(" {:<14}", std::bit_cast<float>(word));
  return fmt::format(" {:<14}", number_text(type, word));
}

void print_threads(const BoundLaunch& bound, std::uint64_t count) {
  const std::vector<LaunchOutput>& outputs = bound.file().outputs;
  std::size_t width = 0;
  for (const LaunchOutput& output : outputs) width = std::max(width, output.name.size());
  for (std::uint64_t thread = 0; thread < count; ++thread) {
    print_out("thread {}\n", thread);
    for (const LaunchOutput& output : outputs) {
      print_out("  {:{}} ", output.name, width);
      for (unsigned k = 0; k < output.format.components; ++k)
        print_out("{}", cell(output.format.type, bound.word(bound.column(output), thread, k)));
      write_out("\n");
    }
  }
  if (count < bound.threads()) print_out("... and {} more {}\n", bound.threads() - count, kRest);
}

void print_triangles(const BoundLaunch& bound, std::uint64_t count) {
  const std::vector<std::string> registers = bound.vertex_registers();
  for (std::uint64_t n = 0; n < count; ++n) {
    print_out("triangle {}{}\n", n, bound.inverted(n) ? ", inverted" : "");
    for (std::size_t reg = 0; reg < registers.size(); ++reg)
      for (unsigned vertex = 0; vertex < 3; ++vertex) {
        print_out("  {:4}", vertex == 0 ? registers[reg] : "");
        for (unsigned k = 0; k < 4; ++k)
          print_out("{}",
                    cell(ComponentType::f32, bound.triangle(n)[vertex * bound.vertex_words() + 4 * reg + k]));
        write_out("\n");
      }
  }
  if (count < bound.triangle_count())
    print_out("... and {} more triangles\n", bound.triangle_count() - count);
}

void print_range(const BoundLaunch& bound, const LaunchOutput& range, bool all) {
  const std::size_t count = all ? range.count : std::min<std::size_t>(kWordsShown, range.count);
  print_out("{}\n", range.name);
  for (std::size_t k = 0; k < count; ++k)
    print_out("  {:6}  {}\n", k, number_text(range.format.type, bound.word(range, k)));
  if (count < range.count) print_out("  ... and {} more {}\n", range.count - count, kRest);
}

// All words of an output, thread by thread.
template <class Use>
void each_word(const BoundLaunch& bound, const LaunchOutput& output, const Use& use) {
  if (bound.file().work == Work::grid) {
    for (std::size_t k = 0; k < output.count; ++k) use(bound.word(output, k));
    return;
  }
  const ResultColumn& column = bound.column(output);
  for (std::uint64_t thread = 0; thread < bound.threads(); ++thread)
    for (unsigned k = 0; k < output.format.components; ++k) use(bound.word(column, thread, k));
}

Json triangle_json(const BoundLaunch& bound, std::uint64_t n, const std::vector<std::string>& registers) {
  Json triangle{{"inverted", bound.inverted(n)}};
  for (std::size_t reg = 0; reg < registers.size(); ++reg) {
    Json vertices = Json::array();
    for (unsigned vertex = 0; vertex < 3; ++vertex) {
      Json row = Json::array();
      for (unsigned k = 0; k < 4; ++k)
        row.push_back(hex(bound.triangle(n)[vertex * bound.vertex_words() + 4 * reg + k]));
      vertices.push_back(std::move(row));
    }
    triangle[registers[reg]] = std::move(vertices);
  }
  return triangle;
}

}  // namespace

void print_results(const BoundLaunch& bound, const ResultChoice& choice) {
  const bool all = choice.all;
  const auto shown = [&](std::uint64_t count) { return all ? count : std::min(kShown, count); };
  if (bound.file().work == Work::grid) {
    for (const LaunchOutput& range : bound.file().outputs) print_range(bound, range, all);
    return;
  }
  for (const BoundLaunch::Picture& picture : bound.pictures()) {
    const std::uint64_t changed = changed_pixels(bound, picture);
    print_out("{}  {} x {} {}, hash {:#018x}, {} pixels changed\n", BoundLaunch::picture_name(picture.target),
              bound.file().pixels.width, bound.file().pixels.height, name(picture.format), picture.hash(),
              changed);
    print_pixels(bound, picture, {choice.pixels, all, kShown});
    if (choice.pixels.empty() && !all && changed > kShown)
      print_out("  ... and {} more (--pixel X,Y prints one, --all all, --out and --json give them)\n",
                changed - kShown);
  }
  if (bound.row_words() != 0) print_threads(bound, shown(bound.threads()));
  print_triangles(bound, shown(bound.triangle_count()));
}

void add_results(const BoundLaunch& bound, const ResultChoice& choice, Json& json) {
  json["outputs"] = Json::array();
  for (const LaunchOutput& output : bound.file().outputs) {
    Json data = Json::array();
    each_word(bound, output,
              [&](std::uint32_t word) { data.push_back(number_json(output.format.type, word)); });
    json["outputs"].push_back(
        {{"name", output.name}, {"format", warpjit::name(output.format)}, {"data", std::move(data)}});
  }
  for (const BoundLaunch::Picture& picture : bound.pictures())
    json["targets"].push_back(
        {{"name", BoundLaunch::picture_name(picture.target)},
         {"format", warpjit::name(picture.format)},
         {"hash", fmt::format("{:#018x}", picture.hash())},
         {"changed", changed_pixels(bound, picture)},
         {"pixels", pixels_json(bound, picture, {choice.pixels, choice.all, kListed})}});
  if (bound.file().work != Work::primitives) return;
  const std::vector<std::string> registers = bound.vertex_registers();
  json["triangles"] = Json::array();
  for (std::uint64_t n = 0; n < bound.triangle_count(); ++n)
    json["triangles"].push_back(triangle_json(bound, n, registers));
}

std::vector<std::byte> result_bytes(const BoundLaunch& bound) {
  std::vector<std::byte> bytes;
  const auto add = [&](std::uint32_t word) {
    for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(word >> shift));
  };
  for (std::uint64_t thread = 0; thread < bound.threads(); ++thread)
    for (const LaunchOutput& output : bound.file().outputs)
      for (unsigned k = 0; k < output.format.components; ++k)
        add(bound.word(bound.column(output), thread, k));
  for (std::uint64_t n = 0; n < bound.triangle_count(); ++n)
    for (unsigned k = 0; k < bound.triangle_words(); ++k) add(bound.triangle(n)[k]);
  if (bound.file().work == Work::grid)
    for (const LaunchOutput& range : bound.file().outputs) each_word(bound, range, add);
  for (const BoundLaunch::Picture& picture : bound.pictures())
    bytes.insert(bytes.end(), picture.bytes.begin(), picture.bytes.end());
  return bytes;
}

}  // namespace warpjit::tool
