// Places and commands of `warpjit debug`, on small captures. Input: a byte that chooses the capture, a line with the place,
// commands with semicolons or line feeds between them.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "debug/debugger.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "target.h"
#include "warpjit/launch_recorder.hpp"

namespace {

using namespace warpjit;

struct Source {
  const char *launch, *file, *program;
};
// A draw with a vertex stage, a kernel with a loop, a draw with both programs in the launch, rows.
constexpr Source kSources[] = {
    {R"({"warpjit": 1, "isa": "tesla", "stage": "fragment", "count": 3, "program": {"file": "a.tesla"},
         "vertex": {"inputs": {"a0": {"format": "f32x4", "data": [-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1]},
                               "a1": {"format": "f32", "data": [1, -1, 0]}}},
         "targets": {"size": [8, 8], "colors": [{"format": "rgba8"}]}})",
     "a.tesla",
     ".kernel v\n.type vertex\n.attributes 0xff\n.results 0 1 2 3 4\n.registers 8\nmov b32 o[0x0] a[0x0]\n"
     "mov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\nmov b32 $r0 a[0x10]\nrsqrt f32 "
     "$r0 $r0\n"
     "mov b32 o[0x10] $r0\nexit nop\n\n.kernel f\n.type fragment\n.interpolants 0x8010401\n.registers 8\n"
     "interp $r4 v[0x0]\nrcp f32 $r4 $r4\ninterp $r0 v[0x4] $r4\nmov b32 $r5 0.5\nset $c0 # l f32 $r0 $r5\n"
     "(lg $c0) discard\nmul rn f32 $r1 $r0 $r0\nmov b32 $r2 $r1\nmov b32 $r3 1.0\nexit nop\n"},
    {R"({"warpjit": 1, "isa": "valhall", "stage": "compute", "program": {"file": "a.valhall"}, "grid": [2, 1],
         "block": [4, 2], "params": ["0x10000", 0, 1.0, 5],
         "memory": [{"space": "mem", "address": "0x10000", "format": "f32", "data": [1, 2, 3, 0, -1], "size": 256}],
         "outputs": [{"space": "mem", "address": "0x10000", "format": "u32", "count": 4}]})",
     "a.valhall",
     ".stage compute\n  SHADDX.u64 r10, u0, r60.w0, shift:0x2\n  LOAD.i32.unsigned.slot0.wait0 @r0, r10, "
     "offset:0\n"
     "  IADD_IMM.i32 r2, 0x0, #0x0\nloop:\n  FRCP.f32 r1, r0\n  FMA.f32 r4, r0, r1, 0x0.neg\n"
     "  IADD_IMM.i32 r2, r2, #0x1\n  ICMP_OR.u32.lt.m1 r3, r2, r60, 0x0\n  BRANCHZ.reconverge r3.h0, "
     "offset:loop\n"
     "  STORE.i32.slot0.end @r4, r10, offset:0\n"},
    {R"({"warpjit": 1, "isa": "usse", "stage": "fragment", "count": 3, "program": {"file": "a.usse"},
         "uniforms": {"sa0": [1, 0.5, 0, -1]}, "vertex": {"program": {"source": [".stage vertex",
           ".registers pa:8 sa:4 r:8", ".results position texcoord0.xy",
           "phas.imm mode:0, rate:0, wait:7, temps:0, address:0", "vmov.f32 o0.xy, pa0", "vmov.f32 o2.xy, pa2",
           "vrsq.f32.f32 r0.x, pa4.x", "vmul.f32 r2.x, r0, pa4", "vmov.f32 o4.xy, r2", "emit.end"]},
         "inputs": {"pa0": {"format": "f32x4", "data": [-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1]},
                    "pa4": {"format": "f32", "data": [1, 2, 0]}}},
         "targets": {"size": [8, 8], "colors": [{"format": "rgba8"}]}})",
     "a.usse",
     ".stage fragment\n.registers pa:4 sa:4 r:8\n.input texcoord0 f32 1\n.output f16 4 pa:0\n"
     "  phas.imm mode:0, rate:0, wait:7, temps:0, address:0\n  vmul.f32 r0.xy, sa0, pa0.xxxx\n"
     "  vmul.f32 r2.xy, sa2, pa0.xxxx\n  vpck.f16.f32 pa0, r0, r2\n  nop.end\n"},
    {R"({"warpjit": 1, "isa": "pica200", "stage": "vertex", "program": {"file": "a.v.pica"}, "count": 5,
         "uniforms": {"i0": [3, 0, 1, 0], "c5": [1, 2, 3, 4]},
         "inputs": {"v0": {"format": "f32", "data": [1, 0, -1, 4, 5]}}, "outputs": {"result": {}}})",
     "a.v.pica",
     ".out result position\n.proc main\nmov r0, v0.x\nfor i0\nrsq r1, r0.x\nadd r0, c5, r0\n.end\nlg2 r2, "
     "v0.x\n"
     "mul result, r1, r2\nend\n.end\n"}};

Capture capture_of(const Source& source) {
  const Engine engine;
  const auto files = [&](const std::string& name) -> Result<std::vector<std::byte>> {
    if (name != source.file) return Error{ErrorCode::io, "no such file", name};
    const std::string_view text = source.program;
    const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
    return std::vector<std::byte>(begin, begin + text.size());
  };
  auto file = tool::parse_launch(source.launch, "a.json", files);
  if (!file) std::fprintf(stderr, "%s\n", to_string(file.error()).c_str());
  fuzz::require(file.ok(), "the launch can be read");
  auto bound = tool::BoundLaunch::make(std::move(*file));
  fuzz::require(bound.ok(), "the launch can be bound");
  bound->clear();
  std::vector<std::byte> bytes;
  LaunchRecorder recorder(fuzz::append, &bytes);
  fuzz::require(recorder.run(engine, bound->launch()).ok() && recorder.finish().ok(), "the launch runs");
  auto capture = Capture::load(bytes, source.file);
  fuzz::require(capture.ok(), "what was recorded can be read");
  return std::move(*capture);
}

// Commands that take long run a few times: the frame up to another place, or all of it. Files are not written.
struct Limits {
  unsigned commands = 32, runs = 6;
};
bool is_allowed(std::string_view command, Limits& left) {
  const std::size_t first = command.find_first_not_of(" \t\r");
  if (first == std::string_view::npos || left.commands == 0) return false;
  --left.commands;
  command.remove_prefix(first);
  const bool writes = command.starts_with("pi");
  if (writes || command.starts_with("g") || command.starts_with("u")) {
    if (left.runs == 0) return false;
    --left.runs;
  }
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  return !writes || std::ranges::count_if(command, is_blank) <= 1;
}

}  // namespace

int warpjit::fuzz::fuzz_debug(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 2048) return 0;
  static std::array<std::optional<Capture>, std::size(kSources)> captures;
  const std::size_t which = data[0] % std::size(kSources);
  if (!captures[which]) captures[which].emplace(capture_of(kSources[which]));
  std::string_view text = fuzz::text(data + 1, size - 1);
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));

  const auto is_plain = [](std::string_view message) {
    return std::ranges::none_of(message, [](char c) { return static_cast<unsigned char>(c) < 32; });
  };
  const auto place = DebugPlace::parse(line);
  if (!place) {
    fuzz::require(!place.error().message.empty() && is_plain(to_string(place.error())),
                  "an error says what is wrong, without control characters");
    return 0;
  }
  const auto again = DebugPlace::parse(place->text());
  fuzz::require(again.ok() && again->text() == place->text(), "a place's text is that place");

  DebugOptions options;
  options.run.engine = EngineKind::guest;
  options.run.fuel = 64;
  auto session = DebugSession::open(*captures[which], options);
  fuzz::require(session.ok(), "sessions open");
  if (const Status gone = session->go(*place); !gone) {
    fuzz::require(!gone.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  fuzz::require(session->difference().empty(), "the interpreter agrees with itself");
  tool::Debugger debugger(*captures[which], std::move(*session));
  const auto show = [&](const tool::Json& reply) {
    fuzz::require(reply.contains("reply") || reply.contains("error"), "each command has a reply");
    fuzz::require(is_plain(reply.dump()), "JSON has no control characters");
    static_cast<void>(tool::reply_text(reply));
  };
  show(debugger.start());
  Limits left;
  while (!text.empty() && !debugger.has_ended()) {
    const std::size_t end = std::min(text.find_first_of(";\n"), text.size());
    const std::string_view command = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_allowed(command, left)) show(debugger.run(command));
  }
  fuzz::require(debugger.session().place().step <= debugger.session().steps(), "it stands at a step");
  return 0;
}
