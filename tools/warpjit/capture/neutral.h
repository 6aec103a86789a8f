// What the tool's commands do with captures of any guest, as warpjit::Capture shows them, each with its exit code.
#pragma once

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
