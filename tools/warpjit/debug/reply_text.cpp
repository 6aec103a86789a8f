// Replies of the debugger, for people.
#include <fmt/core.h>

#include <bit>
#include <functional>
#include <set>

#include "debug/debugger.h"

namespace warpjit::tool {
namespace {

std::string text(const Json& json, const char* key) {
  const Json* const found = json.find(key);
  return found != nullptr && found->is_string() ? found->string() : std::string();
}
std::uint64_t number(const Json& json, const char* key) {
  const Json* const found = json.find(key);
  return found != nullptr ? found->natural() : 0;
}
std::uint32_t word(const Json& json, const char* key) {
  return static_cast<std::uint32_t>(number(json, key));
}

// "000a  vmul.f32 r2.x, r2, r0.xxxx", and the line of the source beside it.
std::string instruction_text(const Json& one) {
  const std::string listed = fmt::format("{:04x}  {}", number(one, "address"), text(one, "text"));
  const Json* const source = one.find("source");
  if (source == nullptr) return listed;
  return fmt::format("{:52}  {}:{}: {}", listed, text(*source, "file"), number(*source, "line"),
                     text(*source, "text"));
}

std::string stop_text(const Json& reply) {
  std::string result;
  const auto line = [&](const std::string& of) { result += of + "\n"; };
  if (reply.contains("last")) {
    std::string changed;
    for (const Json& one : reply["changed"])
      changed += fmt::format("  {} = {}", text(one, "register"), value_text(word(one, "after")));
    line(fmt::format("   {:04x}  {}{}", number(reply["last"], "address"), text(reply["last"], "text"),
                     changed));
  }
  if (reply.contains("happened")) {
    std::string list;
    for (const Json& one : reply["happened"]) list += " " + one.string();
    line("   happened:" + list);
  }
  const std::string reason = text(reply, "reason");
  const std::string where =
      fmt::format("{} ({} of {} steps{})", text(reply, "place"), number(reply, "step"),
                  number(reply, "steps"), reason.empty() || reason == "step" ? "" : "; " + reason);
  line(where);
  if (reply.contains("next")) line("=> " + instruction_text(reply["next"]));
  if (reply.contains("end")) line("   ended: " + text(reply, "end"));
  std::string hints;
  for (const Json& hint : reply["hints"]) hints += (hints.empty() ? "" : " | ") + hint.string();
  if (!hints.empty()) line("   try: " + hints);
  return result;
}

std::string readings_text(const Json& readings) {
  const auto shown = [](const Json& value) {
    return value.is_string() ? value.string() : fmt::format("{:.9g}", value.real());
  };
  std::string bytes;
  for (const Json& byte : readings["bytes"]) bytes += (bytes.empty() ? "" : " ") + byte.dump();
  return fmt::format("{}  float {}  halves {} {}  int {}  bytes {}", readings["hex"].string(),
                     shown(readings["float"]), shown(readings["halves"][0]), shown(readings["halves"][1]),
                     readings["int"].integer(), bytes);
}

// "texel 3,5 of texture 0 (0x7fc00000)"; what is not usual, too: its level, its layer, its part of the sample.
std::string texel_text(const Json& texel) {
  std::string result = fmt::format("texel {},{}", number(texel, "x"), number(texel, "y"));
  for (const char* const key : {"layer", "level"})
    if (number(texel, key) != 0) result += fmt::format(" {} {}", key, number(texel, key));
  result += fmt::format(" of texture {} (", number(texel, "texture"));
  std::string bytes;
  for (const Json& word : texel["value"])
    bytes += fmt::format("{}0x{:x}", bytes.empty() ? "" : " ", word.natural());
  result += bytes + ")";
  if (texel["weight"].real() != 1) result += fmt::format(", weight {:.6g}", texel["weight"].real());
  return result;
}

// Who wrote what memory had.
std::string writer_text(const Json& node) {
  const Json* const writer = node.find("writer");
  if (writer == nullptr) return {};
  const std::string by = text(*writer, "by");
  if (by == "given") return node.contains("texel") ? ", given by the capture" : "";
  if (by == "same draw") return ", stored by another thread of this draw";
  if (by == "draw") return fmt::format(", written by draw {}", number(*writer, "draw"));
  if (by == "unknown") return {};
  return fmt::format(", {} by {}{}",
                     writer->contains("blended") ? "blended"
                     : by == "store"             ? "stored"
                                                 : "written",
                     text(*writer, "place"), by == "fragment" ? " to " + text(*writer, "target") : "");
}

std::string origin_text(const Json& reply) {
  const Json& nodes = reply["nodes"];
  std::string result;
  std::set<std::size_t> shown;
  const std::function<void(std::size_t, unsigned)> show = [&](std::size_t at, unsigned depth) {
    const Json& node = nodes[at];
    const std::string from = text(node, "from");
    const bool again = !shown.insert(at).second;
    result += std::string(2 * std::size_t{depth}, ' ');
    if (node.contains("register")) result += text(node, "register") + " = ";
    if (from == "written")
      result += reply.contains("target") ? text(reply, "target") : "stored";
    else if (from == "texel")
      result += texel_text(node["texel"]);
    else
      result += value_text(word(node, "value"));
    if (from == "start") result += ", there before the first instruction";
    if (from == "uniform") result += ", a uniform";
    if (from == "varying") result += ", interpolated from the primitive's vertices";
    if (from == "undefined") result += ", which nothing has written";
    if (from == "memory")
      result += fmt::format(", loaded from 0x{:x}, where it was before the program", number(node, "memory"));
    result += writer_text(node);
    if (from == "more") result += ", not followed further";
    if (node.contains("text"))
      result += fmt::format("   step {}: {:04x}  {}", number(node, "step"), number(node, "address"),
                            text(node, "text"));
    if (again) {
      result += "  (above)\n";
      return;
    }
    if (from == "computed" && node["of"].empty() && node["special"].boolean()) result += "   <- born here";
    result += "\n";
    for (const Json& of : node["of"]) show(static_cast<std::size_t>(of.natural()), depth + 1);
  };
  if (!nodes.empty()) show(0, 0);
  return result;
}

std::string list_text(const Json& reply) {
  std::string result;
  for (const Json& line : reply["lines"]) {
    if (line.contains("labels"))
      for (const Json& label : line["labels"]) result += label.string() + ":\n";
    result += (line["next"].boolean() ? "=> " : "   ") + instruction_text(line) + "\n";
  }
  return result;
}

std::string where_text(const Json& reply) {
  std::string result = fmt::format("{}: {}\nstep {} of {}, lane {} of {}", text(reply, "place"),
                                   text(reply, "draw"), number(reply, "step"), number(reply, "steps"),
                                   number(reply, "lane"), number(reply, "lanes"));
  if (reply.contains("address"))
    result += fmt::format("; next {:04x}  {}, by lanes 0x{:x}", number(reply, "address"), text(reply, "text"),
                          number(reply, "executing"));
  result += "\n";
  for (const Json& call : reply["calls"])
    result += fmt::format("called in step {} from {}\n", number(call, "step"), instruction_text(call));
  return result;
}

std::string help_text(const Json& reply) {
  std::string result;
  for (const Json& one : reply["commands"]) {
    std::string name = text(one, "name");
    if (!text(one, "short").empty()) name += ", " + text(one, "short");
    result += fmt::format("{:22} {}\n", name + " ", text(one, "does"));
    if (!text(one, "takes").empty())
      result += fmt::format("{:22}   {} {}\n", "", text(one, "name"), text(one, "takes"));
  }
  return result;
}

std::string value_reply_text(const Json& reply) {
  if (reply.contains("holds")) return reply["holds"].boolean() ? "true\n" : "false\n";
  return text(reply, "expression") + ": " + readings_text(reply["readings"]) + "\n";
}

std::string registers_text(const Json& reply) {
  std::string result;
  for (const Json& one : reply["registers"])
    result += fmt::format("{:10} {}{}\n", text(one, "register"), value_text(word(one, "value")),
                          one.contains("before") ? ", was " + value_text(word(one, "before")) : "");
  return result;
}

std::string lanes_text(const Json& reply) {
  std::string result;
  for (const Json& one : reply["lanes"])
    result += fmt::format("{} lane {:2}  {}{}\n", number(one, "lane") == number(reply, "lane") ? "*" : " ",
                          number(one, "lane"), value_text(word(one, "value")),
                          one["executes"].boolean() ? "" : "   does not execute the next instruction");
  return result;
}

std::string picture_text(const Json& reply) {
  return fmt::format("{} before {:04x}: {} pixels from {:.9g} to {:.9g}, {} NaNs, {} infinities{}\n",
                     text(reply, "register"), number(reply, "address"), number(reply, "pixels"),
                     reply["least"].real(), reply["most"].real(), number(reply, "nan"), number(reply, "inf"),
                     reply.contains("file") ? "; " + text(reply, "file") : "");
}

std::string breakpoint_text(const Json& reply) {
  return fmt::format("stop {}: {}\n", number(reply, "number"), text(reply, "text"));
}

std::string breakpoints_text(const Json& reply) {
  std::string result;
  for (const Json& one : reply["breakpoints"])
    result +=
        fmt::format("stop {}: {}, {} hits\n", number(one, "number"), text(one, "text"), number(one, "hits"));
  return result.empty() ? "no stops\n" : result;
}

struct Kind {
  const char* name;
  std::string (*text)(const Json& reply);
};
constexpr Kind kKinds[] = {{"stop", stop_text},
                           {"value", value_reply_text},
                           {"origin", origin_text},
                           {"list", list_text},
                           {"help", help_text},
                           {"registers", registers_text},
                           {"lanes", lanes_text},
                           {"where", where_text},
                           {"picture", picture_text},
                           {"breakpoint", breakpoint_text},
                           {"breakpoints", breakpoints_text}};

}  // namespace

std::string reply_text(const Json& reply) {
  if (reply.contains("error")) return text(reply, "error") + "\n";
  for (const Kind& kind : kKinds)
    if (text(reply, "reply") == kind.name) return kind.text(reply);
  return {};
}

}  // namespace warpjit::tool
