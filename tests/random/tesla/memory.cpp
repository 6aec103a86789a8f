// c[] and l[] of graphics programs, also outside of them, and lanes that see each other.
#include <bit>

#include "random/tesla/generator.h"

namespace warpjit::tesla {

// Mostly little, as compiled code keeps it in registers.
void RandomGenerator::choose_local() {
  constexpr std::uint32_t kSizes[] = {32, 32, 32, 30, 64, 72, 256, 2048};
  local_bytes_ = kSizes[random_.below(std::size(kSizes))];
}
void RandomGenerator::fill_local() {
  for (unsigned at = 0; at < 28; at += 4) line("st b32 l[" + std::to_string(at) + "] " + any_reg());
}

void RandomGenerator::memory_statement() {
  switch (random_.below(4)) {
    case 0: {  // at a fixed place, which may be the first one after l[]
      const std::string local = "l[" + std::to_string(4 * random_.below(9)) + "]";
      return line(random_.one_in(2) ? "st b32 " + local + " " + any_reg()
                                    : "ld b32 " + any_reg() + " " + local);
    }
    case 1: {
      const std::string at = std::to_string(4 * random_.below(kDataWords + 2));
      const std::string space = random_.one_in(8) ? " b32 c3[" : " b32 c0[";
      return line("ld " + any_reg() + space + at + "]");
    }
    case 2:
      return indexed_constant();
    default:
      return indexed_local();
  }
}

// Puts an address into $a3 that lanes may not agree on, below twice the size of a space, mostly a word's.
std::string RandomGenerator::indexed_address(std::uint32_t bytes) {
  const std::string scratch = reg(kScratch);
  // Each draw stands alone: the order of two in an expression is the compiler's.
  const std::uint32_t all = std::bit_ceil(bytes) * (random_.one_in(3) ? 2 : 1) - 1;
  const std::uint32_t mask = random_.one_in(4) ? all : all & ~3U;
  line("mov b32 " + scratch + " " + std::to_string(mask));
  line("and b32 " + scratch + " " + scratch + " " + any_reg());
  line("shl $a3 " + scratch + " 0x0");
  return "$a3+";
}

// An access to l[] of any size.
void RandomGenerator::indexed_local() {
  constexpr struct {
    const char* type;
    unsigned size;
  } kTypes[] = {{"u8", 1}, {"s8", 1}, {"u16", 2}, {"s16", 2}, {"b32", 4}, {"b64", 8}, {"b128", 16}};
  const auto [type, size] = kTypes[random_.below(std::size(kTypes))];
  const std::string base = indexed_address(local_bytes_);
  const unsigned registers = std::max(size / 4, 1U);
  const std::string data = reg(random_.below(kGeneral / registers) * registers) + (size == 8    ? "d"
                                                                                   : size == 16 ? "q"
                                                                                                : "");
  const std::string place = "l[" + base + std::to_string(size * random_.below(3)) + "]";
  const std::string access = random_.one_in(2) ? std::string("ld ") + type + " " + data + " " + place
                                               : std::string("st ") + type + " " + place + " " + data;
  line((random_.one_in(3) ? predicate() : "") + access);
}

// A load of c0[] of any size.
void RandomGenerator::indexed_constant() {
  constexpr struct {
    const char* type;
    unsigned size;
  } kTypes[] = {{"u8", 1}, {"u16", 2}, {"s16", 2}, {"b32", 4}, {"b32", 4}};
  const auto [type, size] = kTypes[random_.below(std::size(kTypes))];
  const std::string base = indexed_address(4 * kDataWords);
  const std::string when = random_.one_in(3) ? predicate() : "", to = any_reg();
  line(when + "ld " + to + " " + type + " c0[" + base + std::to_string(size * random_.below(3)) + "]");
}

void RandomGenerator::lanes_statement(unsigned depth) {
  if (!options_.lanes_meet || !may_touch(depth)) return arithmetic();
  switch (random_.below(5)) {
    case 0:
    case 1: {
      if (!options_.quads) return arithmetic();
      constexpr const char* kOfFragments[] = {" dx ", " dy "};
      constexpr const char* kLanes[] = {" l0 ", " l1 ", " l2 ", " l3 "};
      const bool is_x = random_.one_in(2);
      const std::string source = any_reg(), to = any_reg();
      const std::string lane = type_ == ProgramType::fragment ? kOfFragments[is_x ? 0 : 1]
                                                              : kLanes[random_.below(std::size(kLanes))];
      return line(std::string("quadop f32 ") + (is_x ? "sub subr sub subr " : "sub sub subr subr ") + to +
                  lane + source + " " + source);
    }
    case 2:
      if (!options_.quads || !random_.one_in(2)) return arithmetic();
      line("quadon");
      arithmetic();
      arithmetic();
      return line("quadpop");
    case 3:
      return options_.votes ? vote() : arithmetic();
    default:
      if (!options_.votes || !random_.one_in(4)) return arithmetic();
      return line("mov " + any_reg() + " $physid");
  }
}

}  // namespace warpjit::tesla
