#include "device/pica200/memory_engines.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/bits.h"
#include "base/fill.h"
#include "frontend/pica200/interpret/fragment/color_pixel.h"

namespace warpjit::pica200 {

namespace {

constexpr const char* kFill = "memory fill";
constexpr const char* kTransfer = "display transfer";
constexpr const char* kCopy = "texture copy";

Error refused(const char* engine, std::string message) {
  return {ErrorCode::bad_input, std::move(message), engine};
}

Result<std::byte*> find(const PhysicalMemory& memory, std::uint64_t address, std::uint64_t size,
                        const std::string& what, bool writes) {
  if (std::byte* found = memory.access(address, size, writes)) return found;
  char text[96];
  std::snprintf(text, sizeof text, "%llu bytes at 0x%08llX do not lie in memory",
                static_cast<unsigned long long>(size), static_cast<unsigned long long>(address));
  return Error{ErrorCode::bad_input, text, what};
}

// ---- Transfers

// By the code of a transfer, which swaps two of those that targets have.
constexpr std::array<ColorFormat, 5> kFormats = {ColorFormat::rgba8, ColorFormat::rgb8, ColorFormat::rgb565,
                                                 ColorFormat::rgb5a1, ColorFormat::rgba4};

struct Side {
  std::uint32_t width = 0, height = 0;
  bool tiled = false;
  ColorFormat format = ColorFormat::rgba8;

  // Calls with each column of a row and where its pixel is. Rows of a picture in tiles are counted as they lie in memory.
  template <class Call>
  void each_pixel(std::uint32_t row, std::size_t bytes, const Call& call) const {
    constexpr std::array<std::uint8_t, 8> kSpread = {0,  1,  4,  5,
                                                     16, 17, 20, 21};  // bits on every second place
    const std::size_t first =
        tiled ? std::size_t{row / 8} * (width / 8) * 64 + 2 * kSpread[row % 8] : std::size_t{row} * width;
    for (std::uint32_t column = 0; column < width; ++column)
      call(column, (first + (tiled ? column / 8 * std::size_t{64} + kSpread[column % 8] : column)) * bytes);
  }
  std::uint64_t bytes() const { return std::uint64_t{width} * height * pixel_bytes(format); }
};

struct Transfer {
  Side input, output;
  std::uint32_t step_x = 1, step_y = 1;  // input pixels of an output pixel
  std::uint64_t skipped = 0;             // bytes of the output before its first line
  bool flipped = false;
};

Result<Transfer> read_transfer(const DisplayTransfer& job) {
  Transfer transfer;
  Side &input = transfer.input, &output = transfer.output;
  const auto flag = [&](unsigned n) { return (job.flags >> n & 1) != 0; };
  if (flag(3)) return refused(kTransfer, "flag 3 makes it a texture copy");
  if (flag(16)) return refused(kTransfer, "blocks of 32 x 32 are not documented");
  const std::uint32_t from = bits(job.flags, 8, 3), to = bits(job.flags, 12, 3),
                      scale = bits(job.flags, 24, 2);
  if (from > 4 || to > 4)
    return refused(kTransfer, "format " + std::to_string(from > 4 ? from : to) + ", allowed are 0 to 4");
  if (scale == 3) return refused(kTransfer, "scale 3, allowed are 0 to 2");
  input.format = kFormats[from];
  output.format = kFormats[to];
  const bool narrow = from >= 2 && to >= 2;
  if (from != 0 && from != to && !narrow)
    return refused(kTransfer,
                   "format " + std::to_string(from) + " cannot become format " + std::to_string(to));
  input.width = job.input_size & 0xFFFF;
  input.height = job.input_size >> 16;
  const std::uint32_t width = job.output_size & 0xFFFF, height = job.output_size >> 16;
  if (input.width == 0 || input.height == 0 || width == 0 || height == 0)
    return refused(kTransfer, "a width or height is 0");
  if (width > input.width || height > input.height)
    return refused(kTransfer, "the output of " + std::to_string(width) + " x " + std::to_string(height) +
                                  " is larger than the input of " + std::to_string(input.width) + " x " +
                                  std::to_string(input.height));
  if (width < input.width && !flag(2))
    return refused(kTransfer, "the output is narrower than the input without flag 2");
  // Flag 1: from lines to tiles. Flag 5: no change.
  input.tiled = !flag(1);
  output.tiled = flag(1) != flag(5);
  transfer.step_x = scale != 0 ? 2 : 1;
  transfer.step_y = scale == 2 ? 2 : 1;
  if (scale != 0 && !input.tiled) return refused(kTransfer, "only an input in tiles can be scaled");
  output.width = width / transfer.step_x;
  output.height = height / transfer.step_y;
  if (output.width == 0 || output.height == 0) return refused(kTransfer, "the scaled width or height is 0");
  for (const Side* side : {&input, &output})
    if (side->tiled && (side->width % 8 != 0 || side->height % 8 != 0))
      return refused(kTransfer, std::to_string(side->width) + " x " + std::to_string(side->height) +
                                    " pixels in tiles, allowed are multiples of 8");
  transfer.flipped = flag(0);
  if (transfer.flipped && flag(2))
    transfer.skipped = std::uint64_t{input.width - width} * (height - 1) * pixel_bytes(output.format);
  return transfer;
}

// Calls with the format as a constant.
template <class Call>
void with_format(ColorFormat format, const Call& call) {
  switch (format) {
    case ColorFormat::rgba8:
      return call(std::integral_constant<ColorFormat, ColorFormat::rgba8>());
    case ColorFormat::rgb8:
      return call(std::integral_constant<ColorFormat, ColorFormat::rgb8>());
    case ColorFormat::rgb5a1:
      return call(std::integral_constant<ColorFormat, ColorFormat::rgb5a1>());
    case ColorFormat::rgb565:
      return call(std::integral_constant<ColorFormat, ColorFormat::rgb565>());
    case ColorFormat::rgba4:
      return call(std::integral_constant<ColorFormat, ColorFormat::rgba4>());
  }
}
void read_line(const Side& side, const std::byte* from, std::uint32_t row,
               std::vector<fragment::Bytes4>& to) {
  with_format(side.format, [&](auto format) {
    side.each_pixel(row, pixel_bytes(format), [&](std::uint32_t column, std::size_t place) {
      to[column] = fragment::read_pixel(format, from + place);
    });
  });
}
void write_line(const Side& side, std::byte* to, std::uint32_t row,
                const std::vector<fragment::Bytes4>& from) {
  constexpr unsigned kAll = 15;
  with_format(side.format, [&](auto format) {
    side.each_pixel(row, pixel_bytes(format), [&](std::uint32_t column, std::size_t place) {
      fragment::write_pixel(format, to + place, from[column], kAll);
    });
  });
}

// ---- Copies

constexpr std::uint32_t kCopyUnit = 16;

struct CopySide {
  std::uint32_t address = 0;
  std::uint64_t width = 0, gap = 0;  // of lines, in bytes
  std::uint64_t place(std::uint64_t n) const { return gap == 0 ? n : n / width * (width + gap) + n % width; }
};
struct Copy {
  CopySide input, output;
  std::uint64_t size = 0;
};

Result<Copy> read_copy(const TextureCopy& job) {
  Copy copy;
  copy.size = job.size & ~(kCopyUnit - 1);
  if (copy.size == 0) return refused(kCopy, "the size is " + std::to_string(job.size) + ", which freezes");
  copy.input.address = job.input & ~(kCopyUnit - 1);
  copy.output.address = job.output & ~(kCopyUnit - 1);
  for (const auto& [side, word] :
       {std::pair(&copy.input, job.input_line), std::pair(&copy.output, job.output_line)}) {
    side->width = std::uint64_t{word & 0xFFFF} * kCopyUnit;
    side->gap = std::uint64_t{word >> 16} * kCopyUnit;
    if (side->width == 0 && side->gap != 0)
      return refused(kCopy, "lines of width 0 with a gap, which freezes");
  }
  return copy;
}

}  // namespace

Status fill_memory(const PhysicalMemory& memory, const MemoryFill& job) {
  if (job.end < job.start) return refused(kFill, "the end is before the start");
  const std::size_t size = job.end - job.start;
  if (size == 0) return {};
  WARPJIT_TRY(std::byte* const to, find(memory, job.start, size, kFill, true));
  const std::uint32_t code = bits(job.control, 8, 2);
  const std::size_t width = code == 0 ? 2 : code == 2 ? 4 : 3;
  fill_pattern({to, size}, job.value, width);
  return {};
}

Status transfer_picture(const PhysicalMemory& memory, const DisplayTransfer& job) {
  WARPJIT_TRY(const Transfer transfer, read_transfer(job));
  const Side &input = transfer.input, &output = transfer.output;
  WARPJIT_TRY(const std::byte* const from,
              find(memory, job.input, input.bytes(), "display transfer input", false));
  WARPJIT_TRY(std::byte* const to,
              find(memory, job.output + transfer.skipped, output.bytes(), "display transfer output", true));
  // What is written may be what is read.
  const std::vector<std::byte> source(from, from + input.bytes());
  std::vector<fragment::Bytes4> line(input.width), colors(output.width);
  std::vector<std::array<std::uint32_t, 4>> sums(transfer.step_x == 1 ? 0 : output.width);
  for (std::uint32_t row = 0; row < output.height; ++row) {
    const std::uint32_t read_row = transfer.flipped ? output.height - 1 - row : row;
    if (transfer.step_x == 1) {
      read_line(input, source.data(), read_row, line);
      std::copy_n(line.begin(), output.width, colors.begin());
    } else {
      std::ranges::fill(sums, std::array<std::uint32_t, 4>());
      for (std::uint32_t dy = 0; dy < transfer.step_y; ++dy) {
        read_line(input, source.data(), read_row * transfer.step_y + dy, line);
        for (std::size_t column = 0; column < output.width * std::size_t{transfer.step_x}; ++column)
          for (std::size_t n = 0; n < 4; ++n) sums[column / transfer.step_x][n] += line[column][n];
      }
      for (std::size_t column = 0; column < output.width; ++column)
        for (std::size_t n = 0; n < 4; ++n)
          colors[column][n] =
              static_cast<std::uint8_t>(sums[column][n] / (transfer.step_x * transfer.step_y));
    }
    write_line(output, to, row, colors);
  }
  return {};
}

Status copy_texture(const PhysicalMemory& memory, const TextureCopy& job) {
  WARPJIT_TRY(const Copy copy, read_copy(job));
  WARPJIT_TRY(
      const std::byte* const from,
      find(memory, copy.input.address, copy.input.place(copy.size - 1) + 1, "texture copy input", false));
  WARPJIT_TRY(std::byte* const to, find(memory, copy.output.address, copy.output.place(copy.size - 1) + 1,
                                        "texture copy output", true));
  for (std::uint64_t n = 0; n < copy.size; n += kCopyUnit)
    std::memmove(to + copy.output.place(n), from + copy.input.place(n), kCopyUnit);
  return {};
}

Result<JobMemory> memory_of(const MemoryFill& job) {
  if (job.end < job.start) return refused(kFill, "the end is before the start");
  return JobMemory{0, 0, job.start, job.end - job.start};
}
Result<JobMemory> memory_of(const DisplayTransfer& job) {
  WARPJIT_TRY(const Transfer transfer, read_transfer(job));
  return JobMemory{job.input, transfer.input.bytes(), job.output + transfer.skipped, transfer.output.bytes()};
}
Result<JobMemory> memory_of(const TextureCopy& job) {
  WARPJIT_TRY(const Copy copy, read_copy(job));
  return JobMemory{copy.input.address, copy.input.place(copy.size - 1) + 1, copy.output.address,
                   copy.output.place(copy.size - 1) + 1};
}

}  // namespace warpjit::pica200
