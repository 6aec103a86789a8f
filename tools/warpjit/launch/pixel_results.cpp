#include "launch/pixel_results.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/bits.h"
#include "frontend/interpret/pixels/format.h"
#include "launch/numbers.h"
#include "launch/pixel_fields.h"
#include "launch/words.h"
#include "output.h"

namespace warpjit::tool {
namespace {

using interpret::Component;
using interpret::Encoding;

// A component as it is listed: a word and what it is.
struct Listed {
  ComponentType type;
  std::uint32_t word;
};
Listed listed(bool is_depth, const Component& component, const interpret::PixelWords& pixel) {
  const std::uint32_t bits = interpret::extract(component, pixel);
  const bool number = component.encoding == Encoding::half || component.encoding == Encoding::small ||
                      component.encoding == Encoding::word ||
                      (component.encoding == Encoding::unorm && is_depth);
  if (number) return {ComponentType::f32, interpret::decode(component, bits)};
  if (component.encoding == Encoding::signed_ || component.encoding == Encoding::snorm)
    return {ComponentType::s32, static_cast<std::uint32_t>(sign_extend(bits, component.width))};
  return {ComponentType::u32, bits};
}

std::vector<Listed> components(const BoundLaunch& bound, const BoundLaunch::Picture& picture,
                               std::array<std::uint32_t, 2> place) {
  const interpret::FormatInfo& format = interpret::format_info(picture.format);
  const std::size_t at = (std::size_t{place[1]} * bound.file().pixels.width + place[0]) * format.bytes;
  const interpret::PixelWords pixel = interpret::load_pixel(picture.bytes.data() + at, format.bytes);
  std::vector<Listed> list;
  for (const Component& component : format.components) {
    if (component.encoding == Encoding::none) continue;
    list.push_back(listed(is_depth(picture.format) && list.empty(), component, pixel));
  }
  return list;
}

// Calls use(place) for the pixels that differ from the clear value until it returns false.
template <class Use>
void each_changed(const BoundLaunch& bound, const BoundLaunch::Picture& picture, const Use& use) {
  const std::vector<std::byte> clear = bound.cleared_pixel(picture);
  const std::uint32_t width = bound.file().pixels.width;
  for (std::size_t at = 0, n = 0; at < picture.bytes.size(); at += clear.size(), ++n)
    if (std::memcmp(picture.bytes.data() + at, clear.data(), clear.size()) != 0)
      if (!use({static_cast<std::uint32_t>(n % width), static_cast<std::uint32_t>(n / width)})) return;
}

std::vector<std::array<std::uint32_t, 2>> chosen(const BoundLaunch& bound,
                                                 const BoundLaunch::Picture& picture,
                                                 const PixelChoice& choice) {
  if (!choice.places.empty()) return choice.places;
  std::vector<std::array<std::uint32_t, 2>> places;
  if (choice.all) {
    for (std::uint32_t y = 0; y < bound.file().pixels.height; ++y)
      for (std::uint32_t x = 0; x < bound.file().pixels.width; ++x) places.push_back({x, y});
  } else if (choice.most != 0) {
    each_changed(bound, picture, [&](std::array<std::uint32_t, 2> place) {
      places.push_back(place);
      return places.size() < choice.most;
    });
  }
  return places;
}

// ---- Why nothing changed

struct CountText {
  std::uint64_t DrawCounts::*count;
  const char* key;
  const char* text;
};
constexpr CountText kPrimitives[] = {
    {&DrawCounts::missing, "missing", "with an index that names no vertex"},
    {&DrawCounts::not_finite, "not_finite", "with a position that is NaN or infinite"},
    {&DrawCounts::outside, "outside", "clipped: outside of the view volume or of a clip or cull distance"},
    {&DrawCounts::culled, "culled", "culled by the side that is seen"},
    {&DrawCounts::empty, "empty", "without area or size"},
    {&DrawCounts::beside, "beside", "around which no pixel's centre lies in the targets and the scissor"}};
constexpr CountText kFragments[] = {
    {&DrawCounts::discarded, "discarded", "discarded by the program"},
    {&DrawCounts::alpha_failed, "alpha_failed", "rejected by the alpha test"},
    {&DrawCounts::stencil_failed, "stencil_failed", "rejected by the stencil test"},
    {&DrawCounts::depth_failed, "depth_failed", "rejected by the depth test"}};

// "12 clipped, 3 culled"; the rest of `whole` as `others`.
std::string count_list(std::span<const CountText> rows, const DrawCounts& counts, std::uint64_t whole,
                       const char* others) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
    whole -= std::min(count, whole);
  };
  for (const CountText& row : rows) add(counts.*row.count, row.text);
  add(whole, others);
  return text;
}

// Asks a run to stop after a time.
class TimeLimit {
 public:
  explicit TimeLimit(std::chrono::milliseconds time) {
    try {
      thread_ = std::thread([this, time] {
        std::unique_lock lock(mutex_);
        if (!done_.wait_for(lock, time, [this] { return is_done_; })) cancel_ = 1;
      });
    } catch (const std::system_error&) {  // no thread, no time
      cancel_ = 1;
    }
  }
  ~TimeLimit() {
    {
      const std::lock_guard lock(mutex_);
      is_done_ = true;
    }
    done_.notify_one();
    if (thread_.joinable()) thread_.join();
  }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  const std::atomic<std::uint32_t>* cancel() const { return &cancel_; }

 private:
  std::atomic<std::uint32_t> cancel_{0};
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::thread thread_;  // the last one: it uses the others
};

// What the guest interpreter counts of the same draw, over memory of its own. Nothing: it takes too long.
std::optional<DrawCounts> count_fragments(const BoundLaunch& bound) {
  constexpr std::chrono::milliseconds kMost(1000);
  auto again = BoundLaunch::make(bound.file());
  if (!again) return std::nullopt;
  const Engine engine;
  const TimeLimit limit(kMost);
  RunOptions options;
  options.engine = EngineKind::guest;
  options.cancel = limit.cancel();
  const auto report = again->run(engine, options);
  if (!report) return std::nullopt;
  return report->draw;
}

}  // namespace

Result<std::array<std::uint32_t, 2>> parse_place(const std::string& text, std::uint32_t width,
                                                 std::uint32_t height) {
  std::array<std::uint32_t, 2> place{};
  const char *at = text.data(), *const end = text.data() + text.size();
  bool good = true;
  for (std::size_t k = 0; k < 2 && good; ++k) {
    const auto [stop, error] = std::from_chars(at, end, place[k]);
    good = error == std::errc() && (k == 0 ? stop != end && *stop == ',' : stop == end);
    at = k == 0 && good ? stop + 1 : stop;
  }
  if (!good || place[0] >= width || place[1] >= height)
    return Error{ErrorCode::bad_input,
                 fmt::format("'{}' is no pixel of the targets: column and row, from 0,0 to {},{}", text,
                             width - 1, height - 1),
                 "--pixel"};
  return place;
}

std::uint64_t changed_pixels(const BoundLaunch& bound, const BoundLaunch::Picture& picture) {
  std::uint64_t count = 0;
  each_changed(bound, picture, [&](std::array<std::uint32_t, 2>) {
    ++count;
    return true;
  });
  return count;
}

void print_pixels(const BoundLaunch& bound, const BoundLaunch::Picture& picture, const PixelChoice& choice) {
  for (const std::array<std::uint32_t, 2> place : chosen(bound, picture, choice)) {
    std::string line = fmt::format("  {:12}", fmt::format("({}, {})", place[0], place[1]));
    for (const Listed& one : components(bound, picture, place))
      line += one.type == ComponentType::f32 ? fmt::format(" {:<14}", std::bit_cast<float>(one.word))
                                             : fmt::format(" {:<5}", number_text(one.type, one.word));
    line.erase(line.find_last_not_of(' ') + 1);
    print_out("{}\n", line);
  }
}

Json pixels_json(const BoundLaunch& bound, const BoundLaunch::Picture& picture, const PixelChoice& choice) {
  Json list = Json::array();
  for (const std::array<std::uint32_t, 2> place : chosen(bound, picture, choice)) {
    Json value = Json::array();
    for (const Listed& one : components(bound, picture, place))
      value.push_back(number_json(one.type, one.word));
    list.push_back({{"x", place[0]}, {"y", place[1]}, {"value", std::move(value)}});
  }
  return list;
}

Json draw_json(const DrawCounts& counts) {
  Json json{{"primitives", counts.primitives}};
  for (const CountText& row : kPrimitives) json[row.key] = counts.*row.count;
  if (counts.covered == 0) return json;
  json["covered"] = counts.covered;
  for (const CountText& row : kFragments) json[row.key] = counts.*row.count;
  return json;
}

std::string unchanged_note(const BoundLaunch& bound, const Report& report) {
  for (const BoundLaunch::Picture& picture : bound.pictures()) {
    bool changed = false;
    each_changed(bound, picture, [&](std::array<std::uint32_t, 2>) {
      changed = true;
      return false;
    });
    if (changed) return {};
  }
  const DrawCounts& counts = report.draw;
  const bool counted = report.engine == EngineKind::guest;
  if (counts.primitives == 0) return "nothing is drawn: the vertices make no primitive";
  if (counted ? counts.covered == 0 : report.groups == 0)
    return fmt::format("no pixel is covered; of {} primitive{}: {}", counts.primitives,
                       counts.primitives == 1 ? "" : "s",
                       count_list(kPrimitives, counts, counts.primitives, "between the centres of pixels"));
  const std::optional<DrawCounts> fragments = counted ? std::optional(counts) : count_fragments(bound);
  if (!fragments)
    return "no pixel of a target changed: the program discarded, tests rejected, or write masks kept what "
           "was covered, or that wrote what was there (--engine guest counts them)";
  return fmt::format("no pixel of a target changed; of {} that were covered: {}", fragments->covered,
                     count_list(kFragments, *fragments, fragments->covered,
                                "passed, and wrote what was there or no component of it"));
}

}  // namespace warpjit::tool
