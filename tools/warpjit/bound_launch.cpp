#include "bound_launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "frontend/pica200/shader.h"
#include "runtime/launch.h"

namespace warpjit::tool {

namespace {

using pica200::ExitFile;

constexpr std::uint64_t kMaxResultBytes = std::uint64_t{4} << 30;

std::vector<std::uint32_t> state_words(const pica200::ThreadState& start, StateName state) {
  switch (state.file) {
    case ExitFile::a0:
      return {static_cast<std::uint32_t>(start.a0[0]), static_cast<std::uint32_t>(start.a0[1])};
    case ExitFile::aL:
      return {static_cast<std::uint32_t>(start.aL)};
    case ExitFile::cmp:
      return {start.cmp[0], start.cmp[1]};
    default:
      break;
  }
  std::vector<std::uint32_t> words(4);
  std::memcpy(words.data(), start.r[state.index], 16);
  return words;
}

std::string value_text(std::uint32_t bits, bool is_float) {
  if (!is_float) return fmt::format("{}", static_cast<std::int32_t>(bits));
  return fmt::format("{} ({:#010x})", std::bit_cast<float>(bits), bits);
}

Mismatch make_mismatch(std::uint64_t thread, StateName state, unsigned k, std::uint32_t got,
                       std::uint32_t wanted) {
  std::string text = name(state);
  if (components(state) > 1) text += std::string(".") + "xyzw"[k];
  return {thread, std::move(text), is_float(state), got, wanted};
}

}  // namespace

Result<BoundLaunch> BoundLaunch::make(LaunchFile file) {
  WARPJIT_TRY(auto shader, pica200::Shader::make(file.program));
  auto owned = std::make_unique<LaunchFile>(std::move(file));
  BoundLaunch bound(std::move(owned), Launch(Program(std::move(shader))));
  WARPJIT_CHECK(bound.bind());
  return bound;
}

Status BoundLaunch::bind() {
  const pica200::Uniforms& uniforms = file_->uniforms;
  std::vector<std::uint32_t> floats(std::size(uniforms.c) * 4), integers;
  std::memcpy(floats.data(), uniforms.c, sizeof uniforms.c);
  for (const auto& reg : uniforms.i) integers.insert(integers.end(), std::begin(reg), std::end(reg));
  WARPJIT_CHECK(launch_.set_bits("c0", floats));
  WARPJIT_CHECK(launch_.set_int("i0", integers));
  for (unsigned k = 0; k < 16; ++k)
    WARPJIT_CHECK(launch_.set_bool("b" + std::to_string(k), (uniforms.b >> k & 1) != 0));
  for (const StateName state : file_->state)
    WARPJIT_CHECK(launch_.set_state(name(state), state_words(file_->start, state)));
  for (const LaunchInput& input : file_->inputs) {
    const std::vector<std::byte>& bytes = file_->buffers[input.buffer].bytes;
    Attribute attribute;
    attribute.data = bytes.data() + input.offset;
    attribute.size = bytes.size() - static_cast<std::size_t>(input.offset);
    attribute.stride = static_cast<std::size_t>(input.stride);
    attribute.format = input.format;
    WARPJIT_CHECK(launch_.bind_input("v" + std::to_string(input.reg), attribute));
  }
  for (const LaunchOutput& output : file_->outputs)
    add_column(output.name, output.state, output.components, true);
  for (const Expectation& wanted : file_->expectations)
    add_column(wanted.name, wanted.state, wanted.components, false);
  if (file_->count * row_words_ * 4 > kMaxResultBytes)
    return Error{
        ErrorCode::resource_limit,
        fmt::format("the results of {} threads need more than {} bytes", file_->count, kMaxResultBytes),
        file_->name};
  words_.assign(static_cast<std::size_t>(file_->count) * row_words_, 0);
  for (const ResultColumn& column : columns_) {
    OutputBuffer buffer;
    buffer.data = words_.data() + column.first;
    buffer.size = (words_.size() - column.first) * 4;
    buffer.stride = row_words_ * 4;
    buffer.format = {is_float(column.state) ? ComponentType::f32 : ComponentType::s32,
                     static_cast<std::uint8_t>(column.components)};
    WARPJIT_CHECK(launch_.bind_output(tool::name(column.state), buffer));
  }
  launch_.set_count(file_->count);
  return {};
}

void BoundLaunch::add_column(const std::string& name, StateName state, unsigned count, bool listed) {
  // A register is one column, wide enough for all who ask for it.
  for (ResultColumn& column : columns_) {
    if (column.state != state) continue;
    if (column.components >= count) return;
    for (ResultColumn& later : columns_)
      if (later.first > column.first) later.first += count - column.components;
    row_words_ += count - column.components;
    column.components = count;
    return;
  }
  columns_.push_back({name, state, count, row_words_, listed});
  row_words_ += count;
}

void BoundLaunch::clear_results() { std::fill(words_.begin(), words_.end(), 0xCDCDCDCD); }

std::uint64_t BoundLaunch::checksum() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::uint64_t thread = 0; thread < file_->count; ++thread)
    for (const LaunchOutput& output : file_->outputs)
      for (const ResultColumn& column : columns_) {
        if (column.state != output.state) continue;
        for (unsigned k = 0; k < output.components; ++k)
          for (unsigned shift = 0; shift < 32; shift += 8) {
            hash ^= word(column, thread, k) >> shift & 0xFF;
            hash *= 0x100000001b3;
          }
      }
  return hash;
}

Result<frontend::Facts> BoundLaunch::facts() const {
  const runtime::LaunchState& state = launch_.state();
  return state.facts(state.usage.bools);
}

std::string to_string(const Mismatch& m) {
  return fmt::format("thread {}, {}: got {}, wanted {}", m.thread, m.name, value_text(m.got, m.is_float),
                     value_text(m.wanted, m.is_float));
}

std::optional<Mismatch> check_expectations(const BoundLaunch& bound) {
  const LaunchFile& file = bound.file();
  for (const Expectation& wanted : file.expectations)
    for (const ResultColumn& column : bound.columns()) {
      if (column.state != wanted.state) continue;
      for (std::uint64_t thread = 0; thread < file.count; ++thread)
        for (unsigned k = 0; k < wanted.components; ++k) {
          const std::uint32_t word =
              wanted.words[static_cast<std::size_t>(thread % file.rows) * wanted.components + k];
          const std::uint32_t got = bound.word(column, thread, k);
          if (!wanted.accepts(got, word)) return make_mismatch(thread, wanted.state, k, got, word);
        }
    }
  return std::nullopt;
}

std::optional<Mismatch> compare_results(const BoundLaunch& bound, const std::vector<std::uint32_t>& wanted) {
  const auto [got, expected] = std::mismatch(bound.words().begin(), bound.words().end(), wanted.begin());
  if (got == bound.words().end()) return std::nullopt;
  const std::size_t position = static_cast<std::size_t>(got - bound.words().begin());
  const std::uint64_t thread = position / bound.row_words();
  const unsigned place = static_cast<unsigned>(position % bound.row_words());
  for (const ResultColumn& column : bound.columns())
    if (place >= column.first && place < column.first + column.components)
      return make_mismatch(thread, column.state, place - column.first, *got, *expected);
  return std::nullopt;  // every word belongs to a column
}

}  // namespace warpjit::tool
