// What a program samples: which textures with which samplers, what a translation depends on of these, and
// what stands in its uniform table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "frontend/textures/bound.h"
#include "ir/memory.h"
#include "ir/sample.h"
#include "textures/view.h"

namespace warpjit::frontend {

// The key of a texture that is sampled so.
ir::SampleKey sample_key(const textures::TextureView& texture, const Sampler& sampler);
// Its words in the uniform table: ir::sample_words::kBytes.
void fill_sample_words(const textures::TextureView& texture, const Sampler& sampler,
                       std::span<std::uint32_t> words);
ir::TexelView texel_view(const textures::TextureView& texture);

// Where the words of a program's samples begin in the table, number by number.
struct SampleTable {
  std::uint32_t first = 0;  // byte, a multiple of 16
  std::uint32_t count = 0;
  std::uint32_t words(std::size_t number) const {
    return first + static_cast<std::uint32_t>(number) * ir::sample_words::kBytes;
  }
  std::uint32_t end() const { return (words(count) + 63) / 64 * 64; }
};

// The words of all that a launch samples. What is not bound is left as it is.
void fill_samples(const Sampling& sampling, const BoundTextures& bound, const SampleTable& table,
                  std::span<std::uint32_t> words);

// Appends what a translation depends on.
void append_key(std::span<const ir::SampleKey> samples, std::vector<std::byte>& key);

}  // namespace warpjit::frontend
