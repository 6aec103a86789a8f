// A frame with a lot in it: 512 x 512 pixels, 100 draws, 10 programs, on one target.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "support/byte_sink.h"
#include "support/own_folder.h"
#include "support/source_dir.h"
#include "warpjit/launch_recorder.hpp"

namespace warpjit::tests {

inline constexpr std::uint32_t kBusySize = 512;
inline constexpr std::size_t kBusyDraws = 100, kBusyPrograms = 10;

// As the bytes of a capture. Its draws are spheres and fractals that lie over each other.
inline std::vector<std::byte> busy_capture() {
  namespace fs = std::filesystem;
  const fs::path folder = source_file("examples/valhall/graphics");
  const fs::path own = own_folder("warpjit-busy");
  const auto read = [](const fs::path& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  };
  std::vector<std::byte> bytes;
  LaunchRecorder recorder(append, &bytes);
  std::vector<std::uint32_t> target(std::size_t{kBusySize} * kBusySize, 0xff402010);
  const Engine engine;
  // Launches keep the memory that they name until the file is written.
  std::vector<tool::BoundLaunch> launches;
  launches.reserve(kBusyDraws);
  for (std::size_t n = 0; n < kBusyDraws; ++n) {
    const std::size_t program = n % kBusyPrograms;
    const std::string name = program % 2 == 0 ? "sphere" : "sphere_halves";
    // Programs that differ by instructions that do nothing.
    std::string code = read(folder / (name + ".valhall"));
    std::string nothing;
    for (std::size_t k = 0; k < program / 2; ++k) nothing += "  MOV.i32 r40, r40\n";
    const std::size_t first = code.find("  LD_VAR");
    code.insert(first, nothing);
    const std::string stem = "busy" + std::to_string(program);
    std::ofstream(own / (stem + ".valhall")) << code;
    std::string json = read(folder / (name + ".json"));
    json.replace(json.find(name + ".valhall"), name.size() + 8, stem + ".valhall");
    json.replace(json.find("[128, 128]"), 10, "[512, 512]");
    // A triangle over all of that, with the same varyings.
    for (std::size_t at = json.find("256"); at != std::string::npos; at = json.find("256", at))
      json.replace(at, 3, "1024");
    json.erase(json.find(",\n  \"expect\""), std::string::npos);
    json += "}";
    std::ofstream(own / (stem + ".json")) << json;
    auto launch = tool::read_launch((own / (stem + ".json")).string());
    EXPECT_TRUE(launch.ok()) << to_string(launch.error());
    auto bound = tool::BoundLaunch::make(std::move(*launch));
    EXPECT_TRUE(bound.ok()) << to_string(bound.error());
    launches.push_back(std::move(*bound));
    Launch& one = launches.back().launch();
    EXPECT_TRUE(
        one.bind_color(0, {target.data(), target.size() * 4, std::size_t{kBusySize} * 4, PixelFormat::rgba8})
            .ok());
    RasterState state;
    state.window_positions = true;
    // A window of its own for each draw; those of the last ones are whole.
    const auto place = static_cast<std::uint32_t>(n * 37 % 256);
    if (n + 4 < kBusyDraws) state.scissor = {place, place / 2, 256, 256};
    EXPECT_TRUE(one.set_raster_state(state).ok());
    const auto report = recorder.run(engine, one);
    EXPECT_TRUE(report.ok()) << to_string(report.error());
  }
  EXPECT_TRUE(recorder.finish().ok());
  return bytes;
}

}  // namespace warpjit::tests
