// What the tool's commands do with captures of any guest, as warpjit::Capture shows them, each with its exit code.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "picture_file.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

// A .wjcap file of version 2, but scenes of a PICA200, which have commands of their own.
bool is_neutral_capture(const std::string& file);
// Errors: io, and those of Capture::load.
Result<Capture> load_neutral_capture(const std::string& file);
// A picture as an image whose top row is the first one in memory; none: it has no pixels.
std::optional<Image> image_of(const CapturePicture& picture);
// "frame0_job2_color0", with "_draw7" after draws.
std::string picture_label(const CapturePicture& picture);
// FNV-1a of 64 bits over its bytes, the same on every host.
std::uint64_t hash_of(const CapturePicture& picture);

// ", the first one at (3, 5)": where a comparison says so.
std::string first_pixel_text(const CapturePicture& picture);

// Pictures of a run that are not as expected.
class UnexpectedPictures {
 public:
  void see(const CapturePicture& picture);
  bool any() const { return count_ != 0; }
  bool compared() const { return compared_; }
  // What is wrong, with the pixel and the draw that left it so: `run` runs the same again for a visitor.
  std::string text(const std::function<Status(CaptureVisitor&)>& run) const;

 private:
  struct Place {
    std::string name, what;
    std::size_t frame = 0, job = 0;
    std::optional<std::uint64_t> pixel{};
  };
  static constexpr std::size_t kMostTold = 8;
  std::vector<Place> places_;  // the first ones
  std::size_t count_ = 0;
  bool compared_ = false;
};

struct NeutralRender {
  std::string file;
  RunOptions run;
  std::string out;      // a folder for pictures, or a PNG of the last one named `picture`; empty: none
  std::string raw;      // a folder for bytes; empty: none
  std::string picture;  // color0 to color7, depth
  bool json = false;
  bool ignore_faults = false;  // exit code 0 all the same
};
int render_neutral(const NeutralRender& options);

struct NeutralInfo {
  std::string file;
  bool all = false;  // draws; else the first kShownNeutralDraws
  bool json = false;
  std::string textures{};  // a folder for pictures of what draws sample; empty: none
};
inline constexpr std::size_t kShownNeutralDraws = 16;
int show_neutral(const NeutralInfo& options);

struct NeutralVerify {
  std::string file;
  RunOptions run;  // but for engine and target
  std::vector<std::string> engines;
  bool json = false;
};
int verify_neutral(const NeutralVerify& options);

struct NeutralBench {
  std::string file;
  RunOptions run;  // but for engine and target
  std::vector<std::string> engines;
  double seconds = 0.2;  // for each engine
  unsigned slowest = 5;  // draws that are shown, of each engine
  bool json = false;
};
int bench_neutral(const NeutralBench& options);

}  // namespace warpjit::tool
