// warpjit history: every fragment that met a pixel, in order, and what became of it.
#include <fmt/core.h>

#include <array>
#include <bit>

#include "debug/debug_input.h"
#include "output.h"

namespace warpjit::tool {
namespace {

using Row = DebugHistoryRow;
using Fate = DebugHistoryRow::Fate;

struct HistoryOptions {
  DebugInput input;
  std::vector<std::uint32_t> pixel;
  std::string target = "color0";
  bool json = false;
};

constexpr int kHistoryVersion = 1;

Result<unsigned> target_of(const std::string& text) {
  if (text == "depth") return DebugHistory::kDepth;
  for (unsigned n = 0; n < kMaxColorTargets; ++n)
    if (text == "color" + std::to_string(n)) return n;
  return Error{ErrorCode::bad_input, text + " is no target; these are: color0 to color7, depth", "--target"};
}

const char* text_of(Compare compare) {
  constexpr const char* kNames[] = {"never",   "less",      "equal",         "less equal",
                                    "greater", "not equal", "greater equal", "always"};
  return kNames[static_cast<std::size_t>(compare)];
}

// How the words of values are meant.
enum class Values : std::uint8_t { floats, integers, depth };
Values values_of(const HistoryOptions& options, const Row& row) {
  if (options.target == "depth") return Values::depth;
  return is_integer(row.format) ? Values::integers : Values::floats;
}

// JSON has no NaN and no infinity: they are text.
Json number_json(std::uint32_t bits) {
  const auto value = std::bit_cast<float>(bits);
  if (value - value == 0) return value;
  return fmt::format("{}", value);
}

Json values_json(Values kind, const std::array<std::uint32_t, 4>& values) {
  if (kind == Values::depth) return Json::array({number_json(values[0]), values[1]});
  Json list = Json::array();
  for (const std::uint32_t value : values)
    list.push_back(kind == Values::integers ? Json(value) : number_json(value));
  return list;
}

// The pixel's bytes as one number.
std::string bits_text(const Row& row, const Row::Pixel& pixel) {
  std::string text;
  for (unsigned n = (row.bytes + 3) / 4; n-- != 0;)
    text += fmt::format("{:0{}x}", pixel.bits[n], 2 * std::min(row.bytes - 4 * n, 4U));
  return "0x" + text;
}

Json pixel_json(const HistoryOptions& options, const Row& row, const Row::Pixel& pixel) {
  return {{"bits", bits_text(row, pixel)}, {"values", values_json(values_of(options, row), pixel.values)}};
}

Json test_json(const Row::Test& test, bool floats) {
  return {{"value", floats ? number_json(test.value) : Json(test.value)},
          {"compare", text_of(test.compare)},
          {"stored", floats ? number_json(test.stored) : Json(test.stored)}};
}

Json row_json(const HistoryOptions& options, const DebugHistory& history, std::size_t n) {
  const Row& row = history.rows()[n];
  Json json{{"row", n},       {"fate", name(row.fate)}, {"draw", row.draw}, {"what", history.what(row.draw)},
            {"job", row.job}, {"frame", row.frame}};
  const auto place = history.place(n);
  if (place) json["place"] = place->text();
  if (row.fate != Fate::changed) {
    json["instance"] = row.instance;
    json["primitive"] = row.primitive;
  }
  if (row.is_miss()) json["primitives"] = row.primitives;
  if (row.is_fragment()) {
    json["part"] = row.part;
    json["facing"] = row.front_facing ? "front" : "back";
    if (row.fragment) json["fragment"] = *row.fragment;
    if (row.instructions != 0) json["instructions"] = row.instructions;
    Json tests = Json::object();
    if (row.alpha.on) tests["alpha"] = test_json(row.alpha, true);
    if (row.stencil.on) tests["stencil"] = test_json(row.stencil, false);
    if (row.depth.on) tests["depth"] = test_json(row.depth, true);
    if (!tests.empty()) json["tests"] = std::move(tests);
    if (row.gives_color && options.target != "depth")
      json["color"] = values_json(values_of(options, row), row.color);
  }
  if (row.bytes != 0 && !row.is_miss()) {
    json["surface"] = row.surface;
    json["format"] = row.format == PixelFormat::none ? "own" : name(row.format);
    json["before"] = pixel_json(options, row, row.before);
    json["after"] = pixel_json(options, row, row.after);
  }
  if (row.overwritten) json["overwritten"] = *row.overwritten;
  return json;
}

Json history_json(const HistoryOptions& options, const DebugHistory& history) {
  Json rows = Json::array();
  for (std::size_t n = 0; n < history.rows().size(); ++n) rows.push_back(row_json(options, history, n));
  Json json{{"warpjit_history", kHistoryVersion},
            {"pixel", options.pixel},
            {"target", options.target},
            {"draws", history.draws()},
            {"observed", history.observed()},
            {"rows", std::move(rows)},
            {"agrees", history.difference().empty()}};
  if (!history.difference().empty()) json["difference"] = history.difference();
  if (!history.end().ok()) json["error"] = message_of(history.end().error());
  return json;
}

std::string values_text(Values kind, const std::array<std::uint32_t, 4>& values) {
  const auto number = [](std::uint32_t bits) { return fmt::format("{:.6g}", std::bit_cast<float>(bits)); };
  if (kind == Values::depth) return number(values[0]) + " stencil " + std::to_string(values[1]);
  std::string text;
  for (const std::uint32_t value : values)
    text += (text.empty() ? "" : " ") + (kind == Values::integers ? std::to_string(value) : number(value));
  return text;
}

std::string test_text(const char* what, const Row::Test& test, bool floats) {
  const auto number = [&](std::uint32_t value) {
    return floats ? fmt::format("{:.9g}", std::bit_cast<float>(value)) : std::to_string(value);
  };
  return fmt::format("{} {} {} {}", what, number(test.value), text_of(test.compare), number(test.stored));
}

// Why, in words.
std::string reason_of(const Row& row) {
  switch (row.fate) {
    case Fate::early_stencil:
    case Fate::stencil:
      return "not " + test_text("stencil", row.stencil, false);
    case Fate::early_depth:
    case Fate::depth:
      return "not " + test_text("depth", row.depth, true);
    case Fate::alpha:
      return "not " + test_text("alpha", row.alpha, true);
    case Fate::discarded:
      return "by the program";
    case Fate::masked:
      return row.bytes == 0 ? "the draw does not have the target" : "nothing of the target is written";
    case Fate::changed:
      return "not by a draw that is seen";
    default:
      return row.is_miss() && row.primitives != 1 ? fmt::format("{} primitives", row.primitives) : "";
  }
}

void print_row(const HistoryOptions& options, const DebugHistory& history, std::size_t n) {
  const Row& row = history.rows()[n];
  const auto place = history.place(n);
  const std::string where = place                       ? place->text()
                            : row.fate == Fate::changed ? fmt::format("before draw {}", row.draw)
                                                        : fmt::format("draw {}", row.draw);
  std::string line = fmt::format("{:>4}  {:<38}", n, where);
  if (row.fate != Fate::changed) line += fmt::format(" primitive {:<6}", row.primitive);
  line += std::string(" ") + name(row.fate);
  if (const std::string reason = reason_of(row); !reason.empty()) line += ": " + reason;
  const Values kind = values_of(options, row);
  if (row.gives_color && options.target != "depth" && row.is_fragment())
    line += fmt::format("; gives {}", values_text(kind, row.color));
  if (row.bytes != 0 && !row.is_miss()) {
    line += fmt::format("; {}", values_text(kind, row.before.values));
    line +=
        row.before == row.after ? " stays" : fmt::format(" becomes {}", values_text(kind, row.after.values));
  }
  if (row.overwritten) line += fmt::format("; overwritten by row {}", *row.overwritten);
  print_out("{}\n", line);
}

int run_history(const HistoryOptions& options) {
  if (options.pixel.size() != 2)
    return fail(Error{ErrorCode::bad_input, "--pixel takes a column and a row, as 120,88", "--pixel"});
  const auto target = target_of(options.target);
  if (!target) return fail(target.error());
  const auto capture = load_any_capture(options.input.file);
  if (!capture) return fail(capture.error());
  const auto history =
      DebugHistory::make(*capture, options.pixel[0], options.pixel[1], *target, options.input.options());
  if (!history) return fail(history.error());
  if (options.json) {
    print_json(history_json(options, *history));
  } else {
    print_out("pixel {},{} of {}: {} rows; {} of {} draws have the pixel\n", options.pixel[0],
              options.pixel[1], options.target, history->rows().size(), history->observed(),
              history->draws());
    for (std::size_t n = 0; n < history->rows().size(); ++n) print_row(options, *history, n);
    if (!history->difference().empty())
      print_out("differs from compiled code: {}\n", history->difference());
    else if (!options.input.unchecked)
      print_out("as compiled code\n");
  }
  if (!history->end().ok()) return fail(history->end().error());
  return history->difference().empty() ? kOk : kMismatch;
}

}  // namespace

void add_history(Command& app) {
  const auto options = std::make_shared<HistoryOptions>();
  Command command = app.add_command("history", "Print what met a pixel, draw by draw, and what became of it");
  options->input.add_file_to(command);
  command.option("--pixel", options->pixel, "column and row in the target's picture: 120,88")
      .required()
      .separated_by_commas();
  command.option("--target", options->target, "color0 to color7, or depth").show_default();
  options->input.add_run_to(command);
  add_timeout(command);
  command.flag("--json", options->json, "print JSON (docs/debugging.md)");
  command.footer(
      "Examples:\n"
      "  warpjit history frame.wjcap --pixel 120,88\n"
      "  warpjit history scene.json --pixel 10,20 --target depth --json");
  command.action([options] { return run_history(*options); });
}

}  // namespace warpjit::tool
