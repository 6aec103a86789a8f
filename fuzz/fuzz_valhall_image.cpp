// Any bytes as a memory image: the jobs from the address of the first record on, and the launches of all
// programs that they name. Input: the file.
#include "device/valhall/job_launch.h"
#include "reader.h"
#include "target.h"

int warpjit::fuzz::fuzz_valhall_image(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  if (size > 1 << 16) return 0;
  const auto check = [](const auto& result) {
    if (!result) fuzz::require(!result.error().message.empty(), "an error says what is wrong");
    return result.ok();
  };
  auto image = valhall::Image::read(fuzz::bytes(data, size), "image", {.window_bytes = 1 << 20});
  if (!check(image)) return 0;
  for (const valhall::ImageWindow& window : image->windows()) {
    fuzz::require(window.size() != 0 && window.size() % 8 == 0 && window.low_word() % 8 == 0,
                  "windows are aligned");
    fuzz::require(image->find(window.address(), window.size()).has_value(), "windows are found");
  }
  const auto jobs = valhall::read_jobs(*image, fuzz::Reader(data, size).take<std::uint64_t>());
  if (!check(jobs)) return 0;
  fuzz::require(!jobs->empty() && jobs->size() <= valhall::kMaxJobs, "a chain has jobs");
  for (const valhall::Job& job : *jobs) {
    check(valhall::compute_launch(*image, job));
    for (const auto program : {valhall::VertexProgram::position, valhall::VertexProgram::varying})
      if (const auto launch = valhall::vertex_launch(*image, job, program); check(launch))
        fuzz::require(launch->program.entry / 8 < launch->program.code.size(), "the entry is in the code");
  }
  return 0;
}
