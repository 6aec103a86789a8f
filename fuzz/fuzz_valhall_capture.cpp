// Any bytes as a capture: its draws, frames, textures and samplers as they are read; then all its jobs, if
// they are small, in the guest interpreter. Without chains of its own, memory records have the jobs at the
// address of the first record, and 0x180 bytes after it. Input: the file.
#include "capture/valhall/chain_sections.h"
#include "device/valhall/capture.h"
#include "device/valhall/textures.h"
#include "reader.h"
#include "target.h"

namespace {

using namespace warpjit;

constexpr std::uint32_t kMostFramePixels = 64 * 64;
constexpr std::uint64_t kMostVertices = 1024, kMostThreads = 1024;

template <class Result>
bool check(const Result& result) {
  if (!result) fuzz::require(!result.error().message.empty(), "an error says what is wrong");
  return result.ok();
}

void read_tables(const valhall::Image& image, const valhall::Environment& environment) {
  for (std::uint32_t table = 0; table < environment.tables.size(); ++table)
    for (std::uint32_t n = 0; n < std::min<std::uint64_t>(environment.tables[table].count(), 16); ++n) {
      if (const auto sampler = read_sampler(image, environment, table, n); check(sampler) && *sampler)
        check(convert_sampler(image, **sampler));
      const auto texture = read_texture(image, environment, table, n);
      if (!check(texture) || !*texture) continue;
      if (const auto bound = convert_texture(image, **texture, true); check(bound))
        check(textures::make_view(bound->texture, "texture"));
    }
}

// True if the job is little work.
bool is_small(const valhall::Image& image, const valhall::Job& job) {
  if (const auto* compute = std::get_if<valhall::ComputePayload>(&job.payload)) {
    std::uint64_t threads = 1;
    for (unsigned k = 0; k < 3; ++k)
      threads *= std::min<std::uint64_t>(compute->count[k], 4096) * compute->size[k];
    return threads <= kMostThreads;
  }
  if (const auto* vertices = std::get_if<valhall::MallocVertexPayload>(&job.payload)) {
    for (const auto program : {valhall::VertexProgram::position, valhall::VertexProgram::varying}) {
      auto& changed = const_cast<valhall::Image&>(image);
      if (const auto launch = valhall::vertex_launch(changed, job, program))
        if (std::uint64_t{launch->grid.vertices.count} * vertices->instance_count > kMostVertices)
          return false;
    }
    return vertices->index_count <= kMostVertices;
  }
  const auto frame = read_framebuffer(image, job);
  return !frame || frame->width * frame->height <= kMostFramePixels;
}

}  // namespace

int warpjit::fuzz::fuzz_valhall_capture(const std::uint8_t* data, std::size_t size) {
  if (size > 1 << 16) return 0;
  const CaptureBytes given{fuzz::bytes(data, size), "capture"};
  auto file = valhall::load_captures(std::span(&given, 1), {.window_bytes = 1 << 20});
  if (!check(file)) return 0;
  if (file->chains.empty()) {
    const auto first = fuzz::Reader(data, size).take<std::uint64_t>();
    file->chains = {{first, false}, {first + 0x180, true}};
  }
  valhall::CaptureState state{std::move(*file)};
  const valhall::Image& image = state.file.image;
  const auto chains = valhall::read_chains(state.file);
  if (!check(chains)) return 0;
  std::vector<valhall::Job> jobs;
  for (const auto& chain : *chains) jobs.insert(jobs.end(), chain.begin(), chain.end());
  bool small = jobs.size() <= 16;
  for (const valhall::Job& job : jobs) {
    if (const auto draw = read_draw(image, job); check(draw)) read_tables(image, draw->fragment);
    if (job.kind == valhall::JobKind::fragment) check(read_framebuffer(image, job));
    small = small && is_small(image, job);
  }
  // What is written is a capture with the same memory.
  std::vector<std::byte> bytes;
  check(valhall::write_capture(state.file, fuzz::append, &bytes));
  const CaptureBytes written{bytes, "written"};
  const auto again = valhall::load_captures(std::span(&written, 1), {.window_bytes = 1 << 20});
  fuzz::require(again.ok() && again->chains.size() == state.file.chains.size(), "a capture is read again");
  for (const valhall::ImageWindow& window : image.windows()) {
    const auto found = again->image.find(window.address(), window.size());
    fuzz::require(found && std::ranges::equal(*found, window.bytes()), "memory is what it was");
  }
  if (!small) return 0;
  struct Watch final : valhall::CaptureVisitor {
    bool picture(const valhall::CapturePicture& picture) override {
      fuzz::require(picture.pixels.size() == picture.pixel_bytes * picture.width * picture.height,
                    "a picture has all its pixels");
      return true;
    }
  } watch;
  static const Engine engine;
  RunOptions options;
  options.engine = EngineKind::guest;
  options.threads = 1;
  options.fuel = 100;
  check(state.run(engine, watch, options));
  return 0;
}
