#include "device/pica200/pipeline_call.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "base/vector.h"

namespace warpjit::pica200 {
namespace {

std::vector<FloatBits> vectors_of(std::span<const std::uint32_t> words) {
  std::vector<FloatBits> vectors(words.size() / 4);
  if (!vectors.empty()) std::memcpy(vectors.data(), words.data(), vectors.size() * sizeof(FloatBits));
  return vectors;
}

// Of numbers that the words hold, at most that many.
template <class Number>
std::span<const Number> numbers_of(std::span<const std::uint32_t> words, std::uint32_t count) {
  const std::size_t held = words.size() * sizeof(std::uint32_t) / sizeof(Number);
  return {reinterpret_cast<const Number*>(words.data()), std::min<std::size_t>(count, held)};
}

void set(Pipeline& pipeline, const PipelineCall& call) {
  const std::uint32_t low = call.first & 0xFFFF, high = call.first >> 16;
  const std::span<const std::uint32_t> words = call.words;
  const std::uint32_t word = words.empty() ? 0 : words[0];
  switch (call.kind) {
    case CallKind::write:
      (void)pipeline.write_register(low, word, high);
      return;
    case CallKind::writes:
      for (std::size_t n = 0; n + 1 < words.size(); n += 2)
        if (!pipeline.write_register(words[n], words[n + 1])) return;
      return;
    case CallKind::code:
      (void)pipeline.set_code(words, call.first, call.unit);
      return;
    case CallKind::descriptors:
      (void)pipeline.set_descriptors(words, call.first, call.unit);
      return;
    case CallKind::entry:
      (void)pipeline.set_entry(call.first, call.unit);
      return;
    case CallKind::f24:
      return pipeline.set_f24(call.first != 0, call.unit);
    case CallKind::structural_scopes:
      return pipeline.set_structural_scopes(call.first != 0, call.unit);
    case CallKind::floats:
      (void)pipeline.set_floats(call.first, vectors_of(words), call.unit);
      return;
    case CallKind::ints:
      (void)pipeline.set_ints(call.first, words, call.unit);
      return;
    case CallKind::bools:
      (void)pipeline.set_bools(low, high, static_cast<std::uint16_t>(word), call.unit);
      return;
    case CallKind::fixed_attributes:
      (void)pipeline.set_fixed_attributes(call.first, vectors_of(words));
      return;
    case CallKind::attribute_count:
      (void)pipeline.set_attribute_count(call.first, call.unit);
      return;
    case CallKind::permutation:
      (void)pipeline.set_permutation(low, high, call.unit);
      return;
    case CallKind::output_mask:
      return pipeline.set_output_mask(static_cast<std::uint16_t>(call.first), call.unit);
    case CallKind::output_map:
      (void)pipeline.set_output_map(words);
      return;
    case CallKind::geometry_unit: {
      GeometryUnit unit = pipeline.geometry_unit();
      const std::span<std::uint32_t> to = unit.words();
      std::copy_n(words.begin(), std::min(words.size(), to.size()), to.begin());
      return pipeline.set_geometry_unit(unit);
    }
    case CallKind::reset:
      (void)pipeline.reset(call.first == 0 ? Start::zero : Start::emulators);
      return;
    case CallKind::load:
      (void)pipeline.load(numbers_of<std::byte>(words, call.first));
      return;
    case CallKind::outside:
      return pipeline.set_outside(call.first == 0 ? Outside::error : Outside::zero);
    case CallKind::topology:
      return pipeline.set_geometry_topology(call.first != 0);
    default:
      return;
  }
}

// Sums of words, and of these sums after each word. They cost less than shading the vertices; a multiplication for
// each word would not.
constexpr std::size_t kVertexWords = sizeof(Vertex) / sizeof(std::uint32_t);
struct VertexSums {
  std::array<std::uint32_t, kVertexWords> words{}, sums{};
};
struct IndexSums {
  std::uint64_t words = 0, sums = 0;
};

// The columns of a vertex by fours, whose sums stay in registers.
template <std::size_t... kFour>
VertexSums sum_vertices(std::span<const Vertex> vertices, std::index_sequence<kFour...>) {
  using Four = warpjit::Vector<std::uint32_t, 4>;
  Four words[] = {(static_cast<void>(kFour), Four{})...}, sums[] = {(static_cast<void>(kFour), Four{})...};
  const auto* from = reinterpret_cast<const std::byte*>(vertices.data());
  for (std::size_t n = 0; n < vertices.size(); ++n, from += sizeof(Vertex)) {
    const auto add = [&](std::size_t k) {
      Four four;
      std::memcpy(&four, from + k * sizeof four, sizeof four);
      words[k] += four;
      sums[k] += words[k];
    };
    (add(kFour), ...);
  }
  VertexSums result;
  std::memcpy(result.words.data(), words, sizeof words);
  std::memcpy(result.sums.data(), sums, sizeof sums);
  return result;
}

VertexSums sum_vertices(std::span<const Vertex> vertices) {
  return sum_vertices(vertices, std::make_index_sequence<kVertexWords / 4>());
}

IndexSums sum_indices(std::span<const std::uint16_t> indices) {
  const std::span<const std::byte> bytes = std::as_bytes(indices);
  IndexSums result;
  const auto add = [&](std::size_t at, std::size_t size) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, size);
    result.words += word;
    result.sums += result.words;
  };
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const std::size_t whole = bytes.size() / kWord * kWord;
  for (std::size_t at = 0; at < whole; at += kWord) add(at, kWord);
  if (whole != bytes.size()) add(whole, bytes.size() - whole);
  return result;
}

}  // namespace

PipelineCall packet_call(CallKind kind, const Packet& packet) {
  return {kind,
          {},
          (packet.id & 0xFFFF) | (packet.bytes & 15) << 16 | (packet.consecutive ? 1U << 20 : 0U),
          packet.values};
}

Packet packet_of(const PipelineCall& call) {
  return {call.first & 0xFFFF, call.words, call.first >> 16 & 15, (call.first >> 20 & 1) != 0};
}

namespace {

// Files have it: it is the same everywhere.
class Hash {
 public:
  explicit Hash(std::uint64_t start) : hash_(start) {}
  void add(std::uint32_t word) { hash_ = (hash_ ^ word) * 0x100000001b3; }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_;
};

}  // namespace

void CallResults::add(const Result<DrawResult>& result) {
  ++result_.draws;
  Hash hash(result_.hash);
  if (result) {
    hash.add(static_cast<std::uint32_t>(result->vertices.size()));
    const VertexSums vertices = sum_vertices(result->vertices);
    for (std::size_t k = 0; k < kVertexWords; ++k) {
      hash.add(vertices.words[k]);
      hash.add(vertices.sums[k]);
    }
    hash.add(static_cast<std::uint32_t>(result->indices.size()));
    const IndexSums indices = sum_indices(result->indices);
    for (const std::uint64_t half : {indices.words, indices.sums}) {
      hash.add(static_cast<std::uint32_t>(half));
      hash.add(static_cast<std::uint32_t>(half >> 32));
    }
  } else {
    hash.add(~std::uint32_t{0});
  }
  result_.hash = hash.value();
}

bool CallResults::draw(const Result<DrawResult>& result) {
  add(result);
  set_ended(result_.draws >= most_);
  return !result_.ended;
}

CallResult make_call(Pipeline& pipeline, const PipelineCall& call, std::uint32_t most_draws,
                     const Engine& engine, const RunOptions& options) {
  CallResults results(most_draws);
  switch (call.kind) {
    case CallKind::draw:
      results.add(pipeline.draw(engine, call.first, call.words.empty() ? 0 : call.words[0], options));
      break;
    case CallKind::draw_indexed8:
      results.add(pipeline.draw_indexed(engine, numbers_of<std::uint8_t>(call.words, call.first), options));
      break;
    case CallKind::draw_indexed16:
      results.add(pipeline.draw_indexed(engine, numbers_of<std::uint16_t>(call.words, call.first), options));
      break;
    case CallKind::draw_arrays:
      results.add(pipeline.draw_arrays(engine, options));
      break;
    case CallKind::draw_elements:
      results.add(pipeline.draw_elements(engine, options));
      break;
    case CallKind::draw_immediate:
      results.add(pipeline.draw_immediate(engine, options));
      break;
    case CallKind::commands:
      (void)pipeline.run_commands(engine, call.words, results, options);
      break;
    case CallKind::packet:
      (void)pipeline.run_packet(engine, packet_of(call), results, options);
      break;
    default:
      set(pipeline, call);
      break;
  }
  return results.result();
}

}  // namespace warpjit::pica200
