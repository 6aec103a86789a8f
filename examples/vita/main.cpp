// An emulator of the PlayStation Vita: a game calls the console's graphics library, the renderer draws.
//   vita [--record frames.wjcap] [picture.png]    draws some frames, the last one as a picture
#include <png.h>

#include <cstdio>
#include <cstring>

#include "game.h"
#include "renderer.h"

namespace {

int fail(const char* what) {
  std::fprintf(stderr, "vita: %s\n", what);
  return 1;
}
int fail(const warpjit::Error& error) { return fail(to_string(error).c_str()); }

}  // namespace

int main(int argc, char** argv) {
  std::FILE* capture = nullptr;
  if (argc > 2 && std::strcmp(argv[1], "--record") == 0) {
    capture = std::fopen(argv[2], "wb");
    if (capture == nullptr) return fail("the capture cannot be written");
    argc -= 2;
    argv += 2;
  }
  Game game;
  Renderer renderer(game.memory());
  if (capture != nullptr)
    if (const warpjit::Status begun = renderer.record(capture); !begun) return fail(begun.error());
  for (unsigned frame = 0; frame < 3; ++frame) {
    const warpjit::Status drawn = game.frame(renderer, frame);
    if (!drawn) return fail(drawn.error());
    if (const warpjit::Status ended = renderer.end_frame(); !ended) return fail(ended.error());
    std::uint32_t changed = 0;
    for (std::uint32_t n = 0; n < Game::kWidth * Game::kHeight; ++n)
      changed += game.pixels()[4 * n] != 0x18 ? 1 : 0;
    std::printf("frame %u: %u pixels, %llu primitives so far\n", frame, changed,
                static_cast<unsigned long long>(renderer.primitives()));
    if (changed == 0) return 1;
  }
  if (capture != nullptr) {
    if (const warpjit::Status ended = renderer.end_record(); !ended) return fail(ended.error());
    if (std::fclose(capture) != 0) return fail("the capture cannot be written");
  }
  if (argc > 1) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = Game::kWidth;
    image.height = Game::kHeight;
    image.format = PNG_FORMAT_RGBA;
    if (png_image_write_to_file(&image, argv[1], 0, game.pixels(), 0, nullptr) == 0)
      return fail("the picture cannot be written");
  }
  return 0;
}
