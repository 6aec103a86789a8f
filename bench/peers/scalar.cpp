#include "scalar.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpjit::bench {
namespace {

std::uint32_t bits(std::uint32_t word, unsigned low, unsigned width) {
  return word >> low & ((1U << width) - 1);
}

float multiply(float a, float b) {
  const float product = a * b;
  return std::isnan(product) && !std::isnan(a) && !std::isnan(b) ? 0.0f : product;
}

Vector swizzle(const Vector& from, std::uint32_t descriptor, unsigned source) {
  const bool negate = bits(descriptor, 4 + 9 * source, 1) != 0;
  const std::uint32_t selector = bits(descriptor, 5 + 9 * source, 8);
  Vector result;
  for (unsigned k = 0; k < 4; ++k) {
    const float value = from[selector >> (6 - 2 * k) & 3];
    result[k] = negate ? -value : value;
  }
  return result;
}

bool compare(unsigned relation, float a, float b) {
  switch (relation) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    case 5:
      return a >= b;
    default:
      return true;
  }
}

template <class Entry, std::size_t kDepth>
struct Stack {
  Entry entries[kDepth];
  unsigned size = 0;
  bool empty() const { return size == 0; }
  Entry& top() { return entries[(size - 1) % kDepth]; }
  void push(const Entry& entry) { entries[size++ % kDepth] = entry; }
  void pop() { --size; }
};

float reciprocal(float x) { return x == 0 ? INFINITY : std::isinf(x) ? 0.0f : 1 / x; }
float root(float x) { return x == 0 ? INFINITY : 1 / std::sqrt(x); }

}  // namespace

Vector ScalarUnit::source(const ScalarProgram& program, std::uint32_t number, unsigned index) const {
  if (number < 0x10) return v[number];
  if (number < 0x20) return r[number - 0x10];
  number -= 0x20;
  if (index != 0) {
    std::int32_t offset = index == 3 ? aL_ : a0_[index - 1];
    if (offset < -128 || offset > 127) offset = 0;
    number = (number + static_cast<std::uint32_t>(offset)) & 0x7f;
    if (number > 95) return {1, 1, 1, 1};
  }
  return program.c[number];
}

bool ScalarUnit::condition(std::uint32_t word) const {
  const bool x = cmp_[0] == (bits(word, 25, 1) != 0), y = cmp_[1] == (bits(word, 24, 1) != 0);
  switch (bits(word, 22, 2)) {
    case 0:
      return x || y;
    case 1:
      return x && y;
    case 2:
      return x;
    default:
      return y;
  }
}

void ScalarUnit::run(const ScalarProgram& program) {
  Stack<Call, 4> calls;
  Stack<If, 8> ifs;
  Stack<Loop, 4> loops;
  std::uint32_t pc = program.entry;
  for (;;) {
    const std::uint32_t word = program.code[pc];
    const std::uint32_t opcode = word >> 26;
    const std::uint32_t next = pc + 1;
    std::uint32_t to = next;
    const std::uint32_t target = bits(word, 10, 12), num = bits(word, 0, 8);
    bool leaves = false;
    if (opcode < 0x20 || opcode >= 0x2e) {
      const bool mad = opcode >= 0x30;
      const std::uint32_t descriptor = program.descriptors[bits(word, 0, mad ? 5 : 7)];
      const std::uint32_t mask = descriptor & 15;
      Vector a, b{}, c{}, d{};
      if (mad) {
        const bool inverted = opcode < 0x38;
        const unsigned index = bits(word, 22, 2);
        a = swizzle(source(program, bits(word, 17, 5), 0), descriptor, 0);
        b = swizzle(
            inverted ? source(program, bits(word, 12, 5), 0) : source(program, bits(word, 10, 7), index),
            descriptor, 1);
        c = swizzle(
            inverted ? source(program, bits(word, 5, 7), index) : source(program, bits(word, 5, 5), 0),
            descriptor, 2);
      } else {
        const bool inverted = opcode >= 0x18 && opcode < 0x20;
        const unsigned index = bits(word, 19, 2);
        a = swizzle(
            inverted ? source(program, bits(word, 14, 5), 0) : source(program, bits(word, 12, 7), index),
            descriptor, 0);
        b = swizzle(
            inverted ? source(program, bits(word, 7, 7), index) : source(program, bits(word, 7, 5), 0),
            descriptor, 1);
      }
      bool writes = true;
      switch (mad ? 0x38 : opcode) {
        case 0x00:
          for (unsigned k = 0; k < 4; ++k) d[k] = a[k] + b[k];
          break;
        case 0x01:
          d.fill(multiply(a[0], b[0]) + multiply(a[1], b[1]) + multiply(a[2], b[2]));
          break;
        case 0x02:
          d.fill((multiply(a[0], b[0]) + multiply(a[1], b[1])) +
                 (multiply(a[2], b[2]) + multiply(a[3], b[3])));
          break;
        case 0x03:
        case 0x18:
          d.fill((multiply(a[0], b[0]) + multiply(a[1], b[1])) + (multiply(a[2], b[2]) + b[3]));
          break;
        case 0x05:
          d.fill(std::exp2(a[0]));
          break;
        case 0x06:
          d.fill(std::log2(a[0]));
          break;
        case 0x08:
          for (unsigned k = 0; k < 4; ++k) d[k] = multiply(a[k], b[k]);
          break;
        case 0x09:
        case 0x1a:
          for (unsigned k = 0; k < 4; ++k) d[k] = a[k] >= b[k] ? 1.0f : 0.0f;
          break;
        case 0x0a:
        case 0x1b:
          for (unsigned k = 0; k < 4; ++k) d[k] = a[k] < b[k] ? 1.0f : 0.0f;
          break;
        case 0x0b:
          for (unsigned k = 0; k < 4; ++k) d[k] = std::floor(a[k]);
          break;
        case 0x0c:
          for (unsigned k = 0; k < 4; ++k) d[k] = a[k] > b[k] ? a[k] : b[k];
          break;
        case 0x0d:
          for (unsigned k = 0; k < 4; ++k) d[k] = a[k] < b[k] ? a[k] : b[k];
          break;
        case 0x0e:
          d.fill(reciprocal(a[0]));
          break;
        case 0x0f:
          d.fill(root(a[0]));
          break;
        case 0x12:
          for (unsigned k = 0; k < 2; ++k)
            if ((mask >> (3 - k) & 1) != 0) a0_[k] = static_cast<std::int32_t>(a[k]);
          writes = false;
          break;
        case 0x13:
          d = a;
          break;
        case 0x2e:
        case 0x2f:
          cmp_[0] = compare(bits(word, 24, 3), a[0], b[0]);
          cmp_[1] = compare(bits(word, 21, 3), a[1], b[1]);
          writes = false;
          break;
        case 0x38:
          for (unsigned k = 0; k < 4; ++k) d[k] = multiply(a[k], b[k]) + c[k];
          break;
        default:
          return;
      }
      if (writes) {
        const std::uint32_t number = bits(word, mad ? 24 : 21, 5);
        Vector& to_register = number < 0x10 ? banks[bank][number] : r[number - 0x10];
        for (unsigned k = 0; k < 4; ++k)
          if ((mask >> (3 - k) & 1) != 0) to_register[k] = d[k];
      }
    } else {
      const auto boolean = [&] { return (program.b >> bits(word, 22, 4) & 1) != 0; };
      bool holds = true;
      if (opcode == 0x23 || opcode == 0x25 || opcode == 0x28 || opcode == 0x2c) holds = condition(word);
      if (opcode == 0x26 || opcode == 0x27) holds = boolean();
      switch (opcode) {
        case 0x22:
          return;
        case 0x20:
        case 0x23:
          leaves = holds && !loops.empty();
          break;
        case 0x24:
        case 0x25:
        case 0x26:
          if (holds) calls.push({target + num, next}), to = target;
          break;
        case 0x27:
        case 0x28:
          if (holds)
            ifs.push({target, target + num});
          else
            to = target;
          break;
        case 0x29: {
          const auto& i = program.i[bits(word, 22, 2)];
          loops.push({next, target + 1, i[0], i[2]});
          aL_ = i[1];
          break;
        }
        case 0x2a:
          emit(*this, vertex_, primitive_, winding_);
          break;
        case 0x2b:
          vertex_ = bits(word, 24, 2);
          primitive_ = bits(word, 23, 1) != 0;
          winding_ = bits(word, 22, 1) != 0;
          break;
        case 0x2c:
          if (holds) to = target;
          break;
        case 0x2d:
          if (boolean() != ((num & 1) != 0)) to = target;
          break;
        default:
          break;
      }
    }
    for (std::uint32_t end = next; !calls.empty() && calls.top().end == end; calls.pop())
      to = end = calls.top().back;
    if (!ifs.empty() && ifs.top().otherwise == next) {
      to = ifs.top().end;
      ifs.pop();
    }
    if (!loops.empty() && (leaves || loops.top().end == next)) {
      Loop& loop = loops.top();
      if (!leaves) aL_ += static_cast<std::int32_t>(loop.step);
      if (!leaves && loop.count-- != 0) {
        to = loop.entry;
      } else {
        to = loop.end;
        loops.pop();
      }
    }
    pc = to;
  }
}

void ScalarAssembly::emit(ScalarUnit& unit, unsigned vertex, bool primitive, bool winding) {
  if (vertex < 3)
    for (unsigned n = 0; n < 16; ++n)
      if ((enabled_ >> n & 1) != 0) corners_[vertex][n] = unit.banks[unit.bank][n];
  if (primitive) triangle_(corners_, winding);
  unit.bank ^= 1;
}

}  // namespace warpjit::bench
