#include "record.h"

#include <png.h>

#include <cstdio>
#include <fstream>
#include <vector>

#include "game.h"

bool write_picture(const std::string& path, std::span<const std::uint8_t> screen) {
  // A row of the screen is a column of the picture, from its bottom to its top.
  std::vector<std::uint8_t> picture(screen.size());
  for (std::size_t row = 0; row < Video::kHeight; ++row)
    for (std::size_t column = 0; column < Video::kWidth; ++column)
      for (std::size_t channel = 0; channel < 3; ++channel)
        picture[3 * ((Video::kWidth - 1 - column) * Video::kHeight + row) + channel] =
            screen[3 * (row * Video::kWidth + column) + channel];
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = Video::kHeight;
  image.height = Video::kWidth;
  image.format = PNG_FORMAT_BGR;
  return png_image_write_to_file(&image, path.c_str(), 0, picture.data(), 0, nullptr) != 0;
}

bool write_scene(const std::string& folder, const Recording& recording) {
  const auto write = [&](const char* name, std::span<const std::uint8_t> bytes) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.good();
  };
  char text[2048];
  const auto number = [](std::size_t value) { return static_cast<unsigned>(value); };
  const int length = std::snprintf(
      text, sizeof text, R"({
 "format": "pica-frame 1",
 "shows": "a frame of examples/emulator: a torus and a floor with light, and sparks that a geometry program makes of points",
 "memory": [
  {"address": "0x%08x", "file": "fcram.bin"},
  {"address": "0x%08x", "bytes": %u}],
 "queue": [
  {"fill": {"start": "0x%08x", "end": "0x%08x", "value": "0x%08x", "control": "0x201"}},
  {"fill": {"start": "0x%08x", "end": "0x%08x", "value": "0x0", "control": "0x101"}},
  {"commands": {"address": "0x%08x", "bytes": %u}},
  {"transfer": {"input": "0x%08x", "output": "0x%08x", "input_size": "0x%08x", "output_size": "0x%08x", "flags": "0x1000"}}],
 "outputs": [
  {"name": "screen", "address": "0x%08x", "bytes": %u, "file": "screen.bin", "layout": "linear", "width": %u, "height": %u, "format": 1}]
}
)",
      number(Memory::kAddress), number(Video::kAddress), number(Video::kSize), number(Video::kColor),
      number(Video::kColor + 4 * Video::kPixels), number(Video::kBackground << 8 | 0xFF),
      number(Video::kDepth), number(Video::kDepth + 3 * Video::kPixels),
      number(Memory::kAddress + recording.memory.size() - recording.list_bytes), number(recording.list_bytes),
      number(Video::kColor), number(Video::kScreen), number(Video::kWidth | Video::kHeight << 16),
      number(Video::kWidth | Video::kHeight << 16), number(Video::kScreen), number(3 * Video::kPixels),
      number(Video::kWidth), number(Video::kHeight));
  return write("scene.json",
               {reinterpret_cast<const std::uint8_t*>(text), static_cast<std::size_t>(length)}) &&
         write("fcram.bin", recording.memory) && write("screen.bin", recording.screen);
}
