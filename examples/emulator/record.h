// A frame as files.
#pragma once

#include <cstdint>
#include <span>
#include <string>

// Pixels of three bytes, blue first, as a PNG file turned upright; false if it cannot be written.
bool write_picture(const std::string& path, std::span<const std::uint8_t> screen);

struct Recording {
  std::span<const std::uint8_t> memory;  // from Memory::kAddress on; its last bytes are the list
  std::uint32_t list_bytes = 0;
  std::span<const std::uint8_t> screen;  // what must come out
};
// As a scene that `warpjit render` draws: scene.json, fcram.bin and screen.bin in a folder that exists.
bool write_scene(const std::string& folder, const Recording& recording);
