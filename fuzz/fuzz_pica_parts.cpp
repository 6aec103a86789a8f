// Any capture of a 3DS without some of its parts: each kind of them, half left out. Input: a .wjcap of version 2.
#include "capture/pica200/scene_frames.h"
#include "capture/pica200/scene_sections.h"
#include "target.h"

namespace {

using namespace warpjit;
using capture::Part;

}  // namespace

int warpjit::fuzz::fuzz_pica_parts(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = fuzz::bytes(data, size);
  const auto owner = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  constexpr std::uint64_t kMost = 1 << 20;
  auto scene = pica200::read_capture(owner, "input", {.memory = kMost, .loads = kMost});
  if (!scene) return 0;
  std::unique_ptr<const capture::Frames> frames =
      std::make_unique<pica200::SceneFrames>(std::move(*scene), "input");
  for (std::size_t kind = 0; kind < capture::kParts; ++kind) {
    const auto part = static_cast<Part>(kind);
    const std::size_t count = frames->parts(part);
    std::vector<bool> left_out(count);
    for (std::size_t n = 0; n < count; n += 2) left_out[n] = true;
    auto less = frames->without(part, left_out);
    if (!less) continue;
    fuzz::require(less->parts(part) <= count, "fewer parts are left");
    std::vector<std::byte> file;
    capture::SectionWriter writer(fuzz::append, &file, capture::FileGuest::pica200);
    fuzz::require(less->write(writer).ok() && writer.finish().ok(), "it can be written");
    fuzz::require(
        pica200::read_capture(std::make_shared<const std::vector<std::byte>>(std::move(file)), "again").ok(),
        "what was written can be read");
    frames = std::move(less);
  }
  return 0;
}
