// Any text as a launch file in a folder of three files; what is accepted runs with little fuel.
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "target.h"

namespace {

using namespace warpjit;

constexpr std::string_view kSource =
    ".fvec projection[4]\n.bool flag\n.ivec steps\n.in position\n.out clip position\n.proc main\n"
    " dp4 clip.x, projection[0], position\n mov clip.yzw, position\n end\n.end\n";

constexpr std::string_view kGraphics =
    ".kernel v\n.type vertex\n.attributes 0xff\n.results 0 1 2 3 4\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] "
    "a[0x4]\n"
    "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\nmov b32 o[0x10] a[0x10]\nexit nop\n"
    ".kernel f\n.type fragment\n.interpolants 0x8010401\n.registers 4\ninterp $r0 v[0x4]\nmov b32 $r1 "
    "c0[0x0]\n"
    "set $c0 # l f32 $r0 $r1\n(lg $c0) discard\nexit nop\n";

Result<std::vector<std::byte>> files(const std::string& name) {
  if (name == "a.v.pica") {
    const auto* begin = reinterpret_cast<const std::byte*>(kSource.data());
    return std::vector<std::byte>(begin, begin + kSource.size());
  }
  if (name == "a.tesla") {
    const auto* begin = reinterpret_cast<const std::byte*>(kGraphics.data());
    return std::vector<std::byte>(begin, begin + kGraphics.size());
  }
  if (name == "rows.bin") return std::vector<std::byte>(256, std::byte{0x3f});
  return Error{ErrorCode::io, "no such file", name};
}

}  // namespace

int warpjit::fuzz::fuzz_launch(const std::uint8_t* data, std::size_t size) {
  static const Engine engine;
  auto launch = tool::parse_launch(fuzz::text(data, size), "fuzz.json", files);
  if (!launch) {
    fuzz::require(!launch.error().where.empty(), "an error names the field");
    return 0;
  }
  for (const tool::LaunchInput& input : launch->inputs) {
    const std::uint64_t end = input.offset + (launch->count - 1) * input.stride + warpjit::size(input.format);
    fuzz::require(end <= launch->buffers[input.buffer].bytes.size(), "every row lies in its buffer");
  }
  if (launch->threads() > 64) return 0;
  if (std::uint64_t{launch->pixels.width} * launch->pixels.height > 80 * 80) return 0;
  const bool threads = launch->work != Work::grid && launch->work != Work::pixels;
  if (threads && !tool::set_count(*launch, launch->count + 5)) return 0;
  auto bound = tool::BoundLaunch::make(std::move(*launch));
  if (!bound) return 0;
  RunOptions options;
  options.engine = EngineKind::guest;
  options.threads = 1;
  options.fuel = 16;
  static_cast<void>(engine.run(bound->launch(), options));
  static_cast<void>(tool::check_expectations(*bound));
  engine.clear_cache();
  return 0;
}
