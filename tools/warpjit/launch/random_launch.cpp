#include "launch/random_launch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/random.h"

namespace warpjit::tool {

namespace {

// In [-range, range).
float uniform(Random& random, float range) {
  return (static_cast<float>(random.next() >> 40) * 0x1p-23f - 1.0f) * range;
}

std::uint32_t random_float(Random& random) {
  constexpr std::uint32_t kSpecial[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                        0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x00000001,
                                        0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x34000000,
                                        0x4b000000, 0x4f000000, 0xcf000000};
  switch (random.below(8)) {
    case 0:
    case 1:
      return kSpecial[random.below(static_cast<unsigned>(std::size(kSpecial)))];
    case 2:
      return static_cast<std::uint32_t>(random.next());
    case 3:
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(random.below(257)) - 128));
    default:
      return std::bit_cast<std::uint32_t>(uniform(random, 4.0f));
  }
}

// All inputs as rows of one buffer.
void randomize_inputs(LaunchFile& launch, std::uint64_t count, Random& random) {
  const std::size_t stride = 16 * launch.inputs.size();
  LaunchBuffer buffer{{}, std::vector<std::byte>(count * stride)};
  for (std::size_t k = 0; k < buffer.bytes.size(); k += 4) {
    const std::uint32_t bits = random_float(random);
    std::memcpy(buffer.bytes.data() + k, &bits, 4);
  }
  for (std::size_t k = 0; k < launch.inputs.size(); ++k) {
    launch.inputs[k].format = f32x4;
    launch.inputs[k].buffer = 0;
    launch.inputs[k].offset = 16 * k;
    launch.inputs[k].stride = stride;
  }
  launch.buffers.clear();
  launch.buffers.push_back(std::move(buffer));
}

// Words of memory as they are stored.
std::uint32_t load_word(const std::vector<std::byte>& bytes, std::size_t place) {
  std::uint32_t word;
  std::memcpy(&word, bytes.data() + place, 4);
  return word;
}
void store_word(std::vector<std::byte>& bytes, std::size_t place, std::uint32_t word) {
  std::memcpy(bytes.data() + place, &word, 4);
}

// The words that the file gives. Integers stay in their range: many are places in other memory.
void randomize_memory(LaunchMemory& piece, Random& random) {
  const std::size_t size = piece.given / 4 * 4;
  if (size == 0) return;
  if (piece.type == ComponentType::f32) {
    for (std::size_t place = 0; place < size; place += 4)
      store_word(piece.bytes, place, random_float(random));
    return;
  }
  const bool is_signed = piece.type == ComponentType::s32;
  const auto value = [&](std::size_t place) {
    const std::uint32_t word = load_word(piece.bytes, place);
    return is_signed ? std::int64_t{static_cast<std::int32_t>(word)} : std::int64_t{word};
  };
  std::int64_t least = value(0), greatest = value(0);
  for (std::size_t place = 4; place < size; place += 4) {
    least = std::min(least, value(place));
    greatest = std::max(greatest, value(place));
  }
  const auto values = static_cast<std::uint64_t>(greatest - least) + 1;
  for (std::size_t place = 0; place < size; place += 4)
    store_word(piece.bytes, place,
               static_cast<std::uint32_t>(static_cast<std::uint64_t>(least) + random.next() % values));
}

// Other primitives of variable mode: `count` vertices in all, none with more than the largest of the file.
void randomize_primitives(LaunchFile& launch, std::uint64_t count, Random& random) {
  std::uint32_t most = 1;
  for (std::size_t k = 0; k < launch.primitives.size(); k += launch.primitives[k] + std::size_t{1})
    most = std::max(most, launch.primitives[k]);
  if (launch.primitives.empty()) return;
  launch.primitives.clear();
  for (std::uint64_t left = count; left > 0;) {
    const std::uint32_t vertices = 1 + random.below(most);
    launch.primitives.push_back(vertices);
    for (std::uint32_t k = 0; k < vertices; ++k)
      launch.primitives.push_back(static_cast<std::uint32_t>(random.next() % count));
    left -= std::min<std::uint64_t>(left, vertices);
  }
}

// Random values for the float uniforms that the file gives, and for every boolean. Integers stay: they are
// what loops count with.
void vary_uniforms(LaunchFile& launch, Random& random) {
  const frontend::Shader& shader = *launch.program;
  const Guest& guest = launch.guest();
  std::erase_if(launch.uniforms,
                [](const LaunchValue& value) { return value.location.kind == LocationKind::bool_uniform; });
  for (LaunchValue& value : launch.uniforms)
    if (value.location.kind == LocationKind::float_uniform)
      for (std::uint32_t& word : value.words)
        word =
            random.below(8) == 0 ? random_float(random) : std::bit_cast<std::uint32_t>(uniform(random, 2.0f));
  for (const std::string_view file : guest.uniform_files()) {
    const auto found = shader.find(LocationKind::uniform, std::string(file));
    if (!found || found->kind != LocationKind::bool_uniform) continue;
    for (unsigned k = 0; k < found->count; ++k) {
      LaunchValue value{*found, {random.below(2)}};
      value.location.first = static_cast<std::uint16_t>(found->first + k);
      value.location.count = 1;
      value.location.word = found->word + k * found->components;
      if (!guest.is_preset(shader, value.location)) launch.uniforms.push_back(std::move(value));
    }
  }
}

// Other data may make an invocation emit more: the most that there can be, if that is not too large.
void allow_triangles(LaunchFile& launch, std::uint64_t count) {
  constexpr std::uint64_t kMostRows = 16 << 20;
  const auto outputs = static_cast<std::uint64_t>(std::popcount(launch.geometry.outputs));
  const std::uint64_t rows = count * frontend::kMaxTriangles * 3 * outputs;
  if (rows <= kMostRows) launch.geometry.max_triangles = frontend::kMaxTriangles;
}

void randomize_uniforms(LaunchFile& launch, Random& random) {
  const frontend::Shader& shader = *launch.program;
  const Guest& guest = launch.guest();
  launch.uniforms.clear();
  for (const std::string_view file : guest.uniform_files()) {
    const auto found = shader.find(LocationKind::uniform, std::string(file));
    if (!found) continue;
    Location location = *found;
    for (unsigned left = location.count; left > 0; --left) {
      LaunchValue value{location, {}};
      value.location.count = 1;
      for (unsigned k = 0; k < location.components; ++k) {
        const std::uint32_t small = k < 2 ? 8 : k == 2 ? 3 : 1;  // of LOOP: count - 1, start, step
        value.words.push_back(location.kind == LocationKind::float_uniform
                                  ? std::bit_cast<std::uint32_t>(uniform(random, 2.0f))
                              : location.kind == LocationKind::bool_uniform ? random.below(2)
                                                                            : random.below(small));
      }
      if (!guest.is_preset(shader, location)) launch.uniforms.push_back(std::move(value));
      ++location.first;
      location.word += location.components;
    }
  }
}

// Vertices around the target, some of them anywhere.
void randomize_vertices(LaunchPixels& pixels, std::uint64_t count, Random& random) {
  pixels.vertices.resize(static_cast<std::size_t>(count) * pixels.slots);
  for (std::size_t k = 0; k < pixels.vertices.size(); ++k) {
    const std::size_t slot = k % pixels.slots;
    const bool anywhere = random.below(16) == 0;
    const float place = pixels.raster.window_positions ? static_cast<float>(pixels.width) : 1.5F;
    pixels.vertices[k] = anywhere || slot >= 4 ? random_float(random)
                         : slot == 3 ? std::bit_cast<std::uint32_t>(1 + std::abs(uniform(random, 1)))
                                     : std::bit_cast<std::uint32_t>(uniform(random, slot == 2 ? 1 : place));
  }
}

Status randomize_draw(LaunchFile& launch, std::uint64_t count, Random& random) {
  LaunchPixels& pixels = launch.pixels;
  pixels.expected.clear();
  std::size_t given = 0;
  const auto vary_memory = [&](LaunchFile& stage) {
    for (LaunchMemory& piece : stage.grid.memory) {
      given += piece.given;
      randomize_memory(piece, random);
    }
  };
  vary_memory(launch);
  if (launch.vertex.empty()) {
    randomize_vertices(pixels, count, random);
    launch.count = launch.rows = count;
  } else {
    LaunchFile& stage = launch.vertex.front();
    vary_memory(stage);
    if (given == 0 && stage.inputs.empty())
      return Error{ErrorCode::bad_input, "nothing of this launch has data that could be random", launch.name};
    if (!stage.inputs.empty()) {
      launch.count = launch.rows = stage.count = stage.rows = count;
      randomize_inputs(stage, count, random);
    }
  }
  for (std::uint32_t& index : pixels.indices)
    index = static_cast<std::uint32_t>(random.next() % launch.count);
  return {};
}

}  // namespace

Status randomize_data(LaunchFile& launch, std::uint64_t count, std::uint64_t seed) {
  Random random(seed);
  launch.expectations.clear();
  launch.triangles.reset();
  if (launch.work == Work::pixels) return randomize_draw(launch, count, random);
  if (launch.work == Work::grid) {
    std::size_t given = 0;
    for (LaunchMemory& piece : launch.grid.memory) {
      given += piece.given;
      randomize_memory(piece, random);
    }
    if (given != 0) return {};
    return Error{ErrorCode::bad_input, "no memory of this launch has data that could be random", launch.name};
  }
  LaunchFile& stage = launch.vertex.empty() ? launch : launch.vertex.front();
  launch.count = launch.rows = stage.count = stage.rows = count;
  randomize_inputs(stage, count, random);
  if (launch.work != Work::primitives) return {};
  randomize_primitives(launch, count, random);
  allow_triangles(launch, count);
  vary_uniforms(launch, random);
  if (!launch.vertex.empty()) vary_uniforms(stage, random);
  return {};
}

Status randomize_template(LaunchFile& launch, std::uint64_t count, std::uint64_t seed) {
  Random random(seed ^ 0x5851f42d4c957f2d);
  if (launch.work == Work::grid) {
    const LaunchMemory* last = nullptr;
    for (LaunchMemory& piece : launch.grid.memory) {
      if (piece.space == kResultSpace) continue;
      piece.given = piece.bytes.size();
      piece.type = ComponentType::f32;
      last = &piece;
    }
    const bool vertices = launch.grid.vertices.has_value();
    // Vertices get floats. Kernels get the pieces' address, which is also a count beyond any thread's number,
    // or a small number.
    for (std::size_t place = 0; place + 4 <= launch.grid.parameters.size(); place += 4) {
      const bool small = last == nullptr || random.below(4) == 0;
      store_word(launch.grid.parameters, place,
                 vertices ? std::bit_cast<std::uint32_t>(uniform(random, 2.0f))
                 : small  ? random.below(64)
                          : static_cast<std::uint32_t>(last->address));
    }
    if (last == nullptr) return {};
    return randomize_data(launch, count, seed);
  }
  if (launch.work == Work::pixels) return randomize_data(launch, count, seed);
  randomize_uniforms(launch, random);
  for (LaunchFile& vertex : launch.vertex) randomize_uniforms(vertex, random);
  return randomize_data(launch, count, seed);
}

}  // namespace warpjit::tool
