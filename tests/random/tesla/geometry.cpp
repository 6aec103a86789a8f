#include "random/tesla/generator.h"

namespace warpjit::tesla {

void RandomGenerator::geometry_state(GraphicsState& state) {
  constexpr std::uint32_t kFirstColor = 4;
  state.geometry_output = 1 + random_.below(3);
  state.geometry_vertices = 1 + random_.below(16);
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    const bool is_constant = slot >= 4 && random_.one_in(8);
    state.geometry_results.push_back(static_cast<std::uint8_t>(is_constant ? 0x80 + random_.below(2) : slot));
  }
  if (random_.one_in(3) && slots_ > kFirstColor) state.color_slots = 1 << 24 | 1 << 16 | kFirstColor;
}

// $a1 points to one of the vertices; where the predicate fails, to the one before.
void RandomGenerator::choose_vertex(const std::string& predicate) {
  line(predicate + "shl $a1 a[" + std::to_string(4 * random_.below(input_vertices_)) + "] 0x0");
}

void RandomGenerator::emit_vertex(const std::string& predicate) {
  for (unsigned k = 0; k < 4; ++k) {
    const std::string to = "o[" + std::to_string(4 * k) + "]", from = "p[$a1+" + std::to_string(4 * k) + "]";
    if (k < 2 && random_.one_in(2)) {
      line("mov b32 " + reg(kScratch) + " 0x3e" + std::to_string(100000 + random_.below(800000)));
      line("add rn f32 " + to + " " + from + " " + reg(kScratch));
    } else {
      line("mov b32 " + to + " " + from);
    }
  }
  line(predicate + "emit");
}

// All general registers have a value; kThread has a small number of the primitive.
void RandomGenerator::geometry_prologue() {
  choose_vertex("");
  for (unsigned k = 0; k < kGeneral; ++k)
    line("mov b32 " + reg(k) + " " +
         (random_.one_in(3) ? std::to_string(data())
                            : "p[$a1+" + std::to_string(4 * random_.below(input_words_)) + "]"));
  line("ld b32 " + reg(kThread) + " a[0x18]");
  line("and b32 " + reg(kThread) + " " + reg(kThread) + " 0x7f");
  fill_local();
  for (std::uint32_t slot = 0; slot < slots_; ++slot)
    line("mov b32 o[" + std::to_string(4 * slot) + "] p[$a1+" + std::to_string(4 * (slot % input_words_)) +
         "]");
}

void RandomGenerator::geometry_epilogue() {
  for (unsigned k = 0; k < 3; ++k) {
    choose_vertex("");
    emit_vertex("");
  }
  line("exit nop");
}

void RandomGenerator::geometry_statement(unsigned depth) {
  if (options_.textures && random_.one_in(8)) return sample_texture();
  const std::string word = "p[$a1+" + std::to_string(4 * random_.below(input_words_ + 2)) + "]";
  const std::string place = random_.one_in(6) ? random_address() : "";
  switch (random_.below(24)) {
    case 0:
    case 1:
      choose_vertex(random_.one_in(2) ? predicate() : "");
      return emit_vertex(random_.one_in(3) ? predicate() : "");
    case 2:
      return line((random_.one_in(2) ? predicate() : "") + "restart");
    case 3: {
      const std::string from = any_reg();
      return line("st b32 o[" + place + std::to_string(4 * random_.below(slots_ + 2)) + "] " + from);
    }
    case 4:
    case 5:
      return line("mov b32 " + any_reg() + " " + word);
    case 6: {
      const std::string at = std::to_string(4 * random_.below(8));
      return line("ld b32 " + any_reg() + " a[" + place + at + "]");
    }
    case 7:
    case 8:
      return memory_statement();
    case 9:
    case 10:
      return random_.one_in(2) ? lanes_statement(depth) : arithmetic();
    default:
      return arithmetic();
  }
}

RandomGeometry RandomGenerator::run_geometry(std::uint32_t vertices, std::uint32_t words,
                                             std::uint32_t slots) {
  type_ = ProgramType::geometry;
  reconverges_ = options_.together;
  budget_ = static_cast<int>(options_.size);
  input_vertices_ = vertices;
  input_words_ = words;
  slots_ = slots;
  RandomGeometry geometry;
  Program& program = geometry.program;
  program.type = type_;
  geometry_state(program.graphics);
  choose_local();
  geometry_prologue();
  bodies();
  patch();
  name_program(program);
  program.local_bytes = local_bytes_;
  for (unsigned k = 0; k < kDataWords; ++k) geometry.c0.push_back(data());
  geometry.samples = options_.textures;
  return geometry;
}

RandomGeometry random_geometry(std::uint64_t seed, std::uint32_t vertices, std::uint32_t words,
                               std::uint32_t slots, const RandomOptions& options) {
  RandomOptions alone = options;
  alone.tables = false;
  return RandomGenerator(seed, alone).run_geometry(vertices, words, slots);
}

}  // namespace warpjit::tesla
