#include <bit>

#include "frontend/pica200/container/shbin.h"
#include "frontend/pica200/container/shbin_layout.h"

namespace warpjit::pica200 {
namespace {

using namespace shbin;

class Writer {
 public:
  void u8(std::uint32_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void u16(std::uint32_t value) {
    u8(value & 0xFF);
    u8(value >> 8 & 0xFF);
  }
  void u32(std::uint32_t value) {
    u16(value & 0xFFFF);
    u16(value >> 16);
  }
  void text(const std::string& value) {
    for (const char c : value) u8(static_cast<unsigned char>(c));
    u8(0);
  }
  void align() {
    while (bytes_.size() % 4 != 0) u8(0);
  }
  void patch(std::size_t at, std::size_t value) {
    for (unsigned i = 0; i < 4; ++i) bytes_[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
  }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

void write_constant(Writer& out, const Constant& constant) {
  const RegisterFile file = constant.reg.file;
  out.u16(file == RegisterFile::b ? 0 : file == RegisterFile::i ? 1 : 2);
  out.u16(constant.reg.index);
  if (file == RegisterFile::c) {
    for (const std::uint32_t word : constant.raw) out.u32(word);
    return;
  }
  if (file == RegisterFile::i)
    for (const std::uint32_t byte : constant.raw) out.u8(byte);
  else
    out.u32(constant.raw[0]);
  for (int k = 0; k < 3; ++k) out.u32(0);
}

void write_program(Writer& out, const ProgramInfo& info, bool with_labels) {
  const std::size_t labels = with_labels ? info.labels.size() : 0;
  std::size_t offset = kDvleSize;
  const auto table = [&](std::size_t count, std::size_t size) {
    out.u32(static_cast<std::uint32_t>(offset));
    out.u32(static_cast<std::uint32_t>(count));
    offset += count * size;
  };
  out.u32(kDvle);
  out.u16(info.version);
  out.u8(static_cast<std::uint32_t>(info.stage));
  out.u8(info.merge_output_maps ? 1 : 0);
  out.u32(info.entry);
  out.u32(info.main_end);
  out.u16(info.input_mask);
  out.u16(info.output_mask);
  out.u8(static_cast<std::uint32_t>(info.geometry_mode));
  out.u8(info.fixed_start);
  out.u8(info.variable_vertices);
  out.u8(info.fixed_vertices);
  table(info.constants.size(), kConstantSize);
  table(labels, kLabelSize);
  table(info.outputs.size(), kOutputSize);
  table(info.symbols.size(), kSymbolSize);
  std::size_t strings = 0;
  for (const Symbol& symbol : info.symbols) strings += symbol.name.size() + 1;
  std::size_t label_name = strings;
  for (std::size_t k = 0; k < labels; ++k) strings += info.labels[k].name.size() + 1;
  table(strings, 1);

  for (const Constant& constant : info.constants) write_constant(out, constant);
  for (std::size_t k = 0; k < labels; ++k) {
    out.u32(info.labels[k].id);
    out.u32(info.labels[k].address);
    out.u32(info.labels[k].unknown);
    out.u32(static_cast<std::uint32_t>(label_name));
    label_name += info.labels[k].name.size() + 1;
  }
  for (const Output& output : info.outputs) {
    out.u16(static_cast<std::uint32_t>(output.semantic));
    out.u16(output.reg);
    out.u32(output.mask);
  }
  std::size_t name = 0;
  for (const Symbol& symbol : info.symbols) {
    out.u32(static_cast<std::uint32_t>(name));
    out.u16(symbol_number(symbol.first));
    out.u16(symbol_number({symbol.first.file, symbol.last}));
    name += symbol.name.size() + 1;
  }
  for (const Symbol& symbol : info.symbols) out.text(symbol.name);
  for (std::size_t k = 0; k < labels; ++k) out.text(info.labels[k].name);
  out.align();
}

}  // namespace

std::vector<std::byte> write_shbin(const Container& container, const ShbinOptions& options) {
  Writer out;
  out.u32(kDvlb);
  out.u32(static_cast<std::uint32_t>(container.programs.size()));
  for (std::size_t k = 0; k < container.programs.size(); ++k) out.u32(0);  // patched below

  const std::size_t code_bytes = container.code.size() * 4;
  const std::size_t descriptor_bytes = container.descriptors.size() * kDescriptorSize;
  out.u32(kDvlp);
  out.u32(0);
  out.u32(kDvlpSize);
  out.u32(static_cast<std::uint32_t>(container.code.size()));
  out.u32(static_cast<std::uint32_t>(kDvlpSize + code_bytes));
  out.u32(static_cast<std::uint32_t>(container.descriptors.size()));
  out.u32(static_cast<std::uint32_t>(kDvlpSize + code_bytes + descriptor_bytes));
  for (std::size_t k = kDvlpUsed; k < kDvlpSize; k += 4) out.u32(0);
  for (const std::uint32_t word : container.code) out.u32(word);
  for (const std::uint32_t word : container.descriptors) {
    out.u32(word);
    out.u32(0);
  }
  for (std::size_t k = 0; k < container.programs.size(); ++k) {
    out.patch(8 + 4 * k, out.size());
    write_program(out, container.programs[k], options.labels);
  }
  return out.take();
}

}  // namespace warpjit::pica200
