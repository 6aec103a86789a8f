#include "random/tesla/generator.h"

namespace warpjit::tesla {

// All general registers have a value; kThread has a small number of the vertex. Behind the attributes lie the
// ids of vertex and instance.
void RandomGenerator::vertex_prologue() {
  const auto attribute = [&](unsigned k) { return "a[" + std::to_string(4 * k) + "]"; };
  for (unsigned k = 0; k < kGeneral; ++k) {
    const std::string from = attribute(random_.below(input_words_));
    line((random_.one_in(3) ? "mov b32 " : "ld b32 ") + reg(k) + " " + from);
  }
  line("ld b32 " + reg(kThread) + " " + attribute(input_words_ - 2));
  line("and b32 " + reg(kThread) + " " + reg(kThread) + " 0x7f");
  fill_local();
  for (unsigned k = 0; k < 4; ++k) {
    line("ld b32 " + reg(kScratch) + " " + attribute(k));
    line("st b32 o[" + std::to_string(4 * k) + "] " + reg(kScratch));
  }
}

// The slots show general registers.
void RandomGenerator::vertex_epilogue() {
  for (std::uint32_t slot = 4; slot < slots_; ++slot)
    line("st b32 o[" + std::to_string(4 * slot) + "] " + any_reg());
  line("exit nop");
}

void RandomGenerator::vertex_statement(unsigned depth) {
  if (options_.textures && random_.one_in(8)) return sample_texture();
  const std::string data = any_reg();
  const bool by_address = random_.one_in(3);
  const std::string place = by_address ? random_address() : "";
  const std::string when = random_.one_in(3) ? predicate() : "";
  switch (random_.below(12)) {
    case 0:
      return line(when + "ld b32 " + data + " a[" + place +
                  std::to_string(4 * random_.below(input_words_ + 2)) + "]");
    case 1: {
      const std::uint32_t first = random_.one_in(8) && !by_address ? 0 : 4;
      return line(when + "st b32 o[" + place + std::to_string(4 * (first + random_.below(slots_))) + "] " +
                  data);
    }
    case 2:
      return memory_statement();
    case 3:
      return random_.one_in(2) ? lanes_statement(depth) : arithmetic();
    default:
      return arithmetic();
  }
}

RandomVertex RandomGenerator::run_vertex(std::uint32_t slots, bool before_geometry) {
  type_ = ProgramType::vertex;
  reconverges_ = options_.together;
  budget_ = static_cast<int>(options_.size);
  slots_ = slots;
  RandomVertex vertex;
  GraphicsState& state = vertex.program.graphics;
  vertex.program.type = type_;
  state.attributes[0] = 0xffff;
  state.builtin_attributes = 0x11;
  input_words_ = 16 + 2;
  state.geometry_enabled = before_geometry;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const bool is_constant = slot >= 4 && random_.one_in(8);
    state.vertex_results.push_back(static_cast<std::uint8_t>(is_constant ? 0x40 + random_.below(2) : slot));
  }
  if (random_.one_in(3) && slots > 5) state.color_slots = 1 << 24 | 1 << 16 | 5 << 8 | 4;
  choose_local();
  vertex_prologue();
  bodies();
  patch();
  name_program(vertex.program);
  vertex.program.local_bytes = local_bytes_;
  for (unsigned k = 0; k < kDataWords; ++k) vertex.c0.push_back(data());
  vertex.samples = options_.textures;
  return vertex;
}

RandomVertex random_vertex(std::uint64_t seed, std::uint32_t slots, bool before_geometry,
                           const RandomOptions& options) {
  RandomOptions alone = options;
  alone.tables = false;
  return RandomGenerator(seed, alone).run_vertex(slots, before_geometry);
}

}  // namespace warpjit::tesla
