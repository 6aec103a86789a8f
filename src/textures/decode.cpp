#include "textures/decode.h"

#include <algorithm>
#include <iterator>

#include "textures/decode_blocks.h"

namespace warpjit::textures {

namespace {

struct DecoderRow {
  BlockCompression compression;
  DecodeBlock decode;
};
constexpr DecoderRow kDecoders[] = {
    {BlockCompression::bc1, decode_bc1},         {BlockCompression::bc2, decode_bc2},
    {BlockCompression::bc3, decode_bc3},         {BlockCompression::bc4, decode_bc4},
    {BlockCompression::bc5, decode_bc5},         {BlockCompression::etc1, decode_etc2},
    {BlockCompression::etc2, decode_etc2},       {BlockCompression::etc2_a1, decode_etc2_a1},
    {BlockCompression::etc2_a8, decode_etc2_a8}, {BlockCompression::eac_r11, decode_eac},
    {BlockCompression::eac_rg11, decode_eac},    {BlockCompression::astc, decode_astc},
};

}  // namespace

TextureFormat decoded_format(const TextureFormat& format) {
  TextureFormat decoded = format;
  decoded.compression = BlockCompression::none;
  decoded.block_width = decoded.block_height = 1;
  unsigned bits = 0;
  for (const TexelComponent& component : format.components)
    bits = std::max<unsigned>(bits, component.first_bit + component.bits);
  decoded.bytes = static_cast<std::uint8_t>((bits + 7) / 8);
  return decoded;
}

DecodeBlock find_block_decoder(BlockCompression compression) {
  const auto* found = std::ranges::find(kDecoders, compression, &DecoderRow::compression);
  return found == std::end(kDecoders) ? nullptr : found->decode;
}

}  // namespace warpjit::textures
