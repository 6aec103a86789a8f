#include "regress/run_capture.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "capture/section_file.h"
#include "files.h"
#include "picture.h"
#include "regress/sha256.h"

namespace warpjit::tool {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostDraws = std::size_t{1} << 16;  // whose targets are kept as hashes
constexpr std::size_t kMostTargets = 64;                  // of a capture without outputs

// What may be expected to be the same picture in another run, but for its place among equal ones.
using PictureKey = std::tuple<std::string, std::uint64_t, std::uint64_t>;
PictureKey key_of(const RunPicture& picture) { return {picture.name, picture.frame, picture.job}; }

// Several captures may leave the same picture: whoever comes first writes it.
Status write_once(const RunWants& wants, const fs::path& folder, const std::string& name,
                  const Image& image) {
  const fs::path path = folder / name;
  std::error_code ignored;
  if (fs::exists(path, ignored)) return {};
  const std::vector<std::byte> bytes = write_png(image);
  const std::lock_guard lock(*wants.files);
  if (fs::exists(path, ignored)) return {};
  return write_picture(name_of(path), bytes);
}

RunError plain(const Error& error) {
  return {name(error.code), text::visible(error.where), text::visible(error.message)};
}

// A target that was seen last, with all that its view points to.
struct KeptTarget {
  std::string name;
  std::vector<std::byte> pixels, bytes;
  CapturePicture view;
};

class Comparison final : public CaptureVisitor {
 public:
  Comparison(const RunWants& wants, CaptureRun& run, const RunResult* before)
      : wants_(wants), run_(run), before_(before), targets_(wants.draws) {
    if (before_ == nullptr) return;
    for (std::size_t n = 0; n < before_->pictures.size(); ++n)
      expected_[key_of(before_->pictures[n])].push_back(n);
    found_.resize(before_->pictures.size());
  }

  CaptureInterest interest() const override { return {targets_, targets_}; }

  bool picture(const CapturePicture& picture) override {
    if (picture.draw) {
      keep(picture);
      return true;
    }
    any_ = true;
    status_ = add(picture);
    return status_.ok();
  }

  // A capture without outputs: its targets, as the last draw that may write each left them.
  bool needs_targets() const { return !any_ && !targets_; }
  void take_targets() { targets_ = true; }
  Status add_targets() {
    if (any_) return {};
    for (KeptTarget& target : kept_) {
      target.view.name = target.name;
      target.view.pixels = target.pixels;
      target.view.bytes = target.bytes;
      WARPJIT_CHECK(add(target.view));
    }
    return {};
  }

  // Those that the baseline alone has.
  void add_missing() {
    for (std::size_t n = 0; n < found_.size(); ++n) {
      if (found_[n]) continue;
      PictureRow& row = run_.row.pictures.emplace_back();
      row.picture = before_->pictures[n];
      row.before = row.picture.hash;
      row.verdict = Verdict::missing;
    }
  }

  const Status& status() const { return status_; }

 private:
  void keep(const CapturePicture& picture) {
    if (wants_.draws && run_.result.draws.size() < kMostDraws)
      run_.result.draws.push_back({*picture.draw, text::visible(picture.name), sha256(picture.bytes)});
    const std::string name = text::visible(picture.name) + " at " + capture::hex_text(picture.address);
    auto found = std::ranges::find(kept_, name, &KeptTarget::name);
    if (found == kept_.end()) {
      if (kept_.size() == kMostTargets) return;
      found = kept_.insert(kept_.end(), KeptTarget{name, {}, {}, {}});
    }
    found->view = picture;
    found->pixels.assign(picture.pixels.begin(), picture.pixels.end());
    found->bytes.assign(picture.bytes.begin(), picture.bytes.end());
  }

  // The baseline's picture that this one should be.
  const RunPicture* expected(const RunPicture& picture) {
    const auto found = expected_.find(key_of(picture));
    if (found == expected_.end()) return nullptr;
    std::size_t& seen = seen_[found->first];
    if (seen == found->second.size()) return nullptr;
    const std::size_t n = found->second[seen++];
    found_[n] = true;
    return &before_->pictures[n];
  }

  Status add(const CapturePicture& picture) {
    RunPicture now;
    now.name = text::visible(picture.name);
    now.frame = picture.frame;
    now.job = picture.job;
    now.format = name(picture.format);
    now.width = picture.width;
    now.height = picture.height;
    now.hash = sha256(picture.bytes);
    if (picture.compared) now.as_expected = picture.compared->holds();
    const RunPicture* const before = expected(now);
    PictureRow row;
    row.picture = now;
    row.verdict = before == nullptr          ? Verdict::added
                  : before->hash == now.hash ? Verdict::same
                                             : Verdict::differs;
    if (before != nullptr && row.verdict == Verdict::differs) row.before = before->hash;
    const bool reported = row.verdict != Verdict::same && !wants_.report.empty();
    std::optional<Image> image;
    if (reported || !wants_.saved.empty()) image = shown_picture(picture);
    if (image && !wants_.saved.empty())
      WARPJIT_CHECK(write_once(wants_, wants_.saved, picture_file(now.hash), *image));
    if (image && reported) WARPJIT_CHECK(write_once(wants_, wants_.report, picture_file(now.hash), *image));
    if (row.verdict == Verdict::differs)
      WARPJIT_CHECK(compare(row, *before, image ? *image : Image(), reported));
    run_.result.pictures.push_back(std::move(now));
    run_.row.pictures.push_back(std::move(row));
    return {};
  }

  // With the baseline's picture, if there is one. What is wrong with its file is a note.
  Status compare(PictureRow& row, const RunPicture& before, const Image& after, bool reported) {
    if (before.width != row.picture.width || before.height != row.picture.height ||
        before.format != row.picture.format)
      row.note = "was " + std::to_string(before.width) + " x " + std::to_string(before.height) +
                 " pixels of " + before.format;
    if (wants_.baseline->pictures.empty() || after.rgba.empty() || before.width == 0) return {};
    const fs::path path = wants_.baseline->pictures / picture_file(before.hash);
    const std::string name = std::string(kPicturesFolder) + "/" + picture_file(before.hash);
    const auto unreadable = [&](const Error& error) {
      row.note +=
          (row.note.empty() ? "" : "; ") + ("the baseline's picture: " + text::visible(error.message));
      return Status();
    };
    const auto bytes = read_file(path, kMaxFileBytes);
    if (!bytes) return unreadable(bytes.error());
    auto image = read_png(*bytes, name, std::uint64_t{before.width} * before.height);
    if (!image) return unreadable(image.error());
    if (reported) WARPJIT_CHECK(write_once(wants_, wants_.report, picture_file(before.hash), *image));
    if (image->width != after.width || image->height != after.height) return {};
    const Difference difference = compare_images(*image, after);
    row.pixels = difference.pixels;
    row.largest = difference.largest;
    if (difference.pixels == 0) row.note = "the pictures look the same: what differs is alpha, or not shown";
    if (!reported) return {};
    return write_once(wants_, wants_.report, difference_file(before.hash, row.picture.hash),
                      difference.image);
  }

  const RunWants& wants_;
  CaptureRun& run_;
  const RunResult* before_;
  bool targets_, any_ = false;
  std::map<PictureKey, std::vector<std::size_t>> expected_;
  std::map<PictureKey, std::size_t> seen_;
  std::vector<bool> found_;  // of the baseline's pictures
  std::vector<KeptTarget> kept_;
  Status status_;
};

// Finds the first draw whose targets are not the baseline's.
class DrawSearch final : public CaptureVisitor {
 public:
  DrawSearch(const RunWants& wants, CaptureRow& row, const std::vector<RunDraw>& before)
      : wants_(wants), row_(row), before_(before) {}

  CaptureInterest interest() const override { return {true, true}; }
  bool draw(const CaptureDraw& draw) override {
    what_ = text::visible(draw.what);
    return true;
  }
  bool picture(const CapturePicture& picture) override {
    if (!picture.draw) return true;
    const RunDraw now{*picture.draw, text::visible(picture.name), sha256(picture.bytes)};
    if (next_ < before_.size() && before_[next_] == now) return ++next_, true;
    if (next_ == kMostDraws) return false;
    DrawRow& found = row_.draw.emplace();
    found.draw = now.draw;
    found.target = now.target;
    found.what = what_;
    found.after = now.hash;
    if (next_ < before_.size() && before_[next_].draw == now.draw && before_[next_].target == now.target)
      found.before = before_[next_].hash;
    if (!wants_.report.empty())
      if (const auto image = shown_picture(picture))
        status_ = write_once(wants_, wants_.report, picture_file(now.hash), *image);
    return false;
  }
  // The baseline has more draws.
  void finish() {
    if (row_.draw || next_ >= before_.size()) return;
    row_.draw =
        DrawRow{before_[next_].draw, before_[next_].target, "is not there any more", before_[next_].hash, ""};
  }
  const Status& status() const { return status_; }

 private:
  const RunWants& wants_;
  CaptureRow& row_;
  const std::vector<RunDraw>& before_;
  std::size_t next_ = 0;
  std::string what_;
  Status status_;
};

Verdict verdict_of(const CaptureRun& run, const RunResult* before) {
  if (run.result.error) {
    if (before != nullptr && before->error == run.result.error) return Verdict::same;
    return Verdict::error;
  }
  if (before == nullptr) return Verdict::added;
  if (before->error) return Verdict::differs;
  const auto same = [](const PictureRow& row) { return row.verdict == Verdict::same; };
  return std::ranges::all_of(run.row.pictures, same) ? Verdict::same : Verdict::differs;
}

// What is wrong with the capture is its result's error.
Status run_loaded(const Engine& engine, const Capture& capture, const RunWants& wants,
                  const RunResult* before, CaptureRun& run) {
  run.result.isa = name(capture.isa());
  run.result.frames = capture.frames();
  run.result.jobs = capture.jobs();
  Comparison comparison(wants, run, before);
  Status done = capture.run(engine, comparison, wants.options);
  WARPJIT_CHECK(comparison.status());
  if (done && comparison.needs_targets()) {
    comparison.take_targets();
    done = capture.run(engine, comparison, wants.options);
  }
  if (!done) {
    if (done.error().code == ErrorCode::cancelled) return done;
    run.result.error = plain(done.error());
    return {};
  }
  WARPJIT_CHECK(comparison.add_targets());
  comparison.add_missing();
  const bool differs = before != nullptr && verdict_of(run, before) == Verdict::differs;
  if (!differs || before->draws.empty()) return {};
  DrawSearch search(wants, run.row, before->draws);
  done = capture.run(engine, search, wants.options);
  if (!done && done.error().code == ErrorCode::cancelled) return done;
  search.finish();
  return search.status();
}

}  // namespace

std::optional<Image> shown_picture(const CapturePicture& picture) {
  if (picture.format == PixelFormat::none || picture.width == 0 || picture.height == 0) return std::nullopt;
  Image image = to_image({.format = picture.format, .bytes = {picture.pixels.begin(), picture.pixels.end()}},
                         picture.width, picture.height);
  const std::size_t row = std::size_t{4} * image.width;
  for (std::size_t top = 0, bottom = image.height - 1; top < bottom; ++top, --bottom)
    std::swap_ranges(image.rgba.begin() + static_cast<std::ptrdiff_t>(top * row),
                     image.rgba.begin() + static_cast<std::ptrdiff_t>((top + 1) * row),
                     image.rgba.begin() + static_cast<std::ptrdiff_t>(bottom * row));
  for (std::size_t n = 3; n < image.rgba.size(); n += 4) image.rgba[n] = 255;
  return image;
}

Result<CaptureRun> run_capture(const Engine& engine, const CaptureFile& file, const RunWants& wants) {
  CaptureRun run;
  run.row.file = file.name;
  const RunResult* before = nullptr;
  if (wants.baseline != nullptr)
    if (const auto found = wants.baseline->captures.find(file.name); found != wants.baseline->captures.end())
      before = &found->second;
  if (file.path.empty()) {
    run.row.verdict = Verdict::missing;
    return run;
  }
  const auto capture = load_frames(file.path, file.name);
  if (!capture) run.result.error = plain(capture.error());
  if (capture) WARPJIT_CHECK(run_loaded(engine, *capture, wants, before, run));
  run.row.verdict = verdict_of(run, before);
  if (before != nullptr && before->error && run.row.verdict != Verdict::same)
    run.row.before_error = before->error;
  if (run.result.error) {
    // What was seen before an error is left out, as the error says enough.
    RunResult failed;
    failed.error = run.result.error;
    run.result = std::move(failed);
    run.row.error = run.result.error;
    run.row.pictures.clear();
    run.row.draw.reset();
    return run;
  }
  run.row.isa = run.result.isa;
  run.row.frames = run.result.frames;
  run.row.jobs = run.result.jobs;
  return run;
}

}  // namespace warpjit::tool
