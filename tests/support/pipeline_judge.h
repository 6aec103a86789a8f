// The console's pipeline by docs/guests/pica200.md 10 and 11, written plainly: a command list word by word, a
// vertex at a time through the guest interpreter, a primitive at a time. It shares no code with
// src/device/pica200.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "frontend/pica200/interpret/interpret.h"
#include "support/draw_reference.h"
#include "warpjit/pica200.hpp"

namespace warpjit::tests {

struct JudgedDraw {
  bool ok = false;
  bool triangles = false;
  std::vector<VertexBits> vertices;  // one for each index, or three for each triangle
};

class PipelineJudge {
 public:
  std::vector<std::byte> memory;
  std::uint32_t address = 0;  // of the memory
  std::uint64_t fuel = 0;

  std::vector<JudgedDraw> run(const std::vector<std::uint32_t>& list) {
    draws_.clear();
    for (std::size_t at = 0; at + 1 < list.size();) {
      const std::uint32_t header = list[at + 1], extra = header >> 20 & 255;
      for (std::uint32_t n = 0; n <= extra; ++n)
        write((header & 0xFFFF) + (header >> 31) * n, n == 0 ? list[at] : list[at + 1 + n],
              header >> 16 & 15);
      at += 2 + extra + extra % 2;
    }
    send();
    return draws_;
  }

  // The geometry unit's state as words, for comparison.
  pica200::GeometryUnit unit() const {
    pica200::GeometryUnit words;
    const pica200::ThreadState& s = unit_.registers;
    std::memcpy(words.r, s.r, sizeof words.r);
    std::memcpy(words.a0, s.a0, sizeof words.a0);
    words.aL = s.aL;
    words.cmp = (s.cmp[0] ? 1u : 0u) | (s.cmp[1] ? 2u : 0u);
    words.vertex = unit_.vertex;
    words.flags = (unit_.primitive ? 1u : 0u) | (unit_.winding ? 2u : 0u);
    std::memcpy(words.outputs[0], s.o, sizeof words.outputs[0]);
    std::memcpy(words.outputs[1], unit_.other_bank, sizeof words.outputs[1]);
    std::memcpy(words.vertices, unit_.vertices, sizeof words.vertices);
    const auto definite = [](std::uint32_t& word) {
      if ((word & 0x7fffffff) > 0x7f800000) word = 0x7fc00000;
    };
    for (auto& vector : words.r)
      for (std::uint32_t& word : vector) definite(word);
    for (auto& bank : words.outputs)
      for (auto& vector : bank)
        for (std::uint32_t& word : vector) definite(word);
    for (auto& vertex : words.vertices)
      for (auto& vector : vertex)
        for (std::uint32_t& word : vector) definite(word);
    return words;
  }

 private:
  struct Row {
    float value[4] = {};
  };
  struct Unit {
    explicit Unit(std::size_t words_of_code) : code(words_of_code) {}
    std::vector<std::uint32_t> code, descriptors = std::vector<std::uint32_t>(128);
    pica200::Uniforms uniforms;
    std::uint32_t entry = 0, count = 1, mask = 0, permutation[16] = {};
    std::uint32_t float_index = 0, code_index = 0, descriptor_index = 0;
    bool f32 = false;
    std::vector<std::uint32_t> words;
  };
  static float f24(std::uint32_t bits) {
    const int exponent = static_cast<int>(bits >> 16 & 127);
    const std::uint32_t mantissa = bits & 0xFFFF, sign = (bits >> 23 & 1) << 31;
    std::uint32_t word = sign | 0x7f800000 | mantissa << 7;
    if (exponent != 127) {
      const double value =
          exponent == 0 ? std::ldexp(mantissa, -78) : std::ldexp(65536.0 + mantissa, exponent - 79);
      const auto narrow = static_cast<float>(value);
      std::memcpy(&word, &narrow, 4);
      word |= sign;
    }
    float result;
    std::memcpy(&result, &word, 4);
    return result;
  }
  // The vector of words that came w first.
  static Row vector(const std::vector<std::uint32_t>& w, bool f32) {
    Row row;
    if (f32) {
      for (std::size_t n = 0; n < 4; ++n) std::memcpy(&row.value[n], &w[3 - n], 4);
      return row;
    }
    row.value[3] = f24(w[0] >> 8);
    row.value[2] = f24((w[0] & 0xFF) << 16 | w[1] >> 16);
    row.value[1] = f24((w[1] & 0xFFFF) << 8 | w[2] >> 24);
    row.value[0] = f24(w[2] & 0xFFFFFF);
    return row;
  }

  bool geometry_on() const { return (words_[0x229] & 3) == 2; }

  void write(std::uint32_t id, std::uint32_t value, std::uint32_t bytes) {
    if (bytes == 0) return;
    if (id < 0x232 || id > 0x235) send();
    if (id >= 0x300) return;
    for (unsigned n = 0; n < 4; ++n)
      if ((bytes >> n & 1) == 0) value = (value & ~(255u << 8 * n)) | (words_[id] & 255u << 8 * n);
    words_[id] = value;
    if (id >= 0x280 && id < 0x2B0) write_unit(geometry_, nullptr, id - 0x280, value);
    const bool shared = (words_[0x244] & 1) == 0 && !geometry_on();
    if (id >= 0x2B0 && id < 0x2E0) write_unit(vertex_, shared ? &geometry_ : nullptr, id - 0x2B0, value);
    if (id == 0x24A) outputs_given_ = true;
    if (id == 0x232) {
      fixed_words_.clear();
      fixed_index_ = value & 15;
      sent_.clear();
    }
    if (id >= 0x233 && id <= 0x235) write_fixed(value);
    if (id == 0x22E || id == 0x22F) draw_memory(id == 0x22F);
  }

  void write_unit(Unit& unit, Unit* also, std::uint32_t offset, std::uint32_t value) {
    const auto both = [&](auto set) {
      set(unit);
      if (also != nullptr) set(*also);
    };
    if (offset == 0) both([&](Unit& u) { u.uniforms.b = static_cast<std::uint16_t>(value); });
    if (offset >= 1 && offset <= 4)
      both([&](Unit& u) {
        for (unsigned c = 0; c < 4; ++c)
          u.uniforms.i[offset - 1][c] = static_cast<std::uint8_t>(value >> 8 * c);
      });
    if (offset == 9) unit.count = (value & 15) + 1;
    if (offset == 10) unit.entry = value & 0xFFFF;
    if (offset == 11 || offset == 12)
      for (unsigned n = 0; n < 8; ++n) unit.permutation[8 * (offset - 11) + n] = value >> 4 * n & 15;
    if (offset == 13) unit.mask = value & 0xFFFF;
    if (offset == 16) {
      unit.float_index = value & 255;
      unit.f32 = value >> 31 != 0;
      unit.words.clear();
    }
    if (offset >= 17 && offset <= 24) {
      unit.words.push_back(value);
      if (unit.words.size() < (unit.f32 ? 4u : 3u)) return;
      const Row row = vector(unit.words, unit.f32);
      unit.words.clear();
      if (unit.float_index > 95) return;
      both([&](Unit& u) { std::memcpy(u.uniforms.c[unit.float_index], row.value, 16); });
      ++unit.float_index;
    }
    if (offset == 27) unit.code_index = value & 0xFFF;
    if (offset >= 28 && offset <= 35 && unit.code_index < unit.code.size()) {
      both([&](Unit& u) {
        if (unit.code_index < u.code.size()) u.code[unit.code_index] = value;
      });
      ++unit.code_index;
    }
    if (offset == 37) unit.descriptor_index = value & 255;
    if (offset >= 38 && offset <= 45 && unit.descriptor_index < 128) {
      both([&](Unit& u) { u.descriptors[unit.descriptor_index] = value; });
      ++unit.descriptor_index;
    }
  }

  void write_fixed(std::uint32_t value) {
    fixed_words_.push_back(value);
    if (fixed_words_.size() < 3) return;
    const Row row = vector(fixed_words_, false);
    fixed_words_.clear();
    if (fixed_index_ < 12) fixed_[fixed_index_++] = row;
    if (fixed_index_ != 15) return;
    sent_.push_back(row);
    if (sent_.size() <= (words_[0x242] & 15)) return;
    std::vector<Row> whole(fixed_, fixed_ + 12);
    for (std::size_t n = 0; n < sent_.size() && n < 12; ++n) whole[n] = sent_[n];
    sent_.clear();
    immediate_.push_back(whole);
  }

  // Draws what was sent in immediate mode.
  void send() {
    if (immediate_.empty()) return;
    std::vector<std::vector<Row>> vertices;
    vertices.swap(immediate_);
    std::vector<std::uint32_t> order;
    for (std::uint32_t n = 0; n < vertices.size(); ++n) order.push_back(n);
    draw(order, [&](std::uint32_t number, std::vector<Row>& attributes) {
      attributes = vertices[number];
      return true;
    });
  }

  template <class T>
  bool load(std::uint64_t at, T& value) const {
    if (at < address || at - address + sizeof value > memory.size()) return false;
    std::memcpy(&value, memory.data() + (at - address), sizeof value);
    return true;
  }

  void draw_memory(bool indexed) {
    const std::uint64_t base = std::uint64_t{words_[0x200]} * 8;
    std::vector<std::uint32_t> order;
    bool there = true;
    for (std::uint32_t n = 0; n < words_[0x228]; ++n) {
      const std::uint64_t list = base + (words_[0x227] & 0x0FFFFFFF);
      std::uint8_t narrow = 0;
      std::uint16_t wide = 0;
      if (!indexed) {
        order.push_back(words_[0x22A] + n);
      } else if (words_[0x227] >> 31 != 0) {
        there = there && load(list + 2 * n, wide);
        order.push_back(wide);
      } else {
        there = there && load(list + n, narrow);
        order.push_back(narrow);
      }
    }
    if (!there) {
      draws_.push_back({false, geometry_on(), {}});
      return;
    }
    indexed_ = indexed;
    draw(order,
         [&](std::uint32_t number, std::vector<Row>& attributes) { return fetch(base, number, attributes); });
    indexed_ = false;
  }

  // All attributes of a vertex in memory.
  bool fetch(std::uint64_t base, std::uint32_t number, std::vector<Row>& attributes) const {
    attributes.assign(fixed_, fixed_ + 12);
    for (unsigned loader = 0; loader < 12; ++loader) {
      const std::uint32_t* reg = &words_[0x203 + 3 * loader];
      std::uint64_t at = base + (reg[0] & 0x0FFFFFFF) + std::uint64_t{number} * (reg[2] >> 16 & 255);
      const std::uint64_t start = at;
      for (unsigned n = 0; n < reg[2] >> 28 && n < 12; ++n) {
        const std::uint32_t component = (n < 8 ? reg[1] >> 4 * n : reg[2] >> 4 * (n - 8)) & 15;
        const auto align = [&](std::uint64_t size) {
          while ((at - start) % size != 0) ++at;
        };
        if (component >= 12) {
          align(4);
          at += 4 * (component - 11);
          continue;
        }
        const std::uint32_t format =
            (component < 8 ? words_[0x201] >> 4 * component : words_[0x202] >> 4 * (component - 8)) & 15;
        const unsigned bytes = format % 4 == 3 ? 4 : format % 4 == 2 ? 2 : 1;
        align(bytes);
        Row row{{0, 0, 0, 1}};
        for (unsigned c = 0; c <= format / 4; ++c, at += bytes) {
          std::int8_t s8 = 0;
          std::uint8_t u8 = 0;
          std::int16_t s16 = 0;
          bool there = false;
          if (format % 4 == 0) there = load(at, s8), row.value[c] = s8;
          if (format % 4 == 1) there = load(at, u8), row.value[c] = u8;
          if (format % 4 == 2) there = load(at, s16), row.value[c] = s16;
          if (format % 4 == 3) there = load(at, row.value[c]);
          if (!there) return false;
        }
        if (component < (words_[0x202] >> 28) + 1) attributes[component] = row;
      }
    }
    return true;
  }

  static pica200::Program program_of(const Unit& unit, pica200::Stage stage) {
    pica200::Program program;
    program.stage = stage;
    program.entry = unit.entry;
    program.code = unit.code;
    while (!program.code.empty() && program.code.back() == 0) program.code.pop_back();
    program.descriptors = unit.descriptors;
    return program;
  }

  template <class Fetch>
  void draw(const std::vector<std::uint32_t>& order, Fetch fetch) {
    const pica200::Uniforms uniforms = geometry_.uniforms;
    const pica200::InterpretedUnit unit = unit_;
    JudgedDraw drawn;
    drawn.triangles = geometry_on();
    drawn.ok = draw(order, fetch, drawn);
    if (!drawn.ok) {
      drawn.vertices.clear();
      geometry_.uniforms = uniforms;
      unit_ = unit;
    }
    draws_.push_back(std::move(drawn));
  }

  template <class Fetch>
  bool draw(const std::vector<std::uint32_t>& order, Fetch fetch, JudgedDraw& drawn) {
    if (order.empty()) return true;
    const pica200::Program program = program_of(vertex_, pica200::Stage::vertex);
    if (program.code.empty() || program.entry >= program.code.size()) return false;
    const auto interpreter = pica200::Interpreter::prepare(program, program.entry);
    if (!interpreter) return false;
    const std::uint32_t mode = words_[0x252] & 255;
    if (geometry_on()) {
      const pica200::Program second = program_of(geometry_, pica200::Stage::geometry);
      if (mode > 2 || second.code.empty() || second.entry >= second.code.size()) return false;
    }
    std::vector<Row> stream;  // attributes that wait for an invocation
    std::uint32_t left = 0,
                  full = 0;  // variable mode: vertices that the primitive lacks, with all attributes
    std::uint32_t row = 1;   // next c register
    for (const std::uint32_t number : order) {
      if (geometry_on() && mode == 1 && left == 0) {
        if (!indexed_ || number == 0) return false;
        left = number;
        full = (words_[0x254] & 31) + 1;
        for (float& value : geometry_.uniforms.c[0]) value = static_cast<float>(number);
        row = 1;
        continue;
      }
      std::vector<Row> attributes;
      if (!fetch(number, attributes)) return false;
      pica200::ThreadState state;
      for (unsigned a = 0; a < vertex_.count && a < 12; ++a)
        std::memcpy(state.v[vertex_.permutation[a]], attributes[a].value, 16);
      if (!interpreter->run(vertex_.uniforms, state, fuel)) return false;
      pica200::canonicalize_outputs(state);
      std::vector<Row> outputs;
      for (unsigned n = 0; n < 16; ++n)
        if ((vertex_.mask >> n & 1) != 0) {
          Row output;
          std::memcpy(output.value, state.o[n], 16);
          outputs.push_back(output);
        }
      if (!geometry_on()) {
        drawn.vertices.push_back(map(outputs));
        continue;
      }
      if (outputs_given_ && outputs.size() > (words_[0x24A] & 15) + 1)
        outputs.resize((words_[0x24A] & 15) + 1);
      if (outputs.empty()) return false;
      if (mode == 0) {
        for (const Row& output : outputs) {
          stream.push_back(output);
          if (stream.size() < geometry_.count) continue;
          for (auto& vector : unit_.registers.v) std::fill_n(vector, 4, 0.0f);
          for (unsigned a = 0; a < stream.size(); ++a)
            std::memcpy(unit_.registers.v[geometry_.permutation[a]], stream[a].value, 16);
          stream.clear();
          if (!invoke(drawn)) return false;
        }
      } else if (mode == 2) {
        // A primitive that is not complete leaves no trace.
        const std::size_t start = words_[0x252] >> 16 & 255, stride = (words_[0x252] >> 12 & 15) + 1;
        const std::size_t count = (words_[0x252] >> 8 & 15) + 1, each = outputs.size();
        if (start + (count - 1) * stride + each > 96) return false;
        stream.insert(stream.end(), outputs.begin(), outputs.end());
        if (stream.size() < count * each) continue;
        for (std::size_t k = 0; k < count; ++k)
          for (std::size_t a = 0; a < each; ++a)
            std::memcpy(geometry_.uniforms.c[start + k * stride + a], stream[k * each + a].value, 16);
        stream.clear();
        if (!invoke(drawn)) return false;
      } else {
        for (std::uint32_t a = 0; a < (full != 0 ? outputs.size() : 1); ++a, ++row) {
          if (row > 95) return false;
          std::memcpy(geometry_.uniforms.c[row], outputs[a].value, 16);
        }
        if (full != 0) --full;
        if (--left == 0 && !invoke(drawn)) return false;
      }
    }
    return left == 0;
  }

  bool invoke(JudgedDraw& drawn) {
    const pica200::Program program = program_of(geometry_, pica200::Stage::geometry);
    if (program.code.empty() || program.entry >= program.code.size()) return false;
    const auto interpreter = pica200::Interpreter::prepare(program, program.entry);
    if (!interpreter) return false;
    if ((words_[0x252] & 255) != 0)
      for (auto& vector : unit_.registers.v) std::fill_n(vector, 4, 0.0f);
    std::vector<std::uint32_t> outputs;
    for (std::uint32_t n = 0; n < 16; ++n)
      if ((geometry_.mask >> n & 1) != 0) outputs.push_back(n);
    std::vector<Row> rows(96 * 3 * outputs.size() + 1);
    unit_.enabled = static_cast<std::uint16_t>(geometry_.mask);
    unit_.triangles = {reinterpret_cast<std::byte*>(rows.data()), 96, 0, {}};
    if (!interpreter->run(geometry_.uniforms, unit_, fuel)) return false;
    if (unit_.triangles.count > 96) return false;
    for (std::uint32_t n = 0; n < unit_.triangles.count; ++n) {
      VertexBits corners[3];
      for (std::size_t k = 0; k < 3; ++k) {
        const auto first = rows.begin() + static_cast<std::ptrdiff_t>((3 * n + k) * outputs.size());
        corners[k] = map({first, first + static_cast<std::ptrdiff_t>(outputs.size())});
      }
      const bool winding = (unit_.triangles.inverted[n / 32] >> n % 32 & 1) != 0;
      if (winding && (words_[0x25E] >> 8 & 3) == 3) std::swap(corners[0], corners[1]);
      drawn.vertices.insert(drawn.vertices.end(), corners, corners + 3);
    }
    return true;
  }

  VertexBits map(const std::vector<Row>& outputs) const {
    VertexBits words;
    words.fill(0x3f800000u);
    for (std::size_t n = 0; n < outputs.size() && n < 7 && n < (words_[0x4F] & 7); ++n)
      for (unsigned c = 0; c < 4; ++c) {
        const std::uint32_t semantic = words_[0x50 + n] >> 8 * c & 31;
        if (semantic >= 24) continue;
        float value = outputs[n].value[c];
        if (semantic >= 8 && semantic < 12) value = std::fabs(value) < 1 ? std::fabs(value) : 1.0f;
        std::memcpy(&words[semantic], &value, 4);
      }
    return words;
  }

  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(0x300);
  Unit vertex_{512}, geometry_{4096};
  Row fixed_[12];
  std::uint32_t fixed_index_ = 0;
  std::vector<std::uint32_t> fixed_words_;
  std::vector<Row> sent_;
  std::vector<std::vector<Row>> immediate_;
  bool outputs_given_ = false, indexed_ = false;
  pica200::InterpretedUnit unit_;
  std::vector<JudgedDraw> draws_;
};

}  // namespace warpjit::tests
