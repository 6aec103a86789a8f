// Any bytes as a capture of the Vita: what is read, written and read again, is the same; then its scenes, if
// they are small, in the guest interpreter. Input: the file.
#include <memory>

#include "capture/usse/scene_frames.h"
#include "capture/usse/scene_sections.h"
#include "target.h"

namespace {

using namespace warpjit;

constexpr std::uint64_t kMostScenePixels = 64 * 64;
constexpr std::size_t kMostIndices = 1024, kMostSteps = 64;

Result<usse::SceneList> read(std::vector<std::byte> bytes, const char* name) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  WARPJIT_TRY(const capture::SectionFile sections, capture::read_sections(*owner, name));
  if (sections.guest != capture::FileGuest::usse) return sections.file.fail(8, "another guest");
  return usse::read_scenes(sections, owner, {.memory = 1 << 20, .loads = 1 << 20});
}

bool is_small(const usse::SceneList& list) {
  if (list.steps.size() > kMostSteps || list.programs.size() > 16) return false;
  for (const usse::SceneStep& step : list.steps) {
    if (const auto* scene = std::get_if<usse::SceneBegin>(&step))
      if (std::uint64_t{scene->color.width} * scene->color.height > kMostScenePixels) return false;
    const auto* draw = std::get_if<usse::DrawData>(&step);
    if (draw == nullptr) continue;
    if (draw->indices.size() / draw->index_bytes > kMostIndices || draw->state.instances > 4) return false;
    for (std::size_t n = 0; n + draw->index_bytes <= draw->indices.size(); n += draw->index_bytes)
      for (std::size_t k = 1; k < draw->index_bytes; ++k)  // numbers of vertices are at most 1023
        if (std::to_integer<unsigned>(draw->indices[n + k]) > (k == 1 ? 3U : 0U)) return false;
  }
  return true;
}

}  // namespace

int warpjit::fuzz::fuzz_usse_capture(const std::uint8_t* data, std::size_t size) {
  if (size > 1 << 18) return 0;
  const auto bytes = fuzz::bytes(data, size);
  auto list = read({bytes.begin(), bytes.end()}, "capture");
  if (!list) {
    fuzz::require(list.error().where.find("byte 0x") != std::string::npos, "an error names its byte");
    return 0;
  }
  std::vector<std::byte> written;
  capture::SectionWriter file(fuzz::append, &written, capture::FileGuest::usse);
  usse::write_scenes(file, *list);
  fuzz::require(file.finish().ok(), "a sink takes all");
  const auto again = read(std::move(written), "written");
  fuzz::require(
      again.ok() && again->scenes == list->scenes && again->programs.size() == list->programs.size(),
      "a capture is read again");
  const auto draws = [](const usse::SceneList& scenes) {
    std::size_t count = 0;
    for (const usse::SceneStep& step : scenes.steps) count += std::holds_alternative<usse::DrawData>(step);
    return count;
  };
  fuzz::require(draws(*again) == draws(*list), "draws are what they were");
  if (!is_small(*list)) return 0;
  struct Watch final : CaptureVisitor {
    CaptureInterest interest() const override { return {true, true, 8}; }
    bool picture(const CapturePicture& picture) override {
      fuzz::require(picture.pixels.size() == pixel_size(picture.format) * picture.width * picture.height,
                    "a picture has all its pixels");
      return true;
    }
  } watch;
  static const Engine engine;
  RunOptions options;
  options.engine = EngineKind::guest;
  options.threads = 1;
  options.fuel = 1000;
  const usse::SceneFrames frames(std::move(*list), "capture");
  const Status done = frames.run(engine, watch, options);
  if (!done) fuzz::require(!done.error().message.empty(), "an error says what is wrong");
  return 0;
}
