#include "capture/neutral.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "capture/section_file.h"
#include "files.h"
#include "picture.h"

namespace warpjit::tool {

namespace {

// Whether a file has a section of a launch, without reading what sections hold.
bool has_launch(std::ifstream& stream) {
  std::array<char, capture::kSectionHeader> header{};
  stream.seekg(capture::kFileHeader);
  while (stream.read(header.data(), header.size())) {
    const capture::FileBytes fields(std::as_bytes(std::span(header)), {});
    const auto kind = static_cast<capture::SectionKind>(fields.word(0));
    if (kind == capture::SectionKind::launch) return true;
    const std::uint64_t size = fields.long_word(8);
    if (kind == capture::SectionKind::end || size > kMaxFileBytes) return false;
    stream.seekg(
        static_cast<std::streamoff>((size + capture::kAlign - 1) / capture::kAlign * capture::kAlign),
        std::ios::cur);
  }
  return false;
}

}  // namespace

bool is_neutral_capture(const std::string& file) {
  std::ifstream stream(path_of(file), std::ios::binary);
  std::array<char, 12> start{};
  if (!stream.read(start.data(), start.size())) return false;
  const auto bytes = std::as_bytes(std::span(start));
  if (capture::version_of(bytes) != capture::kVersion) return false;
  // Frames of these have commands of their own.
  const bool own = bytes[8] == static_cast<std::byte>(capture::FileGuest::pica200) ||
                   bytes[8] == static_cast<std::byte>(capture::FileGuest::valhall);
  return !own || has_launch(stream);
}

Result<Capture> load_neutral_capture(const std::string& file) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(file));
  return Capture::load(bytes, file);
}

std::optional<Image> image_of(const CapturePicture& picture) {
  if (picture.format == PixelFormat::none || picture.width == 0 || picture.height == 0) return std::nullopt;
  const BoundLaunch::Picture pixels{.format = picture.format,
                                    .bytes = {picture.pixels.begin(), picture.pixels.end()}};
  Image image = to_image(pixels, picture.width, picture.height);
  const std::ptrdiff_t row = std::ptrdiff_t{4} * image.width;
  for (std::uint32_t y = 0; y < image.height / 2; ++y)
    std::swap_ranges(image.rgba.begin() + y * row, image.rgba.begin() + (y + 1) * row,
                     image.rgba.begin() + (image.height - 1 - y) * row);
  return image;
}

std::string picture_label(const CapturePicture& picture) {
  std::string label = fmt::format("frame{}_job{}", picture.frame, picture.job);
  if (picture.draw) label += fmt::format("_draw{}", *picture.draw);
  return label + "_" + std::string(picture.name);
}

std::string first_pixel_text(const CapturePicture& picture) {
  if (!picture.compared || !picture.compared->first) return {};
  const std::uint64_t first = *picture.compared->first;
  if (picture.width == 0) return fmt::format(", the first one is {:#x}", first);
  return fmt::format(", the first one at ({}, {})", first % picture.width, first / picture.width);
}

void UnexpectedPictures::see(const CapturePicture& picture) {
  compared_ = compared_ || picture.compared;
  if (!picture.compared || picture.compared->holds()) return;
  if (count_++ >= kMostTold) return;
  Place place{std::string(picture.name), {}, picture.frame, picture.job, {}};
  if (picture.format != PixelFormat::none && picture.width != 0) place.pixel = picture.compared->first;
  place.what =
      fmt::format("{}: {} of {} {} differ by more than is allowed{}", picture_label(picture),
                  picture.compared->beyond, picture.compared->units,
                  picture.format == PixelFormat::none ? "bytes" : "pixels", first_pixel_text(picture));
  places_.push_back(std::move(place));
}

namespace {

// Which draw of a job was the last one to change a pixel of a target.
class PixelHistory final : public CaptureVisitor {
 public:
  PixelHistory(std::string_view target, std::size_t job, std::uint64_t pixel)
      : target_(target), job_(job), pixel_(pixel) {}
  CaptureInterest interest() const override { return {.draws = true, .targets_of_draws = true}; }
  bool picture(const CapturePicture& picture) override {
    if (picture.job != job_ || picture.name != target_ || picture.format == PixelFormat::none) return true;
    if (!picture.draw) return false;
    const std::size_t size = pixel_size(picture.format);
    if (picture.pixels.size() / size <= pixel_) return true;
    const auto bytes = picture.pixels.subspan(static_cast<std::size_t>(pixel_) * size, size);
    if (value_.empty())
      first_ = picture.draw;
    else if (!std::ranges::equal(value_, bytes))
      last_ = picture.draw;
    value_.assign(bytes.begin(), bytes.end());
    return true;
  }
  std::string text() const {
    if (last_) return fmt::format(", which draw {} was the last one to change", *last_);
    // What was there before the first draw is not seen.
    return first_ ? fmt::format(", as draw {} has left it", *first_) : std::string();
  }

 private:
  std::string_view target_;
  std::size_t job_;
  std::uint64_t pixel_;
  std::vector<std::byte> value_;
  std::optional<std::size_t> first_, last_;
};

}  // namespace

std::string UnexpectedPictures::text(const std::function<Status(CaptureVisitor&)>& run) const {
  std::string text;
  for (const Place& place : places_) {
    text += (text.empty() ? "" : "; ") + place.what;
    if (!place.pixel) continue;
    PixelHistory history(place.name, place.job, *place.pixel);
    if (run(history)) text += history.text();
  }
  if (count_ > places_.size()) text += fmt::format("; and {} more", count_ - places_.size());
  return text;
}

std::uint64_t hash_of(const CapturePicture& picture) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : picture.bytes)
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace warpjit::tool
