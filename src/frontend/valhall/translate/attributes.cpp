// Attributes of vertices, and where their results go (valhall.md 8.5).
#include "frontend/valhall/translate/attributes.h"

#include <algorithm>
#include <bit>

#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/translate/instruction.h"
#include "ir/memory.h"

namespace warpjit::valhall {

using ir::Element;
using ir::F32;
using ir::I1;
using ir::I32;
using Division = frontend::AttributeSource::Division;
using Kind = VertexFormat::Kind;

namespace {

// The elements that lie in the buffer: the first one, and the last one.
struct Inside {
  bool some = false;
  std::uint32_t first = 0, last = 0;
};
Inside elements_inside(const frontend::AttributeSource& source) {
  const auto format = find_vertex_format(source.format);
  if (!format) return {};
  const std::int64_t most = std::int64_t{source.bytes} - format->bytes() - source.offset;  // of n * stride
  const std::int64_t least = -std::int64_t{source.offset};
  if (most < 0) return {};
  if (source.stride == 0) return {least <= 0, 0, ~0U};
  const std::int64_t first = least <= 0 ? 0 : (least + source.stride - 1) / source.stride;
  const std::int64_t last = std::min<std::int64_t>(most / source.stride, ~0U);
  return {first <= last, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
}

// True if the elements of all the launch's vertices lie inside.
bool all_inside(const frontend::Vertices& vertices, const frontend::AttributeSource& source) {
  if (source.per_instance || source.division != Division::none || vertices.count == 0) return false;
  const Inside inside = elements_inside(source);
  const std::uint32_t first = vertices.first + (source.from_first ? vertices.attribute_offset : 0);
  return inside.some && first >= inside.first && first <= inside.last &&
         vertices.count - 1 <= inside.last - first;
}

bool lies_in_one_piece(const frontend::AttributeSource& source,
                       std::span<const frontend::MappedRange> pieces) {
  const std::uint64_t low = source.address & 0xffffffff;
  return std::ranges::any_of(pieces, [&](const frontend::MappedRange& piece) {
    return low >= piece.address && low + source.bytes <= piece.address + piece.bytes.size();
  });
}

}  // namespace

std::vector<AttributeFacts> attribute_facts(const frontend::Grid& launch) {
  std::vector<AttributeFacts> all;
  for (const frontend::AttributeSource& source : launch.vertices.attributes) {
    const auto window =
        std::ranges::find(launch.high_words, static_cast<std::uint32_t>(source.address >> 32));
    const std::uint32_t places =
        (static_cast<std::uint32_t>(source.address) + static_cast<std::uint32_t>(source.offset)) |
        source.stride;
    AttributeFacts facts{
        .format = source.format,
        .division = source.division,
        .shift = source.shift,
        .add = source.add,
        .per_instance = source.per_instance,
        .from_first = source.from_first,
        .some = elements_inside(source).some,
        .all = all_inside(launch.vertices, source),
        .alignment = static_cast<std::uint16_t>(1U << std::min(std::countr_zero(places | 4), 2))};
    if (window != launch.high_words.end()) {
      facts.window = static_cast<std::uint16_t>(window - launch.high_words.begin());
      facts.mapped = lies_in_one_piece(source, launch.globals[facts.window]);
    }
    all.push_back(facts);
  }
  return all;
}

void fill_attribute_words(const frontend::Vertices& vertices, std::span<std::uint32_t> table) {
  for (std::size_t k = 0; k < vertices.attributes.size() && (k + 1) * kAttributeWords <= table.size(); ++k) {
    const frontend::AttributeSource& source = vertices.attributes[k];
    const Inside inside = elements_inside(source);
    const auto set = [&](AttributeWord word, std::uint32_t value) {
      table[k * kAttributeWords + static_cast<std::size_t>(word)] = value;
    };
    set(AttributeWord::address,
        static_cast<std::uint32_t>(source.address) + static_cast<std::uint32_t>(source.offset));
    set(AttributeWord::stride, source.stride);
    set(AttributeWord::first, inside.first);
    set(AttributeWord::more, inside.last - inside.first);
    set(AttributeWord::multiplier, source.multiplier);
  }
}

// ---- Code

// Registers of a vertex at the start.
void InstructionTranslator::begin_vertex(I32 number) {
  const I32 row = b_.BlockIndex(1);
  const I32 running = b_.IAdd32(b_.IMul32(row, launch_word(LaunchWord::vertices)), number);
  set_gpr(59, b_.IShl32(running, word(3)));
  vertex_ = b_.IAdd32(launch_word(LaunchWord::first_vertex), number);
  set_gpr(60, vertex_);
  set_gpr(61, b_.IAdd32(launch_word(LaunchWord::first_instance), row));
}

// A constant where x is the number at the start, or that plus one.
I32 InstructionTranslator::low_three_bits(I32 x) {
  const auto has_constant = [&](ir::Value v, ir::Opcode opcode) {
    return function_.definition_of(v).opcode == opcode &&
           function_.is_constant(function_.operand(function_.definition(v), 1));
  };
  std::uint32_t added = 0;
  ir::Value v = x;
  if (has_constant(v, ir::Opcode::IAdd32)) {
    const ir::Inst sum = function_.definition(v);
    added = static_cast<std::uint32_t>(function_.constant(function_.operand(sum, 1)));
    v = function_.operand(sum, 0);
  }
  if (has_constant(v, ir::Opcode::IShl32) &&
      function_.constant(function_.operand(function_.definition(v), 1)) == 3)
    return word(added & 7);
  return b_.IAnd32(x, word(7));
}

Status InstructionTranslator::load_result_address(const Instruction& i) {
  if (i.table != 0xd || i.index != 0) return unsupported(i, "only buffer 0 of table 0xD is known");
  const I32 id = source_word(i.source[0]);
  // (id >> 3) * stride + (id & 7) * 16, modulo 2^32: strides are multiples of 16.
  const std::uint32_t step = facts_.packet_stride / 8;
  const I32 packet = b_.IMul32(id, word(step));
  const I32 record = b_.IMul32(low_three_bits(id), word(16 - step));
  set_gpr(i.write.first, b_.IAdd32(packet, record));
  set_gpr(i.write.first + 1U, word(private_.results));
  return {};
}

// The number of the element that a vertex has.
I32 InstructionTranslator::element_number(const Instruction& i, std::uint32_t attribute,
                                          const AttributeFacts& facts) {
  // Both sources are read, whichever counts.
  const I32 vertex = source_word(i.source[0]), instance = source_word(i.source[1]);
  I32 n = facts.per_instance ? instance : vertex;
  if (facts.from_first) n = b_.IAdd32(n, launch_word(LaunchWord::attribute_offset));
  switch (facts.division) {
    case Division::none:
      break;
    case Division::shift:
      n = b_.IShrU32(n, word(facts.shift));
      break;
    case Division::multiply: {
      const I32 multiplier = attribute_word(attribute, AttributeWord::multiplier);
      Pair product = multiply(n, multiplier);
      if (facts.add) product = add(product, {multiplier, word(0)});
      n = b_.IShrU32(product.high, word(facts.shift));
      break;
    }
  }
  return n;
}

// Components as the format has them: integers extended to 32 bits, floats as f32.
std::array<I32, 4> InstructionTranslator::load_components(ElementMemory memory, const VertexFormat& format,
                                                          I32 address, I1 inside) {
  const auto load_aligned = [&](Element element, std::uint32_t offset) {
    const auto size = static_cast<std::uint8_t>(size_of(element));
    const ir::MemoryAccess access{.space = ir::Space::global,
                                  .index = static_cast<std::uint8_t>(memory.window),
                                  .element = element,
                                  .alignment = size,
                                  .extent = size};
    const I32 value = b_.LoadMemory(inside, b_.IAdd32(address, word(offset)), access.pack());
    return b_.select(inside, value, word(0));
  };
  const auto load = [&](Element element, std::uint32_t offset) {
    const std::uint32_t size = size_of(element), unit = std::min<std::uint32_t>(size, memory.alignment);
    if (unit == size) return load_aligned(element, offset);
    I32 value = word(0);
    for (std::uint32_t byte = 0; byte < size; byte += unit) {
      const I32 part = load_aligned(unit == 1 ? Element::u8 : Element::u16, offset + byte);
      value = b_.IOr32(value, b_.IShl32(part, word(8 * byte)));
    }
    return element == Element::s16 ? bits_of(value, 0, 16, true) : value;
  };
  const bool is_signed = format.kind == Kind::signed_ || format.kind == Kind::snorm;
  std::array<I32, 4> components{word(0), word(0), word(0), word(0)};
  if (format.component_bits() == 0) {
    const I32 fields = load(format.bytes() == 2 ? Element::u16 : Element::word, 0);
    for (unsigned k = 0, first = 0; k < format.count(); first += format.bits[k++]) {
      components[k] = bits_of(fields, first, format.bits[k], is_signed);
      if (format.kind == Kind::small_float)
        components[k] = widened_half(b_.IShl32(components[k], word(15U - format.bits[k])), false);
    }
    return components;
  }
  const unsigned bits = format.component_bits(), size = bits / 8U;
  for (unsigned k = 0; k < format.count(); ++k) {
    if (size < 4 && format.count() * size % 4 == 0 && memory.alignment == 4) {
      // Whole words, each loaded once.
      const unsigned bit = k * bits;
      const I32 whole = bit % 32 == 0 ? load(Element::word, bit / 8) : components[k - bit % 32 / bits];
      components[k] = whole;
      continue;
    }
    const Element element = size == 4   ? Element::word
                            : size == 2 ? (is_signed ? Element::s16 : Element::u16)
                                        : (is_signed ? Element::s8 : Element::u8);
    components[k] = load(element, k * size);
  }
  if (size < 4 && format.count() * size % 4 == 0 && memory.alignment == 4)
    for (unsigned k = 0; k < format.count(); ++k)
      components[k] = bits_of(components[k], k * bits % 32, bits, is_signed);
  if (format.kind == Kind::half)
    for (unsigned k = 0; k < format.count(); ++k) components[k] = widened_half(components[k], false);
  return components;
}

// A component as f32; a normalized one is one division.
F32 InstructionTranslator::component_value(const VertexFormat& format, unsigned k, I32 bits) {
  const unsigned width = format.bits[k];
  switch (format.kind) {
    case Kind::unorm: {
      const auto most = static_cast<float>(low_mask<std::uint32_t>(width));
      return b_.FDiv32(b_.U32ToF32(bits), real(most));
    }
    case Kind::snorm: {
      const auto most = static_cast<float>(low_mask<std::uint32_t>(width - 1));
      return b_.FMaxSelect32(b_.FDiv32(b_.I32ToF32(bits), real(most)), real(-1.0F));
    }
    case Kind::unsigned_:
      return b_.U32ToF32(bits);
    case Kind::signed_:
      return b_.I32ToF32(bits);
    case Kind::fixed:
      return b_.FMul32(b_.I32ToF32(bits), real(0x1p-16F));
    default:
      return as_float(bits);
  }
}

Status InstructionTranslator::load_attribute(const Instruction& i) {
  const auto named = attribute_entry(i);
  if (!named) return unsupported(i, "the attribute is not a constant");
  const AttributeEntry entry = *named;
  if (entry.table != 1 || entry.index >= facts_.attributes.size())
    return unsupported(i, "attribute " + std::to_string(entry.index) + " of table " +
                              std::to_string(entry.table) + ", where the launch has " +
                              std::to_string(facts_.attributes.size()) + " attributes of table 1");
  const AttributeFacts& facts = facts_.attributes[entry.index];
  const bool address_alone = i.opcode == Opcode::lea_attr || i.opcode == Opcode::lea_attr_imm;
  if ((facts.some || address_alone) && !facts.mapped)
    return unsupported(i, "an attribute that is not mapped as a whole");
  const I32 n = element_number(i, entry.index, facts);
  const I32 address = b_.IAdd32(attribute_word(entry.index, AttributeWord::address),
                                b_.IMul32(n, attribute_word(entry.index, AttributeWord::stride)));
  if (address_alone) {
    set_gpr(i.write.first, address);
    set_gpr(i.write.first + 1U, word(facts_.high_words[facts.window]));
    set_gpr(i.write.first + 2U, word(facts.format));
    return {};
  }
  const auto format = find_vertex_format(facts.format);
  if (!format) return unsupported(i, "the format of the attribute");
  const auto is_inside = [&] {
    if (!facts.some) return truth(false);
    if (facts.all && source_word(i.source[0]).id == vertex_.id) return truth(true);
    const I32 first = attribute_word(entry.index, AttributeWord::first);
    return b_.ILeU32(b_.ISub32(n, first), attribute_word(entry.index, AttributeWord::more));
  };
  const I1 inside = is_inside();
  const std::array<I32, 4> stored =
      load_components({facts.window, facts.alignment}, *format, address, inside);
  set_components(i, *format, stored, inside);
  return {};
}

// Components that load_components gave, in the instruction's register format. Where they are not inside, 0
// was loaded, and every conversion of 0 is 0.
void InstructionTranslator::set_components(const Instruction& i, const VertexFormat& format,
                                           const std::array<I32, 4>& stored, I1 inside) {
  const bool integer = format.kind == Kind::unsigned_ || format.kind == Kind::signed_;
  RegisterFormat to = i.register_format;
  if (to == RegisterFormat::automatic)
    to = !integer                       ? RegisterFormat::f32
         : format.kind == Kind::signed_ ? RegisterFormat::s32
                                        : RegisterFormat::u32;
  const bool small = to == RegisterFormat::f16 || to == RegisterFormat::s16 || to == RegisterFormat::u16;
  const bool is_float =
      format.kind == Kind::single || format.kind == Kind::half || format.kind == Kind::small_float;
  const auto converted = [&](unsigned k) {
    const I32 bits = stored[k];
    const auto value = [&] { return component_value(format, k, bits); };
    switch (to) {
      case RegisterFormat::f32:
        return is_float ? bits : b_.BitcastF32ToI32(value());  // no NaN
      case RegisterFormat::f16:
        return half_bits(value(), Round::nearest_even);
      default:
        break;
    }
    const bool is_signed = to == RegisterFormat::s32 || to == RegisterFormat::s16;
    if (!integer) return to_integer(value(), Round::to_zero, small ? 16 : 32, is_signed);
    I32 result = bits;
    if (format.kind == Kind::signed_) {
      if (!is_signed) result = b_.IMaxS32(result, word(0));
    } else if (is_signed) {
      result = b_.IMinU32(result, word(0x7fffffff));
    }
    if (!small) return result;
    if (!is_signed) return b_.IMinU32(result, word(0xffff));
    const I32 at_most = b_.IMinS32(result, word(0x7fff));
    return b_.IMaxS32(at_most, b_.constant(-0x8000));
  };
  const std::uint32_t one = to == RegisterFormat::f32 ? 0x3f800000 : to == RegisterFormat::f16 ? 0x3c00 : 1;
  std::array<I32, 4> values;
  for (unsigned channel = 0; channel <= i.vector_size; ++channel) {
    const unsigned from = format.channel[channel];
    if (from < format.count())
      values[channel] = converted(from);
    else if (from == VertexFormat::kOne)
      values[channel] = b_.select(inside, word(one), word(0));
    else
      values[channel] = word(0);
  }
  set_staging(i, std::span(values).first(i.vector_size + 1U), small);
}

}  // namespace warpjit::valhall
