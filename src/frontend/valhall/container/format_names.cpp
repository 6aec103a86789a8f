#include "frontend/valhall/container/format_names.h"

#include <cinttypes>
#include <cstdio>
#include <string_view>

#include "frontend/encoding/names.h"

namespace warpjit::valhall {
namespace {

using FormatName = std::pair<std::uint32_t, std::string_view>;

template <std::size_t kCount>
std::string number_text(const FormatName (&names)[kCount], std::uint32_t number) {
  const std::string_view name = encoding::look_up(names, number);
  return std::to_string(number) + " (" + (name.empty() ? "no format" : std::string(name)) + ")";
}

// Pixel formats that are no family, by bits 12 to 19.
constexpr FormatName kPixels[] = {
    {64, "rgb565"},        {65, "rgb5a1"},        {66, "a1bgr5"},        {67, "rgb10a2unorm"},
    {68, "a2bgr10unorm"},  {69, "rgb10a2snorm"},  {70, "a2bgr10snorm"},  {71, "rgb10a2uint"},
    {72, "a2bgr10uint"},   {73, "rgb10a2sint"},   {74, "a2bgr10sint"},   {75, "z16unorm"},
    {76, "z32"},           {77, "z24x8unorm"},    {78, "x8z24unorm"},    {81, "r16.16"},
    {82, "rg16.16"},       {83, "rgb16.16"},      {84, "rgba16.16"},     {89, "r11g11b10f"},
    {90, "b10g11r11f"},    {91, "rgb9e5f"},       {92, "e5bgr9f"},       {93, "s8"},
    {94, "snap4"},         {95, "constant"},      {106, "rg4snorm"},     {121, "rgba2snorm"},
    {122, "rgba4snorm"},   {138, "rg4uint"},      {153, "rgba2uint"},    {154, "rgba4uint"},
    {170, "rg4unorm"},     {185, "rgba2unorm"},   {186, "rgba4unorm"},   {202, "rg4sint"},
    {217, "rgba2sint"},    {218, "rgba4sint"},    {224, "tile rgb5a1"},  {225, "tile rgb5a1"},
    {226, "tile rgb565"},  {227, "tile rgb565"},  {230, "vertex store"}, {231, "vertex store"},
    {232, "tile rgba4"},   {233, "tile rgba4"},   {237, "tile rgba8"},   {238, "tile rgb10a2"},
    {239, "vertex store"}, {240, "vertex store"}, {241, "tile rgb8a2"},  {242, "tile rgb8a2"},
    {247, "vertex store"}, {255, "vertex store"},
};
constexpr FormatName kOrders[] = {{0, "RGBA"},   {2, "GRBA"},   {4, "BGRA"},   {8, "ARGB"},   {10, "AGRB"},
                                  {12, "ABGR"},  {16, "RGB1"},  {18, "GRB1"},  {20, "BGR1"},  {24, "1RGB"},
                                  {26, "1GRB"},  {28, "1BGR"},  {226, "RRRR"}, {227, "RRR1"}, {228, "RRRA"},
                                  {229, "000A"}, {230, "0001"}, {231, "0000"}, {240, "R000"}, {242, "RBGA"}};

// 32 A + 8 B + C: kind A of B + 1 components, their size by C.
std::string family_name(std::uint32_t code) {
  const std::uint32_t kind = code >> 5, size = code & 7, count = (code >> 3 & 3) + 1;
  if (kind < 3 || kind > 6) return {};
  const std::string letters(std::string_view("rgba").substr(0, count));
  if (size == 7 && kind >= 5) return letters + (kind == 5 ? "32f" : "16f");
  if (size < 3 || size > 5) return {};
  constexpr std::string_view kKinds[] = {"snorm", "uint", "unorm", "sint"};
  return letters + std::to_string(1U << size) + std::string(kKinds[kind - 3]);
}

// clang-format off
constexpr FormatName kClumps[] = {
    {0, "raw8"}, {1, "raw16"}, {2, "raw32"}, {3, "raw64"}, {4, "raw128"}, {8, "raw24"}, {9, "raw48"},
    {10, "raw96"}, {16, "d32x32"}, {17, "x32d32"}, {18, "x32s8x24"}, {19, "x24s8x32"}, {20, "x24s8"},
    {21, "s8x24"}, {22, "s8"}, {24, "l4a4"}, {25, "l8a8"}, {26, "a8"}, {32, "ETC2 RGB8"},
    {33, "EAC R11 unorm"}, {34, "EAC R11 snorm"}, {35, "EAC RG11 unorm"}, {36, "EAC RG11 snorm"},
    {37, "ETC2 RGBA8"}, {38, "ETC2 RGB8A1"}, {48, "BC1"}, {49, "BC2"}, {50, "BC3"}, {51, "BC4 unorm"},
    {52, "BC4 snorm"}, {53, "BC5 unorm"}, {54, "BC5 snorm"}, {55, "BC6H ufloat"}, {56, "BC6H sfloat"},
    {57, "BC7"}};
// clang-format on
constexpr FormatName kPlaneKinds[] = {{0, "null"},    {1, "generic"}, {4, "ASTC 2D"},
                                      {5, "ASTC 3D"}, {6, "AFBC"},    {8, "chroma of two planes"}};
constexpr FormatName kTiles[] = {{0, "off"},    {1, "rgba8"},  {2, "rgb10a2"}, {3, "rgb8a2"},
                                 {4, "rgba4"},  {5, "rgb565"}, {6, "rgb5a1"},  {32, "raw8"},
                                 {33, "raw16"}, {34, "raw32"}, {35, "raw64"},  {36, "raw128"}};
constexpr FormatName kStored[] = {{0, "raw8"},     {1, "raw16"},   {2, "raw24"},   {3, "raw32"},
                                  {4, "raw48"},    {5, "raw64"},   {6, "raw96"},   {7, "raw128"},
                                  {8, "raw192"},   {16, "r8"},     {17, "rg8"},    {18, "rgb8"},
                                  {19, "rgba8"},   {20, "rgba4"},  {21, "rgb565"}, {24, "rgb10a2"},
                                  {25, "a2bgr10"}, {28, "rgb5a1"}, {29, "a1bgr5"}};
constexpr FormatName kDepths[] = {{0, "none"},  {1, "d16"},   {2, "d24"},
                                  {4, "d24x8"}, {5, "d24s8"}, {14, "d32"}};
constexpr FormatName kStencils[] = {{0, "none"}, {1, "s8"}, {4, "x24s8"}};

}  // namespace

std::string pixel_format_text(std::uint32_t format) {
  const std::uint32_t code = format >> 12 & 0xff, order = format & 0xfff;
  std::string name(encoding::look_up(kPixels, code));
  if (name.empty()) name = family_name(code);
  if (name.empty()) name = code >= 32 && code <= 55 ? "YUV" : code == 0 ? "none" : "no format";
  const std::string_view channels = encoding::look_up(kOrders, order);
  if (channels.empty())
    name += ", component order " + std::to_string(order);
  else if (order != 0)
    name += ", " + std::string(channels);
  if ((format >> 20 & 1) != 0) name += ", sRGB";
  if ((format >> 21 & 1) != 0) name += ", bit 21";
  char text[16];
  std::snprintf(text, sizeof text, "0x%" PRIx32, format);
  return text + (" (" + name + ")");
}

std::string clump_text(std::uint32_t clump) {
  const bool yuv = (clump >= 64 && clump <= 76) || (clump >= 120 && clump <= 125);
  return yuv ? std::to_string(clump) + " (YUV)" : number_text(kClumps, clump);
}
std::string plane_kind_text(std::uint32_t kind) { return number_text(kPlaneKinds, kind); }
std::string tile_format_text(std::uint32_t format) { return number_text(kTiles, format); }
std::string stored_format_text(std::uint32_t format) { return number_text(kStored, format); }
std::string depth_format_text(std::uint32_t format) { return number_text(kDepths, format); }
std::string stencil_format_text(std::uint32_t format) { return number_text(kStencils, format); }

}  // namespace warpjit::valhall
