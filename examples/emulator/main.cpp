// What an emulator does with a console's command list: hands it over, and gets triangles.
//   emulator [picture.png]    draws some frames, the last one as a picture
#include <cstdio>

#include "game.h"
#include "own_list.h"
#include "picture.h"
#include "warpjit/pica200.hpp"

using namespace warpjit;

namespace {

// Takes the draws of a list.
class Screen final : public pica200::CommandVisitor {
 public:
  explicit Screen(Picture& picture) : picture_(picture) {}

  bool draw(const Result<pica200::DrawResult>& result) override {
    if (!result) {
      std::fprintf(stderr, "emulator: %s\n", to_string(result.error()).c_str());
      failed_ = true;
      return false;
    }
    // With the geometry unit, three vertices a triangle; else those that the index list names.
    const auto vertices = result->vertices;
    const auto indices = result->indices;
    const std::size_t count = indices.empty() ? vertices.size() : indices.size();
    const auto vertex = [&](std::size_t n) -> const pica200::Vertex& {
      return vertices[indices.empty() ? n : indices[n]];
    };
    for (std::size_t n = 0; n + 2 < count; n += 3) picture_.triangle(vertex(n), vertex(n + 1), vertex(n + 2));
    triangles_ += count / 3;
    interpreted_ += result->report.interpreted;
    return true;
  }

  bool failed() const { return failed_; }
  std::size_t triangles() const { return triangles_; }
  std::uint64_t interpreted() const { return interpreted_; }

 private:
  Picture& picture_;
  bool failed_ = false;
  std::size_t triangles_ = 0;
  std::uint64_t interpreted_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Game game;
  const Engine engine;
  pica200::Pipeline pipeline;
  const Memory& memory = game.memory();
  const pica200::MemoryRange range{Memory::kAddress, memory.bytes.data(), memory.bytes.size()};
  if (const Status status = pipeline.set_memory({&range, 1}); !status) {
    std::fprintf(stderr, "emulator: %s\n", to_string(status.error()).c_str());
    return 1;
  }
  // Nobody waits for a compiler: a kernel that is not ready is interpreted.
  RunOptions options;
  options.background = true;
  for (unsigned frame = 0; frame < 3; ++frame) {
    Picture picture(400, 240);
    Screen screen(picture);
    const Status status = pipeline.run_commands(engine, game.frame(frame), screen, options);
    if (!status) std::fprintf(stderr, "emulator: %s\n", to_string(status.error()).c_str());
    if (!status || screen.failed()) return 1;
    std::printf("frame %u: %zu triangles, %llu pixels, %llu vertices and primitives interpreted\n", frame,
                screen.triangles(), static_cast<unsigned long long>(picture.pixels_drawn()),
                static_cast<unsigned long long>(screen.interpreted()));
    if (picture.pixels_drawn() == 0) return 1;
    if (frame == 2 && argc > 1 && !picture.write(argv[1])) {
      std::fprintf(stderr, "emulator: cannot write %s\n", argv[1]);
      return 1;
    }
    engine.wait_for_compilations();
  }
  return show_own_list(engine, game) ? 0 : 1;
}
