// Captures as texts of PAN_MESA_DEBUG=trace,dump, and the texts of real drivers with what is known of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "frontend/valhall/container/capture_file.h"
#include "frontend/valhall/container/framebuffer.h"
#include "support/same_bytes.h"
#include "support/source_dir.h"
#include "support/unpacked.h"
#include "valhall/dump_text_writer.h"

namespace warpjit::valhall {

inline constexpr DumpDialect kDialects[] = {DumpDialect::older, DumpDialect::newer};

// A file of this repository.
inline std::vector<std::byte> source_bytes(const std::string& name) {
  std::ifstream stream(tests::source_file(name), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
// A seed of the fuzz targets: "triangle.wjcap".
inline std::vector<std::byte> capture_seed(const std::string& name) {
  return source_bytes("fuzz/corpus/valhall_capture/" + name);
}

// The block of a chain: whole windows are buffers.
inline void add_chain(DumpTextWriter& writer, const Image& image, const JobChain& chain) {
  writer.job(chain.address, chain.fragment ? "Fragment" : "Malloc vertex");
  for (const ImageWindow& window : image.windows()) writer.buffer(window.address(), window.bytes());
}
// All chains of a capture, with memory that may be another one's.
inline void add_chains(DumpTextWriter& writer, const CaptureFile& file, const Image& image) {
  for (const JobChain& chain : file.chains) add_chain(writer, image, chain);
}

// Another colour for the first target of a capture's second chain to be cleared to.
inline void change_clear_color(CaptureFile& file) {
  const auto jobs = read_jobs(file.image, file.chains.at(1).address);
  ASSERT_TRUE(jobs.ok());
  const auto framebuffer = read_framebuffer(file.image, jobs->front());
  ASSERT_TRUE(framebuffer.ok());
  constexpr std::uint64_t kClear = 48;  // of a render target, the word of the colour
  const auto clear = file.image.find_writable(framebuffer->targets[0].address + kClear, 4);
  ASSERT_TRUE(clear);
  const auto byte = std::ranges::find_if(*clear, [](std::byte b) { return b != std::byte{0}; });
  ASSERT_NE(byte, clear->end());
  *byte ^= std::byte{0x7f};
}

// Visits the texts of real drivers: visit(folder, text). How many there are.
template <class Visit>
std::size_t each_real_text(const Visit& visit) {
  std::size_t count = 0;
  for (const char* version : {"22.3.6", "25.0.7"})
    for (const auto& scene : std::filesystem::directory_iterator(
             tests::shared_file(std::string("corpus/valhall/dumps/") + version))) {
      if (!scene.is_directory()) continue;
      const std::string folder = scene.path().string();
      SCOPED_TRACE(folder);
      visit(folder, tests::unpacked(folder + (version[1] == '2' ? "/text.0000.xz" : "/text.ctx-0.0000.xz")));
      ++count;
    }
  return count;
}
// The memory of each chain is what an independent recorder saw. The file's image becomes that of its last chain.
inline void expect_recorded_memory(const std::string& folder, CaptureFile& file) {
  const auto number = [](std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < 8; ++k) value |= std::to_integer<std::uint64_t>(bytes[k]) << 8 * k;
    return value;
  };
  for (std::size_t n = 0; n < file.chains.size(); ++n) {
    apply_changes(file.changes.at(n), file.image);
    const std::vector<std::byte> truth =
        tests::unpacked(folder + "/mem.00" + std::to_string(n) + ".pages.xz");
    ASSERT_FALSE(truth.empty());
    for (std::span<const std::byte> left = truth; left.size() >= 16;) {
      const std::uint64_t address = number(left), size = number(left.subspan(8));
      const auto found = file.image.find(address, size);
      ASSERT_TRUE(found) << n << ' ' << hex_text(address);
      EXPECT_TRUE(tests::same_bytes(*found, left.subspan(16, size))) << n << ' ' << hex_text(address);
      left = left.subspan(16 + size);
    }
  }
}
// A picture is that of another driver: channels differ by at most 2 of 255.
inline void expect_reference(const std::string& folder, std::span<const std::byte> pixels) {
  const std::vector<std::byte> reference = tests::unpacked(folder + "/ref.0.xz");
  const auto header = std::ranges::find(reference, std::byte{'\n'}) + 1 - reference.begin();
  const auto wanted = std::span(reference).subspan(static_cast<std::size_t>(header));
  ASSERT_EQ(wanted.size(), pixels.size());
  int most = 0;
  for (std::size_t k = 0; k < pixels.size(); ++k)
    most = std::max(most, std::abs(std::to_integer<int>(pixels[k]) - std::to_integer<int>(wanted[k])));
  EXPECT_LE(most, 2);
}

}  // namespace warpjit::valhall
