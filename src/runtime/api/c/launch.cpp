// The C interface: launches of all kinds of programs, their values and what they are bound to.
#include "frontend/valhall/facts/launch.h"
#include "runtime/api/c/boundary.h"

namespace warpjit::c_api {
namespace {

Result<Location> location(const warpjit_location* from) {
  WARPJIT_CHECK(given(from, "location"));
  Location result;
  WARPJIT_TRY(result.kind, enumerator(from->kind, LocationKind::uniform, "location"));
  if (from->first > 0xFFFF || from->count > 0xFFFF || from->components > 0xFFFF)
    return bad("no program gave this", "location");
  result.first = static_cast<std::uint16_t>(from->first);
  result.count = static_cast<std::uint16_t>(from->count);
  result.components = static_cast<std::uint16_t>(from->components);
  result.word = from->word;
  return result;
}

// A setter of `count` values of one register file.
template <class T>
warpjit_status set(warpjit_launch* launch, const warpjit_location* at, const T* values, std::size_t count,
                   warpjit_error* error, Status (Launch::*setter)(const Location&, std::span<const T>)) {
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const Location place, location(at));
    WARPJIT_TRY(const std::span<const T> words, array(values, count, "values"));
    return (launch->launch.*setter)(place, words);
  });
}

// Binds rows, an Attribute or an OutputBuffer, to a register.
template <class To, class From>
warpjit_status bind(warpjit_launch* launch, const warpjit_location* at, const From* from, const char* name,
                    warpjit_error* error, Status (Launch::*binder)(const Location&, const To&)) {
  return call(error, {{launch, "launch"}, {from, name}}, [&]() -> Status {
    WARPJIT_TRY(const Location place, location(at));
    WARPJIT_TRY(const From rows, read(from, name));
    WARPJIT_TRY(const Format format, format(rows.type, rows.components));
    To to{rows.data, rows.byte_count, rows.stride, format};
    if constexpr (requires { to.divisor; }) to.divisor = rows.divisor;
    return (launch->launch.*binder)(place, to);
  });
}

// Structs of C, the first of which says the size of all, as the C++ interface has them.
// `convert`: From to Result<To>.
template <class To, class From, class Convert>
Result<std::vector<To>> list(const From* from, std::size_t count, const char* what, const Convert& convert) {
  constexpr std::size_t kMost = valhall::kMaxBufferSources;  // the longest list of any guest
  if (count > kMost)
    return bad("there are at most " + std::to_string(kMost) + " " + what + ", not " + std::to_string(count),
               "count");
  if (count != 0) WARPJIT_CHECK(given(from, what));
  std::vector<To> result;
  const auto* at = reinterpret_cast<const std::byte*>(from);
  for (std::size_t k = 0; k < count; ++k) {
    WARPJIT_TRY(const From element, read(reinterpret_cast<const From*>(at), what));
    if (element.size != from->size) return bad("they have several sizes", what);
    WARPJIT_TRY(To converted, convert(element));
    result.push_back(converted);
    at += element.size;
  }
  return result;
}

// A call on a launch that fails for NULL only.
template <class Body>
warpjit_status on(warpjit_launch* launch, Body body) {
  if (launch == nullptr) return WARPJIT_BAD_INPUT;
  body(launch->launch);
  return WARPJIT_OK;
}

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;

warpjit_status warpjit_launch_create(const warpjit_program* program, warpjit_launch** launch,
                                     warpjit_error* error) {
  return make(launch, "launch", error, {{program, "program"}},
              [&]() -> Result<Launch> { return Launch(program->program); });
}
warpjit_status warpjit_launch_copy(const warpjit_launch* launch, warpjit_launch** copy,
                                   warpjit_error* error) {
  return make(copy, "copy", error, {{launch, "launch"}},
              [&]() -> Result<Launch> { return Launch(launch->launch); });
}
void warpjit_launch_destroy(warpjit_launch* launch) { delete launch; }
warpjit_status warpjit_launch_get_program(const warpjit_launch* launch, warpjit_program** program,
                                          warpjit_error* error) {
  return make(program, "program", error, {{launch, "launch"}},
              [&]() -> Result<Program> { return launch->launch.program(); });
}

// ---- Values and rows -----------------------------------------------------------------------------------

warpjit_status warpjit_launch_set_uniform(warpjit_launch* launch, const warpjit_location* location,
                                          const float* values, size_t count, warpjit_error* error) {
  return set(launch, location, values, count, error, &Launch::set_uniform);
}
warpjit_status warpjit_launch_set_bits(warpjit_launch* launch, const warpjit_location* location,
                                       const uint32_t* words, size_t count, warpjit_error* error) {
  return set(launch, location, words, count, error, &Launch::set_bits);
}
warpjit_status warpjit_launch_set_int(warpjit_launch* launch, const warpjit_location* location,
                                      const uint32_t* values, size_t count, warpjit_error* error) {
  return set(launch, location, values, count, error, &Launch::set_int);
}
warpjit_status warpjit_launch_set_state(warpjit_launch* launch, const warpjit_location* location,
                                        const uint32_t* words, size_t count, warpjit_error* error) {
  return set(launch, location, words, count, error, &Launch::set_state);
}
warpjit_status warpjit_launch_set_bool(warpjit_launch* launch, const warpjit_location* at, uint32_t value,
                                       warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const Location place, location(at));
    return launch->launch.set_bool(place, value != 0);
  });
}

warpjit_status warpjit_launch_bind_input(warpjit_launch* launch, const warpjit_location* location,
                                         const warpjit_attribute* attribute, warpjit_error* error) {
  return bind<Attribute>(launch, location, attribute, "attribute", error, &Launch::bind_input);
}
warpjit_status warpjit_launch_bind_output(warpjit_launch* launch, const warpjit_location* location,
                                          const warpjit_output_buffer* output, warpjit_error* error) {
  return bind<OutputBuffer>(launch, location, output, "output", error, &Launch::bind_output);
}
warpjit_status warpjit_launch_unbind_inputs(warpjit_launch* launch) {
  return on(launch, [](Launch& it) { it.unbind_inputs(); });
}
warpjit_status warpjit_launch_unbind_outputs(warpjit_launch* launch) {
  return on(launch, [](Launch& it) { it.unbind_outputs(); });
}

warpjit_status warpjit_launch_set_count(warpjit_launch* launch, uint64_t count, warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&] { return launch->launch.set_count(count); });
}
warpjit_status warpjit_launch_set_instances(warpjit_launch* launch, uint32_t count, warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&] { return launch->launch.set_instances(count); });
}
static_assert(kDefaultFuel == WARPJIT_DEFAULT_FUEL);
warpjit_status warpjit_launch_set_fuel(warpjit_launch* launch, uint64_t fuel) {
  return on(launch, [&](Launch& it) { it.set_fuel(fuel); });
}
warpjit_status warpjit_launch_set_allow_overlap(warpjit_launch* launch, uint32_t allow,
                                                warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&] { return launch->launch.set_allow_overlap(allow != 0); });
}
uint64_t warpjit_launch_count(const warpjit_launch* launch) {
  return launch != nullptr ? launch->launch.count() : 0;
}
uint64_t warpjit_launch_fuel(const warpjit_launch* launch) {
  return launch != nullptr ? launch->launch.fuel() : 0;
}

// ---- Geometry programs ---------------------------------------------------------------------------------

warpjit_status warpjit_launch_set_geometry_input(warpjit_launch* launch, const warpjit_geometry_input* input,
                                                 warpjit_error* error) {
  return call(error, {{launch, "launch"}, {input, "input"}}, [&]() -> Status {
    WARPJIT_TRY(const warpjit_geometry_input from, read(input, "input"));
    WARPJIT_TRY(const auto registers, array(from.registers, from.register_count, "registers"));
    GeometryInput result;
    WARPJIT_TRY(result.mode, enumerator(from.mode, PrimitiveMode::fixed, "mode"));
    result.first = from.first;
    result.vertices = from.vertices;
    result.full_vertices = from.full_vertices;
    result.registers.assign(registers.begin(), registers.end());
    result.outputs = from.outputs;
    if (from.max_triangles != 0) result.max_triangles = from.max_triangles;
    return launch->launch.set_geometry_input(result);
  });
}

warpjit_status warpjit_launch_get_geometry_input(const warpjit_launch* launch, warpjit_geometry_input* input,
                                                 warpjit_error* error) {
  return fill(input, "input", error, {{launch, "launch"}}, [&] {
    const GeometryInput& known = launch->launch.geometry_input();
    warpjit_geometry_input result{};
    result.mode = static_cast<std::int32_t>(known.mode);
    result.first = known.first;
    result.vertices = known.vertices;
    result.full_vertices = known.full_vertices;
    result.registers = known.registers.data();
    result.register_count = known.registers.size();
    result.outputs = known.outputs;
    result.max_triangles = known.max_triangles;
    return result;
  });
}

warpjit_status warpjit_launch_set_vertex_stage(warpjit_launch* launch, const warpjit_launch* vertex,
                                               uint64_t outputs, warpjit_error* error) {
  return call(error, {{launch, "launch"}, {vertex, "vertex"}},
              [&] { return launch->launch.set_vertex_stage(vertex->launch, outputs); });
}

warpjit_status warpjit_launch_set_primitives(warpjit_launch* launch, const uint32_t* list, size_t count,
                                             warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const auto numbers, array(list, count, "list"));
    return launch->launch.set_primitives(numbers);
  });
}

warpjit_status warpjit_launch_bind_triangles(warpjit_launch* launch, const warpjit_triangle_buffer* buffer,
                                             warpjit_error* error) {
  return call(error, {{launch, "launch"}, {buffer, "buffer"}}, [&]() -> Status {
    WARPJIT_TRY(const warpjit_triangle_buffer to, read(buffer, "buffer"));
    return launch->launch.bind_triangles({to.vertices, to.byte_count, to.inverted, to.inverted_count});
  });
}

warpjit_status warpjit_launch_bind_unit(warpjit_launch* launch, uint32_t* words, size_t count,
                                        warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    if (words == nullptr && count != 0) return bad("NULL with a count", "words");
    return launch->launch.bind_unit({words, count});
  });
}

// ---- Compute programs ----------------------------------------------------------------------------------

warpjit_status warpjit_launch_set_grid(warpjit_launch* launch, uint32_t x, uint32_t y, uint32_t z,
                                       warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&] { return launch->launch.set_grid(x, y, z); });
}
warpjit_status warpjit_launch_set_block(warpjit_launch* launch, uint32_t x, uint32_t y, uint32_t z,
                                        warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&] { return launch->launch.set_block(x, y, z); });
}
warpjit_status warpjit_launch_set_first_block(warpjit_launch* launch, uint32_t x, uint32_t y, uint32_t z,
                                              warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&] { return launch->launch.set_first_block(x, y, z); });
}
warpjit_status warpjit_launch_set_shared_bytes(warpjit_launch* launch, uint32_t bytes, warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&] { return launch->launch.set_shared_bytes(bytes); });
}
warpjit_status warpjit_launch_unmap_memory(warpjit_launch* launch) {
  return on(launch, [](Launch& it) { it.unmap_memory(); });
}

warpjit_status warpjit_launch_set_parameters(warpjit_launch* launch, const void* bytes, size_t byte_count,
                                             warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const std::span<const std::byte> values, bytes_at(bytes, byte_count));
    return launch->launch.set_parameters(values);
  });
}

warpjit_status warpjit_launch_bind_constants(warpjit_launch* launch, const char* space, const void* data,
                                             size_t byte_count, warpjit_error* error) {
  return call(error, {{launch, "launch"}, {space, "space"}}, [&]() -> Status {
    WARPJIT_CHECK(bytes_at(data, byte_count));
    return launch->launch.bind_constants(space, data, byte_count);
  });
}

warpjit_status warpjit_launch_map_memory(warpjit_launch* launch, const char* space, uint64_t address,
                                         void* data, size_t byte_count, warpjit_error* error) {
  return call(error, {{launch, "launch"}, {space, "space"}}, [&]() -> Status {
    WARPJIT_CHECK(bytes_at(data, byte_count));
    return launch->launch.map_memory(space, address, data, byte_count);
  });
}

// ---- Vertex programs that fetch and store themselves ---------------------------------------------------

warpjit_status warpjit_launch_set_first_vertex(warpjit_launch* launch, uint32_t vertex, uint32_t instance,
                                               warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&] { return launch->launch.set_first_vertex(vertex, instance); });
}

warpjit_status warpjit_launch_set_attributes(warpjit_launch* launch,
                                             const warpjit_attribute_source* attributes, size_t count,
                                             uint32_t attribute_offset, warpjit_error* error) {
  const auto attribute = [](const warpjit_attribute_source& from) -> Result<AttributeSource> {
    if (from.shift >= 32) return bad("a shift is below 32, not " + std::to_string(from.shift), "attributes");
    WARPJIT_TRY(const auto division,
                enumerator(from.division, AttributeSource::Division::multiply, "attributes"));
    return AttributeSource{.address = from.address,
                           .bytes = from.byte_count,
                           .format = from.format,
                           .offset = from.offset,
                           .stride = from.stride,
                           .per_instance = from.per_instance != 0,
                           .from_first = from.from_first != 0,
                           .division = division,
                           .shift = static_cast<std::uint8_t>(from.shift),
                           .add = from.add != 0,
                           .multiplier = from.multiplier};
  };
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const auto sources, list<AttributeSource>(attributes, count, "attributes", attribute));
    return launch->launch.set_attributes(sources, attribute_offset);
  });
}

warpjit_status warpjit_launch_set_images(warpjit_launch* launch, const warpjit_image_source* images,
                                         size_t count, warpjit_error* error) {
  const auto image = [](const warpjit_image_source& from) -> Result<ImageSource> {
    return ImageSource{.address = from.address,
                       .format = from.format,
                       .width = from.width,
                       .height = from.height,
                       .depth = from.depth,
                       .row_stride = from.row_stride,
                       .slice_stride = from.slice_stride,
                       .interleaved = from.interleaved != 0,
                       .is_3d = from.is_3d != 0};
  };
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const auto sources, list<ImageSource>(images, count, "images", image));
    return launch->launch.set_images(sources);
  });
}

warpjit_status warpjit_launch_set_buffers(warpjit_launch* launch, const warpjit_buffer_source* buffers,
                                          size_t count, warpjit_error* error) {
  const auto buffer = [](const warpjit_buffer_source& from) -> Result<BufferSource> {
    if (from.table > 0xff) return bad("a table is at most 255, not " + std::to_string(from.table), "buffers");
    return BufferSource{.table = static_cast<std::uint8_t>(from.table),
                        .entry = from.entry,
                        .address = from.address,
                        .bytes = from.byte_count};
  };
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const auto sources, list<BufferSource>(buffers, count, "buffers", buffer));
    return launch->launch.set_buffers(sources);
  });
}

warpjit_status warpjit_launch_map_results(warpjit_launch* launch, void* data, size_t byte_count,
                                          uint32_t packet_stride, warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_CHECK(bytes_at(data, byte_count));
    return launch->launch.map_results(data, byte_count, packet_stride);
  });
}
