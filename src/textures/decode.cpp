#include "textures/decode.h"

namespace warpjit::textures {

TextureFormat decoded_format(const TextureFormat& format) {
  TextureFormat decoded = format;
  decoded.compression = BlockCompression::none;
  decoded.block_width = decoded.block_height = 1;
  decoded.bytes = 0;
  for (const TexelComponent& component : format.components) decoded.bytes += component.bits / 8;
  return decoded;
}

DecodeBlock find_block_decoder(BlockCompression) { return nullptr; }

}  // namespace warpjit::textures
