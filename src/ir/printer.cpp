#include "ir/printer.h"

#include <bit>
#include <charconv>
#include <cstdio>

namespace warpjit::ir {
namespace {

class Printer {
 public:
  explicit Printer(const Function& f) : f_(f) {}

  // Numbers values in the order in which the text defines them.
  void number_values() {
    numbers_.assign(f_.value_count(), kUnnumbered);
    std::uint32_t next = 0;
    for (std::uint32_t b = 0; b < f_.block_count(); ++b)
      for (Inst i : f_.insts(Block{b}))
        for (std::uint32_t k = 0; k < f_.inst(i).result_count; ++k) numbers_[f_.result(i, k).id] = next++;
  }

  void function() {
    text_ += "function ";
    quoted(f_.name);
    text_ += f_.form == Form::thread ? " thread" : " group";
    field(" inputs ", f_.input_count);
    field(" outputs ", f_.output_count);
    field(" uniform ", f_.uniform_bytes);
    field(" slots ", f_.slot_count);
    if (f_.frame_slots != 0) field(" frame ", f_.frame_slots);
    if (f_.pixels) {
      field(" pixels primitive ", f_.primitive_bytes);
      field(" planes ", f_.tile_planes);
    }
    if (f_.texture_count != 0) field(" textures ", f_.texture_count);
    for (const SampleSource& source : f_.samples) {
      field(" source ", source.words);
      text_ += " key";
      each_field(source.key, [&](auto value, unsigned) { field(" ", static_cast<std::uint64_t>(value)); });
    }
    if (f_.group_lanes != 0) field(" lanes ", f_.group_lanes);
    if (f_.block_groups != 0) field(" groups ", f_.block_groups);
    if (f_.inner_groups != 1) field(" inner ", f_.inner_groups);
    if (f_.lane_order != LaneOrder::none) {
      text_ += " order ";
      text_ += name(f_.lane_order);
    }
    if (f_.may_widen) text_ += " may_widen";
    text_ += " {\n";
    for (std::uint32_t b = 0; b < f_.block_count(); ++b)
      if (f_.block(Block{b}).first.valid()) block(Block{b});
    text_ += "}\n";
  }

  void instruction(Inst i) {
    const InstData& data = f_.inst(i);
    const OpcodeInfo& row = info(data.opcode);
    for (std::uint32_t k = 0; k < data.result_count; ++k) {
      if (k != 0) text_ += ", ";
      const ValueData& value = f_.value(f_.result(i, k));
      this->value(f_.result(i, k));
      text_ += " : ";
      text_ += name(value.type);
      if (value.uniformity != Uniformity::varying) (text_ += ' ') += name(value.uniformity);
    }
    if (data.result_count != 0) text_ += " = ";
    text_ += row.name;
    const char* separator = " ";
    if (row.has_immediate()) {
      text_ += ' ';
      immediate(data);
      separator = ", ";
    }
    const std::span<const Value> operands = f_.operands(i);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      text_ += separator;
      separator = ", ";
      if (data.opcode == Opcode::Phi) {
        const auto& predecessors = f_.block(data.block).predecessors;
        k < predecessors.size() ? block_name(predecessors[k]) : void(text_ += "b?");
        text_ += ": ";
      }
      value(operands[k]);
    }
    if (row.terminator && data.block.valid()) {
      const BlockData& home = f_.block(data.block);
      for (std::size_t k = 0; k < home.successors.size(); ++k) {
        text_ += separator;
        separator = ", ";
        block_name(home.successors[k]);
        if (k < 64 && ((home.backward >> k) & 1) != 0) text_ += " backward";
      }
    }
    address(data.guest_address);
    comment(data);
  }

  std::string take() { return std::move(text_); }

 private:
  static constexpr std::uint32_t kUnnumbered = ~0u;

  void block(Block b) {
    block_name(b);
    text_ += ':';
    const char* separator = " <- ";
    for (Block predecessor : f_.block(b).predecessors) {
      text_ += separator;
      separator = ", ";
      block_name(predecessor);
    }
    address(f_.block(b).guest_address);
    text_ += '\n';
    for (Inst i : f_.insts(b)) {
      text_ += "  ";
      instruction(i);
      text_ += '\n';
    }
  }

  void immediate(const InstData& data) {
    switch (info(data.opcode).immediate) {
      case ImmediateKind::truth:
        text_ += data.immediate != 0 ? "true" : "false";
        break;
      case ImmediateKind::word:
        hex(data.immediate, 8);
        break;
      case ImmediateKind::uniform_rows:
      case ImmediateKind::input_rows:
      case ImmediateKind::output_rows:
        number(data.immediate & 0xffffffffu);
        field(" rows ", data.immediate >> 32);
        break;
      case ImmediateKind::input:
        number(data.immediate & 0xffffffffu);
        if (data.immediate >> 32 != 0) field(" numbered ", (data.immediate >> 32) - 1);
        break;
      case ImmediateKind::sample: {
        const SampleUse use = SampleUse::unpack(data.immediate);
        text_ += name(use.operation);
        field(" ", use.source);
        field(" components ", use.components);
        if (use.offsets != std::array<std::int8_t, 3>{}) {
          text_ += " offsets";
          for (const std::int8_t offset : use.offsets) field(" ", static_cast<unsigned>(offset) & 255);
        }
        if (use.component != 0) field(" component ", use.component);
        if (use.from_quad) text_ += " from_quad";
        break;
      }
      default:
        number(data.immediate);
    }
  }

  // What a constant is as a number: for the reader only.
  void comment(const InstData& data) {
    char buffer[48];
    if (data.opcode == Opcode::ConstF32)
      std::snprintf(buffer, sizeof buffer, "  ; %.9g",
                    static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(data.immediate))));
    else if (data.opcode == Opcode::ConstI32)
      std::snprintf(buffer, sizeof buffer, "  ; %d", static_cast<std::int32_t>(data.immediate));
    else
      return;
    text_ += buffer;
  }

  void address(std::uint32_t guest_address) {
    if (guest_address == kNoAddress) return;
    text_ += " @";
    hex(guest_address, 1);
  }

  void value(Value v) {
    text_ += '%';
    const bool known = v.id < f_.value_count();
    if (known && numbers_.empty())
      number(v.id);
    else if (known && numbers_[v.id] != kUnnumbered)
      number(numbers_[v.id]);
    else
      text_ += '?';
  }

  void block_name(Block b) {
    text_ += 'b';
    number(b.id);
  }

  void field(const char* label, std::uint64_t n) {
    text_ += label;
    number(n);
  }

  void number(std::uint64_t n) {
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, n).ptr;
    text_.append(buffer, end);
  }

  void hex(std::uint64_t n, int digits) {
    char buffer[24];
    std::snprintf(buffer, sizeof buffer, "0x%0*llx", digits, static_cast<unsigned long long>(n));
    text_ += buffer;
  }

  void quoted(const std::string& text) {
    text_ += '"';
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        (text_ += '\\') += c;
      } else if (byte < 0x20 || byte >= 0x7f) {
        char buffer[8];
        std::snprintf(buffer, sizeof buffer, "\\x%02x", byte);
        text_ += buffer;
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  const Function& f_;
  std::string text_;
  std::vector<std::uint32_t> numbers_;  // empty: raw indices
};

}  // namespace

std::string print(const Function& f) {
  Printer printer(f);
  printer.number_values();
  printer.function();
  return printer.take();
}

std::string print(const Function& f, Inst inst) {
  Printer printer(f);
  printer.instruction(inst);
  return printer.take();
}

}  // namespace warpjit::ir
