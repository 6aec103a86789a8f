// warpjit render of a capture: runs its jobs and writes its pictures.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "frontend/valhall/container/capture_file.h"
#include "warpjit/valhall.hpp"

namespace warpjit::tool {

struct CaptureInput {
  std::string file;
  std::vector<std::string> jobs;    // addresses of chains; none: those that the file names
  std::vector<std::string> more{};  // further texts of the same run
  bool expected = false;            // colour targets of texts are what hardware has drawn
  std::string gpu{};                // a name or number; empty: what the file says
};
// Adds --expected.
void add_expected(Command& command, CaptureInput& input);
// Adds `more` and --gpu.
void add_capture_options(Command& command, CaptureInput& input);
// Their names: texts of one run by their numbers.
std::vector<std::string> sorted_files(const CaptureInput& input);
// The files' bytes in that order. Errors: also more than kMaxFileBytes.
struct CaptureFiles {
  std::vector<std::string> names;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<valhall::CaptureBytes> list() const;
};
Result<CaptureFiles> read_capture_files(const CaptureInput& input);
// The capture with its chains. Errors: no file, no capture, no chains.
Result<valhall::CaptureFile> load_capture(const CaptureInput& input);
// To stderr, what was assumed.
void print_notes(const valhall::CaptureFile& capture);
// True if it is one. Memory records do not say so themselves: they are one if `jobs` are given.
bool is_capture(const CaptureInput& input);

struct RenderCapture {
  CaptureInput input;
  RunOptions run;
  std::string out;      // a PNG, or a folder for all pictures; empty: none
  std::string picture;  // the target that a PNG is of: color0 to color7, depth
  bool json = false;
  bool ignore_faults = false;  // exit code 0 all the same
};
int render_capture(const RenderCapture& options);

struct VerifyCapture {
  CaptureInput input;
  RunOptions run;  // but for engine and target
  std::vector<std::string> engines;
  bool json = false;
  bool ignore_faults = false;
};
int verify_capture(const VerifyCapture& options);

}  // namespace warpjit::tool
