#include "frontend/valhall/interpret/image.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "frontend/valhall/interpret/numbers.h"
#include "frontend/valhall/interpret/warp.h"

namespace warpjit::valhall {
namespace {

using Kind = VertexFormat::Kind;

bool holds_halves(RegisterFormat format) {
  return format == RegisterFormat::f16 || format == RegisterFormat::s16 || format == RegisterFormat::u16;
}

bool holds_integers(RegisterFormat format) {
  return format == RegisterFormat::s32 || format == RegisterFormat::u32 || format == RegisterFormat::s16 ||
         format == RegisterFormat::u16;
}

// `automatic`: what the format has.
RegisterFormat natural(const VertexFormat& format, RegisterFormat given) {
  if (given != RegisterFormat::automatic) return given;
  return format.kind == Kind::unsigned_ ? RegisterFormat::u32
         : format.kind == Kind::signed_ ? RegisterFormat::s32
                                        : RegisterFormat::f32;
}

std::uint32_t clamp_to_integer(double value, double least, double most) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::clamp(value, least, most)));
}

// A component of `bits` bits of a texel, from a register.
std::uint32_t store_component(Kind kind, unsigned bits, std::uint32_t raw, RegisterFormat from) {
  double value = 0;
  std::uint32_t single = 0;
  if (holds_integers(from)) {
    const bool is_signed = from == RegisterFormat::s32 || from == RegisterFormat::s16;
    value = is_signed ? static_cast<double>(sign_extend(raw, holds_halves(from) ? 16 : 32))
                      : static_cast<double>(raw);
    single = round_to(kSingle, value);
  } else {
    single = from == RegisterFormat::f16 ? widen_half(raw) : raw;
    value = static_cast<double>(to_float(single));
  }
  const auto normalized = [&](float least, unsigned magnitude) {
    const float number = to_float(single);
    if (std::isnan(number)) return 0.0;
    const float ones = static_cast<float>(low_mask<std::uint32_t>(magnitude));
    const float product = std::clamp(number, least, 1.0F) * ones;
    return round_to_integer(static_cast<double>(product), Round::nearest_even);
  };
  const double half_range = std::ldexp(1.0, static_cast<int>(bits) - 1);
  const double number = std::isnan(value) ? 0.0 : std::trunc(value);
  switch (kind) {
    case Kind::unorm:
      return clamp_to_integer(normalized(0, bits), 0, 2 * half_range - 1);
    case Kind::snorm:
      return clamp_to_integer(normalized(-1, bits - 1), -half_range, half_range - 1);
    case Kind::unsigned_:
      return clamp_to_integer(number, 0, 2 * half_range - 1);
    case Kind::signed_:
      return clamp_to_integer(number, -half_range, half_range - 1);
    case Kind::half:
      return round_to(kHalf, value);
    default:
      return single;
  }
}

}  // namespace

std::optional<std::uint64_t> texel_address(const frontend::ImageSource& image, std::uint32_t texel_bytes,
                                           std::uint32_t xy, std::uint32_t z) {
  const std::uint32_t x = xy & 0xffff, y = xy >> 16, slice = image.is_3d ? z & 0xffff : z >> 16;
  if (x >= image.width || y >= image.height || slice >= image.depth) return std::nullopt;
  std::uint64_t row = y, texel = x;
  if (image.interleaved) {
    row = y / 16;
    texel = std::uint64_t{x / 16} * 256;
    for (unsigned bit = 0; bit < 4; ++bit) {
      const std::uint32_t of_x = x >> bit & 1, of_y = y >> bit & 1;
      texel += std::uint64_t{of_x ^ of_y} << 2 * bit | std::uint64_t{of_y} << (2 * bit + 1);
    }
  }
  return image.address + std::uint64_t{slice} * image.slice_stride + row * image.row_stride +
         texel * texel_bytes;
}

bool can_store(const VertexFormat& format) {
  return format.kind != Kind::fixed && format.kind != Kind::small_float;
}

ElementBytes store_element(const VertexFormat& format, const std::array<std::uint32_t, 4>& channels,
                           RegisterFormat from) {
  ElementBytes bytes{};
  from = natural(format, from);
  for (unsigned n = 0, first = 0; n < 4 && format.bits[n] != 0; first += format.bits[n++]) {
    const auto* const channel = std::ranges::find(format.channel, n);
    if (channel == format.channel.end()) continue;
    const std::uint32_t value =
        store_component(format.kind, format.bits[n],
                        channels[static_cast<std::size_t>(channel - format.channel.begin())], from);
    for (unsigned bit = 0; bit < format.bits[n]; ++bit)
      bytes[(first + bit) / 8] |= static_cast<std::byte>((value >> bit & 1) << (first + bit) % 8);
  }
  return bytes;
}

void WarpRun::image(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source) {
  const Instruction& i = op.i;
  const AttributeEntry entry = *image_entry(i);
  const bool known = entry.table == kImageTable && entry.index < launch_.images.size() &&
                     launch_.images[entry.index].width != 0;
  const auto lane_values = [&](unsigned lane) -> std::array<std::uint32_t, 4> {
    if (!known) {
      memory_.report_no_image(entry.index, by(warp, op, lane));
      return {};
    }
    const frontend::ImageSource& of = launch_.images[entry.index];
    const VertexFormat format = *find_vertex_format(of.format);
    const auto address = texel_address(of, format.bytes(), static_cast<std::uint32_t>(source[0][lane]),
                                       static_cast<std::uint32_t>(source[1][lane]));
    if (op.kind == WarpOp::Kind::texel_address) {
      const std::uint64_t at = address.value_or(0);
      return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32), of.format};
    }
    if (!address) return {};
    const ElementBytes bytes = memory_.read_element(*address, format.bytes(), by(warp, op, lane));
    show_access(warp, lane, *address, format.bytes(), bytes.data());
    auto values = convert_element(format, bytes, i.register_format);
    for (unsigned n = i.vector_size + 1U; n < 4; ++n) values[n] = 0;
    if (holds_halves(i.register_format)) return {values[0] | values[1] << 16, values[2] | values[3] << 16};
    return values;
  };
  for_lanes(active, [&](unsigned lane) {
    const auto values = lane_values(lane);
    for (unsigned n = 0; n < i.write.count; ++n) warp.set(i.write.first + n, lane, values[n]);
  });
}

void WarpRun::store_texel(const Warp& warp, const WarpOp& op, std::uint32_t active,
                          const LaneSources& source) {
  const Instruction& i = op.i;
  std::array<std::byte*, kWarpLanes> to{};
  std::array<ElementBytes, kWarpLanes> texel;
  std::array<std::uint32_t, kWarpLanes> size{};
  for_lanes(storing(active), [&](unsigned lane) {
    // What LEA_TEX gives for a texel that is outside.
    if (source[0][lane] == 0) return;
    const std::uint64_t address = source[0][lane] + static_cast<std::uint64_t>(std::int64_t{i.offset});
    const auto format = find_vertex_format(static_cast<std::uint32_t>(source[1][lane]));
    if (!format || !can_store(*format)) return memory_.report_no_format(address, by(warp, op, lane));
    const RegisterFormat from = natural(*format, i.register_format);
    const std::uint32_t one = holds_integers(from) ? 1 : from == RegisterFormat::f16 ? 0x3c00 : 0x3f800000;
    std::array<std::uint32_t, 4> channels{0, 0, 0, one};
    for (unsigned n = 0; n <= i.vector_size; ++n)
      channels[n] = holds_halves(from) ? warp.get(i.read.first + n / 2, lane) >> n % 2 * 16 & 0xffff
                                       : warp.get(i.read.first + n, lane);
    texel[lane] = store_element(*format, channels, from);
    size[lane] = format->bytes();
    to[lane] = memory_.write(address, size[lane], access_unit(size[lane]), by(warp, op, lane));
    std::uint32_t value = 0;
    std::memcpy(&value, texel[lane].data(), std::min<std::size_t>(size[lane], sizeof value));
    show_store(warp, lane, address, size[lane], to[lane], value);
  });
  // Part by part, as STORE does, and small texels first: they may overlap.
  for (std::uint32_t bytes = 1; bytes <= sizeof(ElementBytes); ++bytes)
    for (std::uint32_t offset = 0; offset < bytes; offset += access_unit(bytes))
      for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        if (to[lane] != nullptr && size[lane] == bytes)
          std::memcpy(to[lane] + offset, texel[lane].data() + offset, access_unit(bytes));
}

}  // namespace warpjit::valhall
