// The fields of a section of kind 19, for who writes and who reads them (docs/captures.md has the list).
#pragma once

#include "capture/field_cursor.h"
#include "capture/launch/recorded_launch.h"

namespace warpjit::capture {

inline constexpr std::uint32_t kRowsPart = 1, kGridPart = 2, kVerticesPart = 4, kPrimitivesPart = 8,
                               kPixelsPart = 16, kVertexPart = 32, kGeometryPart = 64, kAllParts = 127;

template <class A, class Place>
void place_fields(A& a, Place& place) {
  a.long_word(place.address);
  a.long_word(place.size);
}
template <class A, class Words>
void word_fields(A& a, Words& words, const char* what) {
  a.list(words, 4, what, [&](auto& word) { a.word(word); });
}

template <class A, class Value>
void texture_fields(A& a, Value& recorded) {
  constexpr std::uint32_t kByte = 255;
  auto& texture = recorded.texture;
  a.number(recorded.slot, kMaxTextures - 1, "the texture's slot");
  a.choice(texture.dimension, TextureDimension::buffer, "the dimension");
  a.flag(texture.array, "array");
  auto& format = texture.format;
  a.number(format.bytes, kByte, "the format's bytes");
  a.flag(format.srgb, "srgb");
  for (auto& component : format.components) {
    a.choice(component.type, TexelType::sscaled, "a component's type");
    a.number(component.first_bit, kByte, "a component's first bit");
    a.number(component.bits, kByte, "a component's bits");
  }
  a.choice(format.compression, BlockCompression::astc, "the compression");
  a.number(format.block_width, kByte, "a block's width");
  a.number(format.block_height, kByte, "a block's height");
  a.choice(texture.layout, TextureLayout::morton, "the layout");
  for (auto& source : texture.swizzle) a.choice(source, TexelSource::integer_one, "the swizzle");
  a.flag(texture.normalized, "normalized");
  a.flag(texture.four_pairs, "four pairs");
  a.flag(texture.depth, "depth");
  a.word(texture.width);
  a.word(texture.height);
  a.word(texture.depth_extent);
  a.word(texture.layers);
  a.word(texture.levels);
  a.word(texture.first_level);
  a.word(texture.last_level);
  a.long_word(texture.row_bytes);
  a.long_word(texture.slice_bytes);
  a.long_word(texture.layer_bytes);
  a.list(recorded.places, 24, "the places of levels", [&](auto& level) {
    a.long_word(level.offset);
    a.long_word(level.row_bytes);
    a.long_word(level.slice_bytes);
  });
  a.number(texture.block_height, kByte, "the height of blocks");
  a.number(texture.block_depth, kByte, "the depth of blocks");
  a.integer(texture.min_lod);
  a.integer(texture.lod_bias);
  place_fields(a, recorded.memory);
}

template <class A, class Value>
void sampler_fields(A& a, Value& recorded) {
  auto& sampler = recorded.sampler;
  a.number(recorded.slot, kMaxSamplers - 1, "the sampler's slot");
  for (auto& wrap : sampler.wrap) a.choice(wrap, Wrap::mirror_once, "the wrap");
  a.choice(sampler.magnify, Filter::linear, "the filter");
  a.choice(sampler.minify, Filter::linear, "the filter");
  a.choice(sampler.mip, MipFilter::linear, "the filter of levels");
  a.flag(sampler.compare, "compare");
  a.choice(sampler.compare_op, Compare::always, "the comparison");
  a.flag(sampler.decode_srgb, "decode srgb");
  a.flag(sampler.seamless, "seamless");
  a.integer(sampler.lod_bias);
  a.integer(sampler.min_lod);
  a.integer(sampler.max_lod);
  for (auto& word : sampler.border) a.word(word);
  bool has_srgb_border = sampler.srgb_border.has_value();
  a.flag(has_srgb_border, "srgb border");
  std::array<std::uint32_t, 3> border = sampler.srgb_border.value_or(std::array<std::uint32_t, 3>{});
  for (auto& word : border) a.word(word);
  if constexpr (A::kReads)
    if (has_srgb_border) sampler.srgb_border = border;
}

template <class A, class Value>
void row_fields(A& a, Value& row, bool input) {
  a.number(row.reg, 63, "the register");
  a.choice(row.format.type, ComponentType::s32, "the format");
  a.number_between(row.format.components, 1, 4, "the number of components");
  if (input) a.word(row.divisor);
  a.long_word(row.stride);
  place_fields(a, row.memory);
}
template <class A, class Value>
void rows_fields(A& a, Value& rows) {
  a.flag(rows.allow_overlap, "allow overlap");
  a.list(rows.inputs, 40, "inputs", [&](auto& row) { row_fields(a, row, true); });
  a.list(rows.outputs, 36, "outputs", [&](auto& row) { row_fields(a, row, false); });
}

template <class A, class Value>
void grid_fields(A& a, Value& grid) {
  for (auto& extent : grid.grid) a.word(extent);
  for (auto& extent : grid.block) a.word(extent);
  for (auto& number : grid.first_block) a.word(number);
  a.word(grid.shared_bytes);
}

template <class A, class Value>
void vertices_fields(A& a, Value& vertices) {
  a.word(vertices.instances);
  a.word(vertices.first);
  a.word(vertices.first_instance);
  a.word(vertices.attribute_offset);
  a.word(vertices.packet_stride);
  place_fields(a, vertices.results);
  a.list(vertices.attributes, 48, "attributes", [&](auto& source) {
    a.long_word(source.address);
    a.word(source.bytes);
    a.word(source.format);
    a.integer(source.offset);
    a.word(source.stride);
    a.flag(source.per_instance, "per instance");
    a.flag(source.from_first, "from first");
    a.choice(source.division, AttributeSource::Division::multiply, "the division");
    a.number(source.shift, 31, "the shift");
    a.flag(source.add, "add");
    a.word(source.multiplier);
  });
}

template <class A, class Value>
void primitives_fields(A& a, Value& primitives) {
  auto& input = primitives.input;
  a.choice(input.mode, PrimitiveMode::fixed, "the mode");
  a.word(input.first);
  a.word(input.vertices);
  a.word(input.full_vertices);
  a.list(input.registers, 4, "registers", [&](auto& reg) { a.number(reg, 255, "a register"); });
  a.long_word(input.outputs);
  a.word(input.max_triangles);
  word_fields(a, primitives.list, "primitives");
  place_fields(a, primitives.triangles);
  place_fields(a, primitives.inverted);
  place_fields(a, primitives.unit);
}

template <class A, class Value>
void raster_fields(A& a, Value& raster) {
  constexpr std::uint32_t kByte = 255;
  a.choice(raster.topology, Topology::triangle_fan, "the topology");
  for (auto& value : raster.viewport_scale) a.real(value);
  for (auto& value : raster.viewport_translate) a.real(value);
  a.word(raster.scissor.x);
  a.word(raster.scissor.y);
  a.word(raster.scissor.width);
  a.word(raster.scissor.height);
  a.flag(raster.depth_zero_to_one, "depth zero to one");
  a.flag(raster.clip_near, "clip near");
  a.flag(raster.clip_far, "clip far");
  a.flag(raster.positive_is_front, "positive is front");
  a.flag(raster.cull_front, "cull front");
  a.flag(raster.cull_back, "cull back");
  a.flag(raster.provoking_last, "provoking last");
  a.choice(raster.shade, ShadeModel::flat, "the shade model");
  a.real(raster.point_size);
  a.number(raster.point_size_slot, kByte, "the slot of the point's size");
  a.real(raster.line_width);
  a.number(raster.distances.first, kByte, "distances");
  a.number(raster.distances.count, kByte, "distances");
  a.number(raster.distances.clip, kByte, "distances");
  a.number(raster.distances.cull, kByte, "distances");
  a.flag(raster.window_positions, "window positions");
  a.real(raster.depth_bias.units);
  a.real(raster.depth_bias.slope);
  a.real(raster.depth_bias.clamp);
  for (auto& value : raster.depth_bounds) a.real(value);
  for (auto& value : raster.clip_bounds) a.real(value);
  for (auto& value : raster.sample_point) a.number(value, kByte, "the sample's place");
}

template <class A, class Value>
void stencil_fields(A& a, Value& face) {
  constexpr std::uint32_t kByte = 255;
  a.choice(face.compare, Compare::always, "the stencil's comparison");
  for (auto* op : {&face.fail, &face.depth_fail, &face.pass})
    a.choice(*op, StencilOp::decrement_wrap, "a stencil operation");
  a.number(face.reference, kByte, "the stencil's reference");
  a.number(face.read_mask, kByte, "a stencil mask");
  a.number(face.write_mask, kByte, "a stencil mask");
}
template <class A, class Value>
void mix_fields(A& a, Value& mix) {
  a.choice(mix.add, BlendMix::Add::target, "an operand of blending");
  a.flag(mix.negate_add, "negate");
  a.choice(mix.multiply, BlendMix::Multiply::target, "an operand of blending");
  a.flag(mix.negate_multiply, "negate");
  a.choice(mix.by, BlendMix::By::constant, "an operand of blending");
  a.flag(mix.invert_by, "invert");
}
template <class A, class Value>
void blend_fields(A& a, Value& blend) {
  a.flag(blend.enabled, "blending");
  for (auto* factor : {&blend.source, &blend.target, &blend.source_alpha, &blend.target_alpha})
    a.choice(*factor, BlendFactor::target_alpha_saturate, "a blend factor");
  a.choice(blend.op, BlendOp::max, "a blend operation");
  a.choice(blend.op_alpha, BlendOp::max, "a blend operation");
  a.number(blend.write_mask, 15, "the write mask");
  a.flag(blend.mixed, "mixed");
  mix_fields(a, blend.mix);
  mix_fields(a, blend.mix_alpha);
  a.flag(blend.bytes, "bytes");
}
template <class A, class Value>
void output_fields(A& a, Value& output) {
  a.flag(output.depth.test, "the depth test");
  a.flag(output.depth.write, "depth writes");
  a.choice(output.depth.compare, Compare::always, "the depth comparison");
  a.flag(output.stencil.test, "the stencil test");
  stencil_fields(a, output.stencil.front);
  stencil_fields(a, output.stencil.back);
  for (auto& blend : output.blend) blend_fields(a, blend);
  a.flag(output.alpha_test, "the alpha test");
  a.choice(output.alpha_compare, Compare::always, "the alpha comparison");
  a.real(output.alpha_reference);
  for (auto& value : output.blend_constant) a.real(value);
  a.flag(output.early_tests, "early tests");
  a.flag(output.count_passed, "counts");
}

template <class A, class Value>
void target_fields(A& a, Value& target) {
  a.choice(target.format, kLastPixelFormat, "the format");
  a.long_word(target.pitch);
  place_fields(a, target.memory);
}
template <class A, class Value>
void pixels_fields(A& a, Value& pixels) {
  raster_fields(a, pixels.raster);
  output_fields(a, pixels.output);
  a.word(pixels.width);
  a.word(pixels.height);
  a.word(pixels.instances);
  for (auto& target : pixels.colors) target_fields(a, target);
  target_fields(a, pixels.depth);
  target_fields(a, pixels.pass_counts);
  place_fields(a, pixels.vertices.memory);
  a.long_word(pixels.vertices.stride);
  a.long_word(pixels.vertices.instance_stride);
  a.word(pixels.vertices.slots);
  a.flag(pixels.indexed, "indexed");
  word_fields(a, pixels.indices, "indices");
}

// Calls fields(part) if the launch has the part; makes it first if it is read.
template <class A, class Part, class Each>
void part_fields(A&, std::uint32_t parts, std::uint32_t bit, Part& part, const Each& fields) {
  if ((parts & bit) == 0) return;
  if constexpr (A::kReads) part.emplace();
  fields(*part);
}

// `parts`: those that it may have. Stages have rows alone, so that they end.
template <class A, class Value>
void launch_fields(A& a, Value& launch, std::uint32_t may_have = kAllParts) {
  constexpr std::uint32_t kSpaces = 64;
  a.word(launch.program);
  a.long_word(launch.count);
  a.long_word(launch.fuel);
  a.list(launch.values, 8, "values", [&](auto& words) {
    a.word(words.first);
    word_fields(a, words.words, "words");
  });
  a.long_word(launch.bools);
  a.long_word(launch.state_given);
  a.list(launch.textures, 200, "textures", [&](auto& texture) { texture_fields(a, texture); });
  a.list(launch.samplers, 88, "samplers", [&](auto& sampler) { sampler_fields(a, sampler); });
  a.blob(launch.parameters);
  a.list(launch.constants, 24, "constants", [&](auto& constants) {
    a.number(constants.space, kSpaces, "the space");
    a.blob(constants.copied);
    place_fields(a, constants.memory);
  });
  a.list(launch.memory, 28, "pieces of memory", [&](auto& piece) {
    a.number(piece.space, kSpaces, "the space");
    a.long_word(piece.address);
    place_fields(a, piece.memory);
  });
  a.list(launch.images, 40, "images", [&](auto& image) {
    a.long_word(image.address);
    a.word(image.format);
    a.word(image.width);
    a.word(image.height);
    a.word(image.depth);
    a.word(image.row_stride);
    a.word(image.slice_stride);
    a.flag(image.interleaved, "interleaved");
    a.flag(image.is_3d, "3d");
  });
  a.list(launch.buffers, 20, "buffers", [&](auto& buffer) {
    a.number(buffer.table, 255, "the table");
    a.word(buffer.entry);
    a.long_word(buffer.address);
    a.word(buffer.bytes);
  });
  std::uint32_t parts = (launch.rows ? kRowsPart : 0) | (launch.grid ? kGridPart : 0) |
                        (launch.vertices ? kVerticesPart : 0) | (launch.primitives ? kPrimitivesPart : 0) |
                        (launch.pixels ? kPixelsPart : 0) | (launch.vertex.empty() ? 0 : kVertexPart) |
                        (launch.geometry.empty() ? 0 : kGeometryPart);
  a.number(parts, may_have, "the parts");
  if (!a.ok()) return;
  part_fields(a, parts, kRowsPart, launch.rows, [&](auto& rows) { rows_fields(a, rows); });
  part_fields(a, parts, kGridPart, launch.grid, [&](auto& grid) { grid_fields(a, grid); });
  part_fields(a, parts, kVerticesPart, launch.vertices, [&](auto& part) { vertices_fields(a, part); });
  part_fields(a, parts, kPrimitivesPart, launch.primitives, [&](auto& part) { primitives_fields(a, part); });
  part_fields(a, parts, kPixelsPart, launch.pixels, [&](auto& pixels) { pixels_fields(a, pixels); });
  for (const std::uint32_t bit : {kVertexPart, kGeometryPart}) {
    if ((parts & bit) == 0 || !a.ok()) continue;
    auto& stages = bit == kVertexPart ? launch.vertex : launch.geometry;
    if (bit == kVertexPart) a.long_word(launch.vertex_outputs);
    if constexpr (A::kReads) stages.resize(1);
    launch_fields(a, stages.front(), kRowsPart);
  }
}

}  // namespace warpjit::capture
