#include "runtime/work/primitive_plan.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace warpjit::runtime {
namespace {

// Bytes of an area: the results of a range should still be in a cache when they are copied.
constexpr std::size_t kAreaBytes = 128 * 1024, kTableAlignment = 64;
constexpr std::uint64_t kMaxRange = 4096, kMaxOrderedRange = 64;

}  // namespace

PrimitivePlan::PrimitivePlan(const KernelCall& call, const frontend::Facts& facts, const RowPlan* stage,
                             const std::byte* rows)
    : call_(call),
      all_facts_(facts),
      facts_(facts.get<frontend::PrimitiveFacts>()),
      use_(call.kernel.unit_use()),
      lanes_(call.kernel.report().ordered ? 1 : call.kernel.lanes()),
      ordered_(call.kernel.report().ordered),
      unit_rows_(call.launch.shader->geometry_unit()->unit_rows()),
      triangle_rows_(std::size_t{3} * facts_.vertex_rows() * facts_.max_triangles),
      output_count_(call.launch.output_count),
      stage_(stage) {
  const LaunchState& launch = call.launch;
  const LaunchData::Primitives& p = *launch.primitives;
  if (stage != nullptr) {
    attributes_ = p.attribute_count();
    attributes_per_invocation_ = facts_.row_count != 0 ? facts_.row_count : p.input.registers.size();
  }
  const auto stage_stride = static_cast<std::ptrdiff_t>(attributes_per_invocation_ * kRowBytes);
  for (std::uint64_t bits = facts_.bound_inputs; bits != 0; bits &= bits - 1) {
    const auto number = static_cast<std::size_t>(std::countr_zero(bits));
    if (stage != nullptr) {
      const auto& registers = p.input.registers;
      const auto attribute = std::find(registers.begin(), registers.end(), number) - registers.begin();
      inputs_[input_count_++] = {nullptr, stage_stride, nullptr, 1,
                                 static_cast<std::uint32_t>(attribute) * std::uint32_t{kRowBytes}};
    } else {
      const LaunchData::Input& input = launch.inputs[number];
      inputs_[input_count_++] = {static_cast<const std::byte*>(input.attribute.data),
                                 launch.count > 1 ? static_cast<std::ptrdiff_t>(input.attribute.stride) : 0,
                                 input.attribute.format == f32x4 ? nullptr : input.load, 1, 0};
    }
  }
  if (facts_.row_count != 0)
    inputs_[input_count_++] = {rows, static_cast<std::ptrdiff_t>(facts_.row_count * kRowBytes), nullptr,
                               facts_.row_count, 0};
  for (std::uint32_t k = 0; k < input_count_; ++k) input_rows_ += inputs_[k].rows;
  input_rows_ *= use_.history + 1;
  const std::size_t each = triangle_stride() + (1 + output_count_ + attributes_per_invocation_) * kRowBytes;
  chunk_ = std::clamp<std::uint64_t>(kAreaBytes / each, 1, ordered_ ? kMaxOrderedRange : kMaxRange);
  chunk_ = std::max<std::uint64_t>(1, chunk_ / lanes_) * lanes_;
}

Status PrimitivePlan::set_up(PrimitiveArea& area) const {
  const std::size_t emission = chunk_ * kRowBytes, triangles = chunk_ * triangle_stride(),
                    outputs = chunk_ * output_count_ * kRowBytes, unit = (unit_rows_ + 1) * kRowBytes,
                    begun_unit = unit_rows_ * kRowBytes, table = table_bytes() + kTableAlignment,
                    marks = use_.marks.empty() ? 0 : chunk_ * kRowBytes,
                    inputs = chunk_ * input_rows_ * kRowBytes,
                    // Parts of the first and the last vertex may belong to other ranges.
      vertices = ((chunk_ + use_.history + 1) * attributes_per_invocation_ + 2 * attributes_) * kRowBytes;
  const std::size_t bytes =
      emission + triangles + outputs + unit + begun_unit + table + marks + inputs + vertices;
  if (area.bytes < bytes) {
    area.memory.reset(new (std::nothrow) std::byte[bytes]);
    area.bytes = area.memory ? bytes : 0;
    if (!area.memory) return Error{ErrorCode::resource_limit, "no memory for emitted triangles", ""};
  }
  area.emission = area.memory.get();
  area.triangles = area.emission + emission;
  area.outputs = area.triangles + triangles;
  area.unit = area.outputs + outputs;
  area.begun_unit = area.unit + unit;
  area.marks = area.begun_unit + begun_unit;
  area.inputs = area.marks + marks;
  area.vertices = area.inputs + inputs;
  const auto end = reinterpret_cast<std::uintptr_t>(area.vertices + vertices);
  area.table = area.vertices + vertices + (kTableAlignment - end % kTableAlignment) % kTableAlignment;
  area.first_vertex = area.end_vertex = 0;
  return {};
}

Result<std::uint64_t> PrimitivePlan::begin(std::uint64_t count, PrimitiveArea& area) {
  const frontend::GeometryUnit& unit = *call_.launch.shader->geometry_unit();
  const bool in_lanes = !ordered_ && (facts_.keeps_unit || use_.table_offset != 0);
  if (!ordered_ && !in_lanes && call_.kernel.one_by_one() == nullptr) return std::uint64_t{0};
  unit.fill_unit(call_.launch.values, call_.launch.primitives->unit, area.unit);
  const std::uint64_t others = use_.history + (use_.follows_a_run && !unit.has_run(area.unit) ? 1 : 0);
  begun_ = std::min(others, count);
  if (begun_ != 0) {
    WARPJIT_CHECK(run_stage(0, std::min(count, begun_ + chunk_), area));  // of the first range, too
    WARPJIT_CHECK(run_one_by_one(0, begun_, area));
    WARPJIT_CHECK(collect(0, begun_, area));
  }
  if (!in_lanes) return begun_;
  if (use_.table_offset != 0) WARPJIT_CHECK(use_table(area));
  if (facts_.keeps_unit) {
    std::memcpy(area.begun_unit, area.unit, unit_rows_ * kRowBytes);
  }
  return begun_;
}

std::size_t PrimitivePlan::table_bytes() const {
  return use_.table_offset != 0 ? std::max(call_.kernel.table_bytes(), call_.launch.shader->table_bytes())
                                : 0;
}

Status PrimitivePlan::use_table(const PrimitiveArea& area) {
  std::memcpy(area.table, call_.table, call_.launch.shader->table_bytes());
  std::memcpy(area.table + use_.table_offset, area.unit, unit_rows_ * kRowBytes);
  call_.table = reinterpret_cast<std::uint32_t*>(area.table);
  return call_.kernel.prepare(call_.table);
}

// The vertices of a range of invocations, if they are not there yet.
Status PrimitivePlan::run_stage(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const {
  if (stage_ == nullptr) return {};
  const std::uint64_t earlier = first - std::min<std::uint64_t>(first, use_.history);
  const std::uint64_t begin = earlier * attributes_per_invocation_ / attributes_;
  const std::uint64_t end = ((first + count) * attributes_per_invocation_ + attributes_ - 1) / attributes_;
  if (area.first_vertex <= begin && end <= area.end_vertex) return {};
  area.first_vertex = begin;
  area.end_vertex = end;
  return stage_->with_rows(area.vertices, begin).run(begin, end - begin);
}

const std::byte* PrimitivePlan::address(const Input& input, std::uint64_t first,
                                        const PrimitiveArea& area) const {
  if (input.data != nullptr) return input.data + static_cast<std::ptrdiff_t>(first) * input.stride;
  const std::uint64_t attribute = first * attributes_per_invocation_ - area.first_vertex * attributes_;
  return area.vertices + attribute * kRowBytes + input.offset;
}

Status PrimitivePlan::run(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const {
  WARPJIT_CHECK(run_stage(first, count, area));
  const std::uint64_t full = count / lanes_ * lanes_;
  if (full != 0)
    if (Status status = call(first, full, 0, true, area); !status) return status;
  if (full != count)
    if (Status status = call(first + full, count - full, full, false, area); !status) return status;
  if (!use_.marks.empty()) find_marks(first, count, area);
  return collect(first, count, area);
}

Status PrimitivePlan::run_one_by_one(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const {
  WARPJIT_CHECK(run_stage(first, count, area));
  frontend::Rows inputs[frontend::kMaxInputs + 2], outputs[frontend::kMaxOutputs + frontend::kUnitOutput + 1];
  std::uint32_t in = 0, out = 0;
  std::byte* staged = area.inputs;
  for (std::uint32_t k = 0; k < input_count_; ++k) {
    const std::size_t bytes = inputs_[k].rows * kRowBytes;
    inputs[in++] = {
        const_cast<std::byte*>(copy(inputs_[k], address(inputs_[k], first, area), count, count, staged)),
        static_cast<std::ptrdiff_t>(bytes)};
    staged += chunk_ * bytes;
  }
  inputs[in++] = {area.unit, 0};
  for (std::uint32_t k = 0; k < output_count_; ++k)
    outputs[out++] = {area.outputs + k * chunk_ * kRowBytes, kRowBytes};
  outputs[out++] = {area.emission, kRowBytes};
  outputs[out++] = {area.triangles, static_cast<std::ptrdiff_t>(triangle_stride())};
  outputs[out++] = {area.unit, 0};
  return call_.kernel.one_by_one()->run(call_.launch.values, all_facts_, {inputs, in}, {outputs, out},
                                        static_cast<std::size_t>(count), {call_.fuel, call_.cancel});
}

// The registers and the number of triangles of a range that ran.
Status PrimitivePlan::collect(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const {
  area.triangle_count = 0;
  for (std::uint64_t n = 0; n < count; ++n) {
    std::uint32_t emitted;
    std::memcpy(&emitted, area.emission + n * kRowBytes, sizeof emitted);
    if (emitted > facts_.max_triangles) {
      note_excess(area, n, count);
      return Error{ErrorCode::resource_limit,
                   "invocation " + std::to_string(first + n) + " emits " + std::to_string(emitted) +
                       " triangles, more than the " + std::to_string(facts_.max_triangles) +
                       " that the launch allows",
                   call_.launch.shader->source_name()};
    }
    area.triangle_count += emitted;
  }
  for (std::uint32_t k = 0; k < output_count_; ++k) {
    const LaunchData::Output& output = call_.launch.outputs[k];
    output.store(area.outputs + k * chunk_ * kRowBytes,
                 static_cast<std::byte*>(output.buffer.data) +
                     static_cast<std::ptrdiff_t>(first) * static_cast<std::ptrdiff_t>(output.buffer.stride),
                 static_cast<std::ptrdiff_t>(output.buffer.stride), count);
  }
  return {};
}

// Who grows with the need learns what all of the range emit from `first` on.
void PrimitivePlan::note_excess(const PrimitiveArea& area, std::uint64_t first, std::uint64_t count) const {
  if (call_.launch.primitives->sink == nullptr) return;
  std::atomic<std::uint32_t>& most = call_.launch.primitives->sink->most_emitted;
  for (std::uint64_t n = first; n < count; ++n) {
    std::uint32_t emitted, before = most.load(std::memory_order_relaxed);
    std::memcpy(&emitted, area.emission + n * kRowBytes, sizeof emitted);
    while (emitted > before && !most.compare_exchange_weak(before, emitted, std::memory_order_relaxed)) {
    }
  }
}

// What an invocation leaves depends on no others; what these do not write is as at the begin.
Status PrimitivePlan::run_last(std::uint64_t last, PrimitiveArea& area) const {
  const std::uint64_t first = std::max(begun_, last - std::min<std::uint64_t>(last, use_.history));
  std::memcpy(area.unit, area.begun_unit, unit_rows_ * kRowBytes);
  if (use_.alternates && (first - begun_) % 2 != 0)
    call_.launch.shader->geometry_unit()->swap_banks(area.unit);
  return run_one_by_one(first, last - first + 1, area);
}

void PrimitivePlan::find_marks(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const {
  area.marked = {};
  const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << use_.marks.size()) - 1);
  std::array<std::uint32_t, 2> missing = {all, use_.alternates ? all : 0};
  for (std::uint64_t n = count; n-- > 0 && (missing[0] | missing[1]) != 0;) {
    std::uint32_t bits;
    std::memcpy(&bits, area.marks + n * kRowBytes, sizeof bits);
    const std::size_t odd = use_.alternates ? (first + n - begun_) % 2 : 0;
    for (bits &= missing[odd], missing[odd] &= ~bits; bits != 0; bits &= bits - 1)
      area.marked[static_cast<std::size_t>(std::countr_zero(bits))][odd] = first + n + 1;
  }
}

void PrimitivePlan::note_marks(const PrimitiveArea& area) {
  for (std::size_t mark = 0; mark < use_.marks.size(); ++mark)
    for (std::size_t odd = 0; odd < 2; ++odd)
      if (area.marked[mark][odd] != 0) marked_[mark][odd] = area.marked[mark][odd];
}

// Brings words that the last invocations left alone from the last one that wrote them.
Status PrimitivePlan::take_marked(std::uint64_t count, PrimitiveArea& area) const {
  struct Source {
    std::uint64_t invocation;
    std::uint32_t from, to;  // words
  };
  std::vector<Source> sources;
  const std::uint64_t last = count - 1;
  bool all_last = true;
  for (std::size_t mark = 0; mark < use_.marks.size(); ++mark)
    for (const std::uint32_t word : use_.marks[mark]) {
      const bool banked = use_.alternates && use_.other_place(word) != word;
      for (std::size_t odd = 0; odd < (banked ? 2 : 1); ++odd) {
        const std::uint64_t wrote =
            banked ? marked_[mark][odd] : std::max(marked_[mark][0], marked_[mark][1]);
        if (wrote == 0) continue;
        // Each invocation of the thread swaps the banks, and so do those after it.
        const auto swapped = [&](std::uint32_t place, std::uint64_t times) {
          return banked && times % 2 != 0 ? use_.other_place(place) : place;
        };
        const std::uint32_t from = swapped(word, use_.history + 1);
        sources.push_back({wrote - 1, from, swapped(from, count - wrote)});
        all_last = all_last && wrote == count;
      }
    }
  if (all_last) return {};
  // Where two wrote one word, the later one counts.
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.invocation < b.invocation; });
  const std::vector<std::byte> at_last(area.unit, area.unit + unit_rows_ * kRowBytes);
  std::vector<std::byte> result = at_last;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const Source& source = sources[k];
    if (source.invocation == last)
      std::memcpy(area.unit, at_last.data(), at_last.size());
    else if (k == 0 || source.invocation != sources[k - 1].invocation)
      WARPJIT_CHECK(run_last(source.invocation, area));
    std::memcpy(result.data() + 4 * std::size_t{source.to}, area.unit + 4 * std::size_t{source.from}, 4);
  }
  std::memcpy(area.unit, result.data(), result.size());
  return {};
}

Status PrimitivePlan::finish(std::uint64_t count, PrimitiveArea& area) const {
  if (!facts_.keeps_unit) return {};
  const frontend::GeometryUnit& unit = *call_.launch.shader->geometry_unit();
  if (!ordered_ && count != begun_) {
    WARPJIT_CHECK(run_last(count - 1, area));
    if (!use_.marks.empty()) WARPJIT_CHECK(take_marked(count, area));
  }
  unit.keep_unit(area.unit, call_.launch.primitives->unit);
  return {};
}

const std::byte* PrimitivePlan::copy(const Input& input, const std::byte* from, std::uint64_t count,
                                     std::uint64_t padded, std::byte* to) const {
  const std::size_t bytes = input.rows * kRowBytes;
  if (input.load != nullptr)
    input.load(from, input.stride, count, to);
  else
    for (std::uint64_t n = 0; n < count; ++n)
      std::memcpy(to + n * bytes, from + static_cast<std::ptrdiff_t>(n) * input.stride, bytes);
  // Dead lanes repeat a live one.
  for (std::uint64_t n = count; n < padded; ++n) std::memcpy(to + n * bytes, to + (count - 1) * bytes, bytes);
  return to;
}

// `place`: the range's first invocation in the area. `whole`: its groups are full.
Status PrimitivePlan::call(std::uint64_t first, std::uint64_t count, std::uint64_t place, bool whole,
                           PrimitiveArea& area) const {
  backend::KernelArgs args;
  const std::uint64_t padded = (count + lanes_ - 1) / lanes_ * lanes_;
  // An ordered kernel runs an invocation in all lanes of a group alike.
  const auto bind = [&](const std::byte* address, std::ptrdiff_t stride) {
    const bool alike = ordered_ && call_.kernel.lanes() != 1;
    backend::Binding binding = group_rows(address, stride, lanes_);
    if (alike) binding.stride = 0;
    return binding;
  };
  std::byte* staged = area.inputs;
  std::uint32_t in = 0, out = 0;
  for (std::uint32_t earlier = 0; earlier <= use_.history; ++earlier)
    for (std::uint32_t k = 0; k < input_count_; ++k) {
      const Input& input = inputs_[k];
      const auto bytes = static_cast<std::ptrdiff_t>(input.rows * kRowBytes);
      const std::byte* from = address(input, first - earlier, area);
      args.inputs[in++] = whole && input.load == nullptr
                              ? bind(from, input.stride)
                              : bind(copy(input, from, count, padded, staged), bytes);
      staged += chunk_ * input.rows * kRowBytes;
    }
  if (ordered_) args.inputs[in++] = bind(area.unit, 0);
  for (std::uint32_t k = 0; k < output_count_; ++k)
    args.outputs[out++] = bind(area.outputs + (k * chunk_ + place) * kRowBytes, kRowBytes);
  args.outputs[out++] = bind(area.emission + place * kRowBytes, kRowBytes);
  args.outputs[out++] =
      bind(area.triangles + place * triangle_stride(), static_cast<std::ptrdiff_t>(triangle_stride()));
  if (ordered_) args.outputs[out++] = bind(area.unit, 0);
  if (!use_.marks.empty()) args.outputs[out++] = bind(area.marks + place * kRowBytes, kRowBytes);
  return call_.run(args, padded / lanes_);
}

Status PrimitivePlan::reserve(std::uint64_t triangles) const {
  if (call_.launch.primitives->sink != nullptr) return call_.launch.primitives->sink->reserve(triangles);
  const TriangleBuffer& buffer = call_.launch.primitives->triangles;
  if (facts_.enabled == 0 || buffer.vertices == nullptr) return {};
  std::uint64_t room = buffer.size / (3 * facts_.vertex_rows() * kRowBytes);
  if (buffer.inverted != nullptr) room = std::min<std::uint64_t>(room, buffer.inverted_size);
  if (triangles <= room) return {};
  return Error{ErrorCode::resource_limit,
               "the triangle buffer has room for " + std::to_string(room) + ", more are emitted",
               "triangles"};
}

void PrimitivePlan::append(const PrimitiveArea& area, std::uint64_t count, std::uint64_t place) const {
  if (TriangleSink* const sink = call_.launch.primitives->sink; sink != nullptr) {
    for (std::uint64_t n = 0; n < count; ++n) {
      std::uint32_t emission[4];
      std::memcpy(emission, area.emission + n * kRowBytes, sizeof emission);
      sink->store(place, area.triangles + n * triangle_stride(), emission[0], emission + 1);
      place += emission[0];
    }
    return;
  }
  const TriangleBuffer& buffer = call_.launch.primitives->triangles;
  if (facts_.enabled == 0 || buffer.vertices == nullptr) return;
  const std::size_t triangle = 3 * facts_.vertex_rows() * kRowBytes;
  auto* to = static_cast<std::byte*>(buffer.vertices) + place * triangle;
  std::uint8_t* flag = buffer.inverted != nullptr ? buffer.inverted + place : nullptr;
  for (std::uint64_t n = 0; n < count; ++n) {
    std::uint32_t emission[4];
    std::memcpy(emission, area.emission + n * kRowBytes, sizeof emission);
    std::memcpy(to, area.triangles + n * triangle_stride(), emission[0] * triangle);
    to += emission[0] * triangle;
    if (flag != nullptr)
      for (std::uint32_t k = 0; k < emission[0]; ++k) *flag++ = emission[1 + k / 32] >> k % 32 & 1;
  }
}

}  // namespace warpjit::runtime
