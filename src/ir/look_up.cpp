#include "ir/look_up.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/srgb.h"

namespace warpjit::ir {
namespace {

// Entry i, bits 4i to 4i + 3: 128 log2(1 + (i + 1/2) / 256), rounded, less i / 2, rounded down.
constexpr std::uint32_t kLogarithm[32] = {
    0x22212110, 0x43333232, 0x55545444, 0x66656565, 0x77777676, 0x88888787, 0x99989898, 0xa9a9a999,
    0xaaaaaaa9, 0xbabababa, 0xbbbbbbba, 0xcbbbbbbb, 0xcbcbcbcb, 0xcbcbcbcb, 0xcbcbcbcb, 0xcbcbcbcb,
    0xbbcbcbcb, 0xbbbbbbbb, 0xbababbbb, 0xaabababa, 0xaaaaaaaa, 0x99a9a9a9, 0x98999999, 0x88888898,
    0x77878788, 0x76767777, 0x65666666, 0x55555565, 0x44444454, 0x33333343, 0x22222232, 0x10111121,
};

constexpr std::uint32_t kCubeEdges[32] = {
    0x214, 0x205, 0x312, 0x213, 0x215, 0x204, 0x202, 0x303,  // +x, -x
    0x021, 0x030, 0x035, 0x024, 0x131, 0x120, 0x124, 0x135,  // +y, -y
    0x211, 0x200, 0x122, 0x023, 0x210, 0x201, 0x032, 0x133,  // +z, -z
};

constexpr std::uint32_t kSine[64] = {
    0x00000000, 0x3dc8bd36, 0x3e47c5c2, 0x3e94a031, 0x3ec3ef15, 0x3ef15aea, 0x3f0e39da, 0x3f226799,
    0x3f3504f3, 0x3f45e403, 0x3f54db31, 0x3f61c598, 0x3f6c835e, 0x3f74fa0b, 0x3f7b14be, 0x3f7ec46d,
    0x3f800000, 0x3f7ec46d, 0x3f7b14be, 0x3f74fa0b, 0x3f6c835e, 0x3f61c598, 0x3f54db31, 0x3f45e403,
    0x3f3504f3, 0x3f226799, 0x3f0e39da, 0x3ef15aea, 0x3ec3ef15, 0x3e94a031, 0x3e47c5c2, 0x3dc8bd36,
    0x00000000, 0xbdc8bd36, 0xbe47c5c2, 0xbe94a031, 0xbec3ef15, 0xbef15aea, 0xbf0e39da, 0xbf226799,
    0xbf3504f3, 0xbf45e403, 0xbf54db31, 0xbf61c598, 0xbf6c835e, 0xbf74fa0b, 0xbf7b14be, 0xbf7ec46d,
    0xbf800000, 0xbf7ec46d, 0xbf7b14be, 0xbf74fa0b, 0xbf6c835e, 0xbf61c598, 0xbf54db31, 0xbf45e403,
    0xbf3504f3, 0xbf226799, 0xbf0e39da, 0xbef15aea, 0xbec3ef15, 0xbe94a031, 0xbe47c5c2, 0xbdc8bd36,
};

}  // namespace

std::span<const std::uint32_t> look_up_table(std::uint64_t table) {
  switch (table) {
    case kSrgbDecodedTable:
      return kSrgbDecoded;
    case kSrgbStepsTable: {
      static const auto kSteps = [] {
        std::array<std::uint32_t, std::bit_ceil(kSrgbSteps)> steps{};
        std::ranges::copy(srgb_steps(), steps.begin());
        return steps;
      }();
      return kSteps;
    }
    case kLogarithmTable:
      return kLogarithm;
    case kCubeEdgeTable:
      return kCubeEdges;
    case kSineTable:
      return kSine;
    default:
      return sfu::words_of(static_cast<sfu::Table>(table));
  }
}

}  // namespace warpjit::ir
