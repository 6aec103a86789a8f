#include <bit>

#include "random/tesla/generator.h"

namespace warpjit::tesla {

GraphicsState RandomGenerator::fragment_state(RandomFragment& fragment) {
  constexpr std::uint32_t kFirst = 4, kMostSlots = 12, kColors = 2;
  const std::uint32_t count = kColors + 1 + random_.below(kMostSlots - kColors);
  const std::uint32_t interpolated = random_.below(count + 1),
                      position = random_.below(16) | 8 | (options_.memory ? 3 : 0);
  GraphicsState state;
  state.interpolants = position << 24 | interpolated << 16 | kFirst << 8 | count;
  if (random_.one_in(2)) state.noperspective[0] = static_cast<std::uint32_t>(random_.next()) & 0xffff;
  state.pixel_center_integer = random_.one_in(4);
  if (random_.one_in(4)) state.primitive_id_slot = kFirst + random_.below(count);
  state.two_sided = random_.one_in(3);
  state.color_slots = kColors << 16 | (kFirst + count) << 8 | kFirst;
  if (random_.one_in(3)) {
    state.point_sprites = true;
    state.point_upper_left = random_.one_in(2);
    for (std::uint32_t slot = kFirst; slot < kFirst + count; ++slot)
      state.point_coordinates[slot / 8] |= random_.below(5) << (slot % 8 * 4);
  }
  fragment.slots = kFirst + count + kColors;
  fragment.targets = kGeneral / 4;
  const bool exports_depth = random_.one_in(4);
  state.fragment_control = 1 | (exports_depth ? 0x100U : 0U);
  state.fragment_results = kGeneral + (exports_depth ? 1 : 0);
  input_words_ = count + static_cast<std::uint32_t>(std::popcount(position));
  return state;
}

// All general registers have a value; kThread has a small number that differs in a quad.
void RandomGenerator::fragment_prologue() {
  for (unsigned k = 0; k < kGeneral; ++k) {
    if (random_.one_in(4))
      line("mov b32 " + reg(k) + " " + std::to_string(data()));
    else
      interpolate(reg(k));
  }
  interpolate(reg(kThread));
  line("cvt rni s32 " + reg(kThread) + " f32 " + reg(kThread));
  line("and b32 " + reg(kThread) + " " + reg(kThread) + " 0x7f");
  fill_local();
  if (options_.memory) find_pixel_words();
}

// kOutput is the address of the pixel's words in g0: v[] begins with its column and row.
void RandomGenerator::find_pixel_words() {
  static_assert(kRandomPixelColumns == 1 << 7 && kRandomPixelBytes == 1 << 5);
  const std::string place = reg(kOutput), row = reg(kScratch);
  line("interp " + place + " v[0x0]");
  line("cvt rzi s32 " + place + " f32 " + place);
  line("interp " + row + " v[0x4]");
  line("cvt rzi s32 " + row + " f32 " + row);
  line("shl b32 " + row + " " + row + " 0x7");
  line("add b32 " + place + " " + place + " " + row);
  line("shl b32 " + place + " " + place + " 0x5");
}

// A load, a store or an atomic of a word of the pixel's.
void RandomGenerator::pixel_memory() {
  const std::string at = reg(kScratch), when = random_.one_in(3) ? predicate() : "";
  line("add b32 " + at + " " + reg(kOutput) + " " + std::to_string(4 * random_.below(kRandomPixelBytes / 4)));
  switch (random_.below(5)) {
    case 0:
      return add_atomically("g0[" + at + "]");
    case 1:
    case 2:
      return line(when + "st b32 g0[" + at + "] " + any_reg());
    default:
      return line(when + "ld b32 " + any_reg() + " g0[" + at + "]");
  }
}

// The colours of eight targets, and perhaps the depth, show all general registers and flags.
void RandomGenerator::fragment_epilogue() {
  for (unsigned k = 0; k < 4; ++k) line("mov $r" + std::to_string(28 + k) + " $c" + std::to_string(k));
  interpolate(reg(kGeneral));
  line("exit nop");
}

void RandomGenerator::interpolate(const std::string& into) {
  if (random_.one_in(16)) return line("interp " + into + " flat v[0x3fc]");
  const std::string place = random_.one_in(12) ? random_address() : "";
  const std::string at = " v[" + place + std::to_string(4 * random_.below(input_words_)) + "]";
  switch (random_.below(4)) {
    case 0:
      return line("interp " + into + " flat" + at);
    case 1:
      return line("interp " + into + (random_.one_in(3) ? " cent" : "") + at);
    default: {
      const std::string cent = random_.one_in(3) ? " cent" : "", neg = random_.one_in(4) ? " neg " : " ";
      return line("interp " + into + cent + at + neg + any_reg());
    }
  }
}

void RandomGenerator::fragment_statement(unsigned depth) {
  if (options_.textures && may_touch(depth) && random_.one_in(8)) return sample_texture();
  if (options_.memory && may_touch(depth) && random_.one_in(8)) return pixel_memory();
  switch (random_.below(24)) {
    case 0:
    case 1:
      return interpolate(any_reg());
    case 2:
      return random_.one_in(2) ? line(predicate() + "discard") : arithmetic();
    case 3:
      return memory_statement();
    case 4:
    case 5:
    case 6:
      return random_.one_in(2) ? lanes_statement(depth) : arithmetic();
    default:
      return arithmetic();
  }
}

RandomFragment RandomGenerator::run_fragment() {
  type_ = ProgramType::fragment;
  reconverges_ = options_.together;
  budget_ = static_cast<int>(options_.size);
  RandomFragment fragment;
  Program& program = fragment.program;
  program.type = type_;
  program.graphics = fragment_state(fragment);
  choose_local();
  fragment_prologue();
  bodies();
  patch();
  name_program(program);
  program.local_bytes = local_bytes_;
  for (unsigned k = 0; k < kDataWords; ++k) fragment.c0.push_back(data());
  fragment.samples = options_.textures;
  fragment.memory = options_.memory;
  return fragment;
}

RandomFragment random_fragment(std::uint64_t seed, const RandomOptions& options) {
  return RandomGenerator(seed, options).run_fragment();
}

}  // namespace warpjit::tesla
