// GXP containers for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpjit::usse {

class GxpBuilder {
 public:
  explicit GxpBuilder(bool fragment, unsigned minor = 5) : bytes_(minor == 4 ? 0x98 : 0x9c) {
    put(0, 0x00505847, 4);
    put(4, 1, 1);
    put(5, minor, 1);
    put(0x14, fragment ? 1 : 0, 4);
    put(0x30, 8 | 32 << 16, 4);
    put(0x34, 4, 4);
    put(0x3a, 1, 2);
  }

  void put(std::size_t at, std::uint64_t value, unsigned size) {
    for (unsigned k = 0; k < size; ++k) bytes_[at + k] = static_cast<std::byte>(value >> 8 * k);
  }
  void add(std::uint64_t value, unsigned size) {
    bytes_.resize(bytes_.size() + size);
    put(bytes_.size() - size, value, size);
  }
  // The next byte is what the offset in this field leads to.
  void point(std::size_t field) { put(field, bytes_.size() - field, 4); }
  // A count and, in the next word, the offset of what follows.
  void table(std::size_t field, std::uint32_t count) {
    put(field, count, 4);
    point(field + 4);
  }

  void primary(const std::vector<std::uint64_t>& words) {
    table(0x3c, static_cast<std::uint32_t>(words.size()));
    for (const std::uint64_t word : words) add(word, 8);
  }
  void secondary(const std::vector<std::uint64_t>& words) {
    table(0x44, static_cast<std::uint32_t>(words.size()));
    for (const std::uint64_t word : words) add(word, 8);
    point(0x4c);
  }
  // Words of pa, of sa, of r.
  GxpBuilder& registers(unsigned pa, unsigned sa, unsigned r) {
    put(0x30, pa, 2);
    put(0x32, sa, 2);
    put(0x34, r, 4);
    return *this;
  }
  // A container at sa0.
  GxpBuilder& container(unsigned number, unsigned words) {
    table(0x90, 1);
    for (const unsigned word : {number, 0U, 0U, words}) add(word, 2);
    return *this;
  }
  // The default uniform buffer is in sa, from word 0 on.
  GxpBuilder& uniforms(unsigned words) {
    container(14, words);
    put(0x64, words, 4);
    return *this;
  }
  // The control words of a texture unit are sa0 to sa3.
  GxpBuilder& texture(unsigned unit) {
    container(19, 4);
    table(0x80, 4);
    for (unsigned word = 0; word < 4; ++word) add((4 * unit + word) | word << 16, 4);
    return *this;
  }
  // Position and texture coordinates come out, `words` in all; three bits of `texcoords` for each coordinate.
  GxpBuilder& vertex_outputs(std::uint64_t read_words, unsigned words, std::uint32_t texcoords) {
    point(0x2c);
    add(read_words, 8);
    add(0, 8);
    add(words << 24 | 1U << 12, 4);
    add(texcoords, 4);
    add(0, 8);
    return *this;
  }
  // Texture coordinates 0, 1, ... with so many components, f32; the result is four components from pa0 on, of
  // the container's type 0 (f32) or 1 (f16).
  GxpBuilder& fragment_inputs(const std::vector<unsigned>& components, unsigned result) {
    point(0x2c);
    add(0, 8);
    add(result << 16 | 4U << 24, 4);
    add(components.size(), 4);
    add(4, 4);
    for (unsigned n = 0; n < components.size(); ++n) {
      add(15 | n << 12 | (components[n] - 1) << 22, 4);
      add(0, 4);
      add((components[n] - 1) << 4, 4);
      add(0, 4);
    }
    return *this;
  }
  // One parameter, its name after it.
  void parameter(std::uint32_t kind, unsigned semantic, unsigned index, std::uint32_t array,
                 std::uint32_t resource, const std::string& name) {
    add(16, 4);
    add(kind, 2);
    add(semantic, 1);
    add(index, 1);
    add(array, 4);
    add(resource, 4);
    for (const char c : name) add(static_cast<unsigned char>(c), 1);
    add(0, 1);
  }

  // A vertex program with everything; `varyings` is where its block begins.
  static GxpBuilder vertex() {
    GxpBuilder gxp(false);
    gxp.put(0x14, 1U << 16 | 3U << 17, 4);
    gxp.point(0x2c);
    gxp.varyings = gxp.bytes_.size();
    gxp.add(0x37, 8);
    gxp.add(0x10, 8);
    // Clip distance 0, point size, fog, colour 0, position; texcoord0.xyz and, as halves, texcoord1.xy.
    gxp.add(1U | 1U << 8 | 1U << 9 | 1U << 11 | 1U << 12 | 16U << 24, 4);
    gxp.add(3 | 1 << 3, 4);
    gxp.add(2, 4);
    gxp.add(6, 2);
    gxp.add(7, 2);
    gxp.primary({0xfa44070000000000, 0xfb275000a0200000});
    gxp.secondary({0x3884050040000000});
    gxp.table(0x24, 1);
    gxp.parameter(0x0300, 11, 2, 1, 3, "aPosition");
    gxp.table(0x90, 3);
    for (const unsigned word : {14U, 0U, 0U, 16U, 19U, 0U, 20U, 8U, 16U, 0U, 28U, 4U}) gxp.add(word, 2);
    gxp.table(0x70, 1);
    gxp.add(2, 4);
    gxp.add(0x3f800000, 4);
    gxp.table(0x78, 1);
    gxp.add(3 | 1 << 16, 4);
    gxp.add(0xfffffffc, 4);
    gxp.table(0x80, 2);
    gxp.add(5 | 2 << 16, 4);
    gxp.add(6 | 3 << 16, 4);
    gxp.put(0x64, 16, 4);
    return gxp;
  }
  // A fragment program with an iterated colour, and a texture coordinate with a texel.
  static GxpBuilder fragment() {
    GxpBuilder gxp(true);
    gxp.point(0x2c);
    gxp.varyings = gxp.bytes_.size();
    gxp.add(0, 8);
    gxp.add(2 | 1 << 16 | 4 << 24, 4);  // the result is f16x4 at pa2
    gxp.add(2 | 1 << 16, 4);
    gxp.add(4, 4);
    gxp.inputs = gxp.bytes_.size();
    for (const std::uint32_t word : {0x20c0a00fU, 0U, 0x10U, 0U}) gxp.add(word, 4);
    for (const std::uint32_t word : {0x00401101U, 3U, 0x90U, 0x70U}) gxp.add(word, 4);
    gxp.primary({0xfa44070000000000, 0x40800d8ea643040d});
    gxp.table(0x24, 1);
    gxp.parameter(0x0002, 0, 0x13, 1, 3, "uCube");
    return gxp;
  }

  std::vector<std::byte> finish() const {
    GxpBuilder copy = *this;
    copy.put(8, bytes_.size(), 4);
    return copy.bytes_;
  }

  std::size_t varyings = 0, inputs = 0;

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace warpjit::usse
