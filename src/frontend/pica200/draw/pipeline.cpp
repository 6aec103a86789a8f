#include "frontend/pica200/draw/pipeline.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/hash.h"

namespace warpjit::pica200 {

using runtime::in_bounds;
using runtime::kRowBytes;
using runtime::LaunchState;
using runtime::RowSpan;

namespace {

constexpr std::uint32_t kColorRow = 2, kSemantics = 24;
static_assert(DrawBindings::kSpareResults <= IndexList::kSpare);
static_assert(sizeof(Vertex) == frontend::DrawFacts::kMaxResultRows * kRowBytes);

Error bad_input(std::string message, std::string where) {
  return {ErrorCode::bad_input, std::move(message), std::move(where)};
}
std::string attribute_name(unsigned attribute) { return "attribute " + std::to_string(attribute); }

// The attribute's rows, from vertex 0 on.
RowSpan span_of(const AttributeArray& array) {
  return {reinterpret_cast<std::uintptr_t>(array.data) + array.offset, array.size - array.offset,
          array.stride, size(array.format)};
}
bool holds(const AttributeArray& array, std::uint64_t vertex) {
  return array.data != nullptr && array.offset <= array.size && in_bounds(span_of(array), vertex + 1);
}

// The result words that the output map fills (pica200.md 11).
void map_outputs(const Registers& registers, frontend::DrawFacts& facts) {
  facts.clamped = 1u << kColorRow;
  for (auto& row : facts.results) row.fill(frontend::DrawFacts::kOne);
  unsigned enabled = 0;
  for (unsigned mask = registers.output_mask; mask != 0 && enabled < registers.map_count;
       mask &= mask - 1, ++enabled) {
    const auto output = static_cast<unsigned>(std::countr_zero(mask));
    for (unsigned c = 0; c < 4; ++c) {
      const std::uint32_t semantic = registers.output_map[enabled] >> 8 * c & 31;
      if (semantic >= kSemantics) continue;
      facts.results[semantic / 4][semantic % 4] = static_cast<std::uint8_t>(output * 4 + c);
      facts.stored |= static_cast<std::uint8_t>(1u << semantic / 4);
    }
  }
}

}  // namespace

Status PipelineState::bind(unsigned attribute, const AttributeArray& array) {
  if (attribute >= arrays_.size()) return bad_input("there are 12 attributes", attribute_name(attribute));
  const ComponentType type = array.format.type;
  const bool known = type == ComponentType::s8 || type == ComponentType::u8 || type == ComponentType::s16 ||
                     type == ComponentType::f32;
  if (!known || array.format.components < 1 || array.format.components > 4)
    return bad_input("attributes cannot have the format " + name(array.format), attribute_name(attribute));
  arrays_[attribute] = array;
  ++arrays_version_;
  return {};
}

void PipelineState::unbind(unsigned attribute) {
  if (attribute >= arrays_.size()) return;
  arrays_[attribute].reset();
  ++arrays_version_;
}

Status PipelineState::find_program() {
  if (program_version_ == registers.program_version) return {};
  // Words behind the last one that was uploaded are dead, not code.
  const auto used = [](const auto& words) {
    std::size_t count = words.size();
    while (count != 0 && words[count - 1] == 0) --count;
    return std::span(words.data(), count);
  };
  const std::span<const std::uint32_t> code = used(registers.code);
  const std::span<const std::uint32_t> descriptors = used(registers.descriptors);
  if (code.empty()) return bad_input("no code was uploaded", "vertex program");
  const std::uint64_t hash =
      hash_of(code, hash_of(descriptors, std::uint64_t{registers.entry} << 1 | (registers.f24 ? 1 : 0)));
  const warpjit::Program* found = programs_.find(hash, [&](const warpjit::Program& cached) {
    const Program& known = static_cast<const Shader&>(*cached.shader()).program();
    return known.entry == registers.entry && known.f24 == registers.f24 &&
           std::ranges::equal(known.code, code) && std::ranges::equal(known.descriptors, descriptors);
  });
  if (found == nullptr) {
    Program program;
    program.code.assign(code.begin(), code.end());
    program.descriptors.assign(descriptors.begin(), descriptors.end());
    program.entry = registers.entry;
    program.f24 = registers.f24;
    program.source_name = "vertex program";
    WARPJIT_TRY(std::shared_ptr<const Shader> shader, Shader::make(std::move(program)));
    const std::size_t bytes = shader->memory_bytes();
    found = &programs_.add(hash, bytes, warpjit::Program(std::move(shader)));
  }
  program_ = *found;
  program_version_ = registers.program_version;
  return {};
}

// What the program reads of the arrays and the fixed attributes, and where the results go.
Status PipelineState::lay_out() {
  if (laid_program_ == program_version_ && laid_layout_ == registers.layout_version &&
      laid_arrays_ == arrays_version_)
    return {};
  const std::uint64_t read = program_->shader()->usage().inputs;
  std::array<int, 16> attribute_of;  // of input registers; -1: none
  attribute_of.fill(-1);
  for (unsigned a = 0; a < std::min<unsigned>(registers.attribute_count, kAttributes); ++a)
    attribute_of[registers.permutation[a]] = static_cast<int>(a);
  draw_ = {};
  draw_.facts.active = true;
  input_count_ = 0;
  for (unsigned reg = 0; reg < attribute_of.size(); ++reg) {
    if (attribute_of[reg] < 0 || (read >> reg & 1) == 0) continue;
    const auto attribute = static_cast<unsigned>(attribute_of[reg]);
    if (!arrays_[attribute]) {
      draw_.facts.fixed_inputs |= static_cast<std::uint16_t>(1u << reg);
      continue;
    }
    if (!holds(*arrays_[attribute], 0))
      return bad_input(
          "vertex 0 does not lie in the array of " + std::to_string(arrays_[attribute]->size) + " bytes",
          attribute_name(attribute));
    input_attributes_[input_count_] = static_cast<std::uint8_t>(attribute);
    inputs_[input_count_++] = {*arrays_[attribute], static_cast<std::uint8_t>(reg)};
  }
  lay_out_rows({inputs_.data(), input_count_}, draw_);
  map_outputs(registers, draw_.facts);
  laid_program_ = program_version_;
  laid_layout_ = registers.layout_version;
  laid_arrays_ = arrays_version_;
  return {};
}

PipelineState::CachedLaunch& PipelineState::find_launch() {
  const frontend::Shader* const shader = program_->shader().get();
  const std::uint64_t hash = hash_of(std::span<const frontend::DrawFacts>(&draw_.facts, 1),
                                     reinterpret_cast<std::uintptr_t>(shader));
  CachedLaunch* found = launches_.find(hash, [&](const CachedLaunch& entry) {
    const LaunchState& state = entry.launch.state();
    return state.shader == shader && state.draw.facts == draw_.facts;
  });
  if (found != nullptr) return *found;
  Launch launch(*program_);
  const std::size_t bytes = launch.state().memory_bytes();
  return launches_.add(hash, bytes, {std::move(launch)});
}

void PipelineState::update_values(CachedLaunch& entry) const {
  if (entry.values_version == registers.values_version && entry.layout_version == registers.layout_version)
    return;
  entry.values_version = registers.values_version;
  entry.layout_version = registers.layout_version;
  LaunchState& state = entry.launch.state();
  std::uint32_t* words = state.values.words.data();
  using Shader = Shader;
  std::memcpy(words + Shader::kFloatWord, registers.floats.data(), sizeof registers.floats);
  for (unsigned n = 0; n < 4; ++n)
    for (unsigned c = 0; c < 4; ++c) words[Shader::kIntWord + 4 * n + c] = registers.ints[n] >> 8 * c & 0xFF;
  state.values.bools = registers.bools;
  // For a register, the highest attribute that goes there; unused where that attribute has an array.
  for (unsigned a = 0; a < std::min<unsigned>(registers.attribute_count, kAttributes); ++a)
    std::memcpy(words + Shader::kFixedInputWord + 4 * registers.permutation[a], registers.fixed[a].data(),
                16);
  ++state.values_generation;
}

Status PipelineState::check_arrays(std::uint64_t first, std::uint64_t last) const {
  for (std::size_t k = 0; k < input_count_; ++k) {
    const AttributeArray& array = inputs_[k].array;
    const auto where = [&] { return attribute_name(input_attributes_[k]); };
    if (!holds(array, last)) {
      // The first one that does not.
      const std::uint64_t fit = (array.size - array.offset - size(array.format)) / array.stride + 1;
      return bad_input("vertex " + std::to_string(std::max(first, fit)) + " does not lie in the array of " +
                           std::to_string(array.size) + " bytes",
                       where());
    }
    if (last != 0 && array.stride > std::numeric_limits<std::uint32_t>::max() / last)
      return Error{ErrorCode::resource_limit,
                   "vertex " + std::to_string(last) + " lies 4 GiB or more behind vertex 0", where()};
  }
  return {};
}

// Words that a draw does not store must stay 1.0, so draws that store other words use other memory.
std::vector<Vertex>& PipelineState::find_results(std::size_t count) {
  auto found = std::find_if(results_.begin(), results_.end(), [&](const Results& results) {
    return results.used != 0 && results.stored == draw_.facts.stored;
  });
  if (found == results_.end()) {
    found = std::min_element(results_.begin(), results_.end(),
                             [](const Results& a, const Results& b) { return a.used < b.used; });
    *found = {draw_.facts.stored, 0, {}};
  }
  found->used = ++results_clock_;
  if (found->vertices.size() < count + DrawBindings::kSpareResults) {
    Vertex ones;
    constexpr float kOne = 1.0f;
    for (std::size_t n = 0; n < sizeof ones; n += sizeof kOne)
      std::memcpy(reinterpret_cast<std::byte*>(&ones) + n, &kOne, sizeof kOne);
    found->vertices.resize(count + DrawBindings::kSpareResults, ones);
  }
  return found->vertices;
}

// Vertices base + t, or those that indices_ numbers.
Result<DrawResult> PipelineState::run(const Engine& engine, std::uint64_t base, std::uint64_t count,
                                      const RunOptions& options) {
  std::vector<Vertex>& results = find_results(count);
  const std::uint64_t whole = whole_vertices({inputs_.data(), input_count_}, draw_);
  const std::uint32_t* numbers = nullptr;
  std::uint64_t whole_rows = 0;
  if (draw_.facts.numbered) {
    const std::span<const std::uint32_t> list = indices_.numbers();
    numbers = list.data();
    whole_rows =
        list[count - 1] < whole
            ? list.size()
            : static_cast<std::uint64_t>(
                  std::lower_bound(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count), whole) -
                  list.begin());
  } else {
    whole_rows = std::min(count, whole - std::min(whole, base));
  }

  CachedLaunch& entry = find_launch();
  update_values(entry);
  LaunchState& state = entry.launch.state();
  state.draw = draw_;
  state.draw.numbers = numbers;
  state.draw.whole_rows = whole_rows;
  for (unsigned k = 0; k < draw_.facts.row_count; ++k) state.draw.rows[k].data += base * draw_.rows[k].stride;
  state.draw.results = reinterpret_cast<std::byte*>(results.data());
  state.draw.result_stride = sizeof(Vertex);
  state.count = count;
  WARPJIT_TRY(Report report, engine.run(entry.launch, options));
  DrawResult result;
  result.vertices = {results.data(), count};
  result.report = report;
  return result;
}

Result<DrawResult> PipelineState::draw(const Engine& engine, std::uint32_t first, std::size_t count,
                                       const RunOptions& options) {
  if (registers.geometry_on)
    return Error{ErrorCode::unsupported, "the geometry stage is on", "register 0x229"};
  if (count > kMaxDrawVertices)
    return Error{ErrorCode::resource_limit, std::to_string(count) + " vertices in one draw", "draw"};
  if (count == 0) return DrawResult();
  WARPJIT_CHECK(find_program());
  WARPJIT_CHECK(lay_out());
  WARPJIT_CHECK(check_arrays(first, std::uint64_t{first} + count - 1));
  draw_.facts.numbered = false;
  return run(engine, first, count, options);
}

template <class Index>
Result<DrawResult> PipelineState::draw_indexed(const Engine& engine, std::span<const Index> indices,
                                               const RunOptions& options) {
  if (registers.geometry_on)
    return Error{ErrorCode::unsupported, "the geometry stage is on", "register 0x229"};
  if (indices.size() > kMaxDrawVertices)
    return Error{ErrorCode::resource_limit, std::to_string(indices.size()) + " indices in one draw", "draw"};
  if (indices.empty()) return DrawResult();
  WARPJIT_CHECK(find_program());
  WARPJIT_CHECK(lay_out());
  indices_.build(indices);
  if (Status status = check_arrays(indices_.first(), indices_.last()); !status) {
    // The error names an index that occurs in the buffer.
    const auto at = std::find_if(indices.begin(), indices.end(), [&](Index index) {
      for (std::size_t k = 0; k < input_count_; ++k)
        if (!holds(inputs_[k].array, index)) return true;
      return false;
    });
    if (at == indices.end()) return status.error();
    return bad_input("index " + std::to_string(at - indices.begin()) + ", vertex " + std::to_string(*at) +
                         ", does not lie in the attribute's array",
                     status.error().where);
  }
  // Without gaps, vertices are fetched in order, as for a draw without indices.
  draw_.facts.numbered = !indices_.dense() && draw_.facts.row_count != 0;
  Result<DrawResult> result =
      run(engine, draw_.facts.numbered ? 0 : indices_.first(), indices_.count(), options);
  if (result) result->indices = indices_.remapped();
  return result;
}

}  // namespace warpjit::pica200

namespace warpjit::pica200 {

namespace {

Status in_range(std::size_t number, std::size_t count, const char* what) {
  if (number < count) return {};
  return Error{ErrorCode::bad_input,
               std::to_string(number) + " is above the highest number, " + std::to_string(count - 1), what};
}

template <std::size_t kCount>
Status upload(Registers& registers, std::array<std::uint32_t, kCount>& to,
              std::span<const std::uint32_t> words, std::size_t first, const char* what) {
  if (first > kCount || words.size() > kCount - first)
    return Error{ErrorCode::bad_input,
                 std::to_string(words.size()) + " words from " + std::to_string(first) +
                     " on do not fit in " + std::to_string(kCount),
                 what};
  const auto place = to.begin() + static_cast<std::ptrdiff_t>(first);
  if (std::equal(words.begin(), words.end(), place)) return {};
  std::copy(words.begin(), words.end(), place);
  ++registers.program_version;
  return {};
}

Registers::Vector vector_of(std::span<const std::uint32_t, 4> bits) {
  return {bits[0], bits[1], bits[2], bits[3]};
}

}  // namespace

Pipeline::Pipeline() : state_(std::make_unique<PipelineState>()) {}
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;
Pipeline::~Pipeline() = default;

Status Pipeline::write_register(std::uint32_t id, std::uint32_t value) {
  return state_->registers.write(id, value);
}
Status Pipeline::write_registers(std::span<const RegisterWrite> writes) {
  for (const RegisterWrite& write : writes) WARPJIT_CHECK(state_->registers.write(write.id, write.value));
  return {};
}

Status Pipeline::set_code(std::span<const std::uint32_t> words, std::size_t first) {
  return upload(state_->registers, state_->registers.code, words, first, "code");
}
Status Pipeline::set_descriptors(std::span<const std::uint32_t> words, std::size_t first) {
  return upload(state_->registers, state_->registers.descriptors, words, first, "operand descriptors");
}
Status Pipeline::set_entry(std::uint32_t word) {
  WARPJIT_CHECK(in_range(word, kUploadedWords, "entry"));
  state_->registers.set(state_->registers.entry, word, state_->registers.program_version);
  return {};
}
Status Pipeline::set_float(unsigned index, std::span<const std::uint32_t, 4> bits) {
  Registers& registers = state_->registers;
  WARPJIT_CHECK(in_range(index, registers.floats.size(), "float uniform"));
  registers.set(registers.floats[index], vector_of(bits), registers.values_version);
  return {};
}
Status Pipeline::set_int(unsigned index, std::uint32_t bytes) {
  Registers& registers = state_->registers;
  WARPJIT_CHECK(in_range(index, registers.ints.size(), "integer uniform"));
  registers.set(registers.ints[index], bytes, registers.values_version);
  return {};
}
void Pipeline::set_f24(bool on) {
  state_->registers.set(state_->registers.f24, on, state_->registers.program_version);
}
void Pipeline::set_bools(std::uint16_t bits) {
  state_->registers.set(state_->registers.bools, bits, state_->registers.values_version);
}
Status Pipeline::set_attribute_count(unsigned count) {
  WARPJIT_CHECK(in_range(count, kAttributes + 1, "attribute count"));
  state_->registers.set(state_->registers.attribute_count, static_cast<std::uint8_t>(count),
                        state_->registers.layout_version);
  return {};
}
Status Pipeline::set_permutation(unsigned attribute, unsigned input_register) {
  WARPJIT_CHECK(in_range(attribute, kAttributes, "attribute"));
  WARPJIT_CHECK(in_range(input_register, 16, "input register"));
  state_->registers.set(state_->registers.permutation[attribute], static_cast<std::uint8_t>(input_register),
                        state_->registers.layout_version);
  return {};
}
void Pipeline::set_output_mask(std::uint16_t mask) {
  state_->registers.set(state_->registers.output_mask, mask, state_->registers.layout_version);
}
Status Pipeline::set_output_map(std::span<const std::uint32_t> words) {
  Registers& registers = state_->registers;
  WARPJIT_CHECK(in_range(words.size(), Registers::kMapWords + 1, "output map words"));
  for (std::size_t n = 0; n < words.size(); ++n)
    registers.set(registers.output_map[n], words[n], registers.layout_version);
  registers.set(registers.map_count, static_cast<std::uint8_t>(words.size()), registers.layout_version);
  return {};
}
Status Pipeline::set_fixed_attribute(unsigned attribute, std::span<const std::uint32_t, 4> bits) {
  Registers& registers = state_->registers;
  WARPJIT_CHECK(in_range(attribute, registers.fixed.size(), "attribute"));
  registers.set(registers.fixed[attribute], vector_of(bits), registers.values_version);
  return {};
}

Status Pipeline::bind_attribute(unsigned attribute, const AttributeArray& array) {
  return state_->bind(attribute, array);
}
void Pipeline::unbind_attribute(unsigned attribute) { state_->unbind(attribute); }
void Pipeline::unbind_attributes() {
  for (unsigned n = 0; n < kAttributes; ++n) state_->unbind(n);
}

Result<DrawResult> Pipeline::draw(const Engine& engine, std::uint32_t first, std::size_t count,
                                  const RunOptions& options) {
  return state_->draw(engine, first, count, options);
}
Result<DrawResult> Pipeline::draw_indexed(const Engine& engine, std::span<const std::uint8_t> indices,
                                          const RunOptions& options) {
  return state_->draw_indexed(engine, indices, options);
}
Result<DrawResult> Pipeline::draw_indexed(const Engine& engine, std::span<const std::uint16_t> indices,
                                          const RunOptions& options) {
  return state_->draw_indexed(engine, indices, options);
}

}  // namespace warpjit::pica200
