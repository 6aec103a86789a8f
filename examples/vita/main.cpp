// An emulator of the PlayStation Vita: a game calls the console's graphics library, the renderer draws.
//   vita [picture.png]    draws some frames, the last one as a picture
#include <png.h>

#include <cstdio>

#include "game.h"
#include "renderer.h"

int main(int argc, char** argv) {
  Game game;
  Renderer renderer(game.memory());
  for (unsigned frame = 0; frame < 3; ++frame) {
    const warpjit::Status drawn = game.frame(renderer, frame);
    if (!drawn) {
      std::fprintf(stderr, "vita: %s\n", to_string(drawn.error()).c_str());
      return 1;
    }
    std::uint32_t changed = 0;
    for (std::uint32_t n = 0; n < Game::kWidth * Game::kHeight; ++n)
      changed += game.pixels()[4 * n] != 0x18 ? 1 : 0;
    std::printf("frame %u: %u pixels, %llu primitives so far\n", frame, changed,
                static_cast<unsigned long long>(renderer.primitives()));
    if (changed == 0) return 1;
  }
  if (argc > 1) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = Game::kWidth;
    image.height = Game::kHeight;
    image.format = PNG_FORMAT_RGBA;
    if (png_image_write_to_file(&image, argv[1], 0, game.pixels(), 0, nullptr) == 0) {
      std::fprintf(stderr, "vita: cannot write %s\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
