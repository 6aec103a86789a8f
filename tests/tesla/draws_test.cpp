// Whole pictures by the guest engine: vertex, geometry and fragment programs through the interpreter and the
// scalar oracle of work over pixels.
#include "tesla/draw_file.h"

namespace warpjit::tesla {
namespace {

Launch launch_with(const std::vector<std::uint32_t>& c0) {
  Launch launch;
  launch.constants[0] = std::as_bytes(std::span(c0));
  return launch;
}

Interpreter prepared(const Program& program) {
  auto interpreter = Interpreter::prepare(program);
  EXPECT_TRUE(interpreter.ok()) << to_string(interpreter.error());
  return std::move(interpreter.value());
}

class GuestDraw {
 public:
  GuestDraw(const DrawFile& draw, HostCode code) : picture(cleared(draw)), draw_(draw), code_(code) {}

  void run() {
    for (std::uint32_t instance = 0; instance < draw_.instances; ++instance) {
      run_vertices(instance);
      if (draw_.geometry) run_geometry();
      run_fragments();
      EXPECT_FALSE(report_.first_fault) << to_string(*report_.first_fault);
    }
  }

  Picture picture;

 private:
  void run_vertices(std::uint32_t instance) {
    std::vector<std::uint32_t> ids(draw_.vertices), instances(draw_.vertices, instance);
    for (std::uint32_t k = 0; k < draw_.vertices; ++k) ids[k] = k;
    slots_.clear();
    const Status status =
        prepared(draw_.vertex->program)
            .run_vertices(launch_with(draw_.vertex->c0),
                          {.attributes = draw_.attributes, .vertex_ids = ids, .instance_ids = instances},
                          slots_, report_, code_);
    ASSERT_TRUE(status.ok()) << to_string(status.error());
    width_ = static_cast<std::uint32_t>(draw_.vertex->program.graphics.vertex_results.size());
    indices_ = draw_.indices;
    topology_ = draw_.topology;
  }

  void run_geometry() {
    if (indices_.empty())
      for (std::uint32_t k = 0; k < draw_.vertices; ++k) indices_.push_back(k);
    EmittedVertices emitted;
    const Status status = prepared(draw_.geometry->program)
                              .run_geometry(launch_with(draw_.geometry->c0),
                                            {.vertex_words = slots_, .words = width_, .indices = indices_},
                                            emitted, report_, code_);
    ASSERT_TRUE(status.ok()) << to_string(status.error());
    slots_ = std::move(emitted.words);
    width_ = static_cast<std::uint32_t>(draw_.geometry->program.graphics.geometry_results.size());
    topology_ = Topology::triangle_strip;
    // Indices that are outside part the strips; of an even length, so that the turn of each starts anew.
    indices_.clear();
    std::uint32_t vertex = 0;
    for (const std::uint32_t length : emitted.strips) {
      for (std::uint32_t k = 0; k < length; ++k) indices_.push_back(vertex++);
      indices_.insert(indices_.end(), 2 + length % 2, ~0U);
    }
  }

  void run_fragments() {
    const Program& program = draw_.fragment->program;
    const Interpreter interpreter = prepared(program);
    const Launch launch = launch_with(draw_.fragment->c0);
    auto fragments = interpreter.make_fragment_program(launch, report_, code_);
    ASSERT_TRUE(fragments.ok()) << to_string(fragments.error());
    interpret::PixelWork work;
    work.raster = draw_.raster;
    work.raster.topology = topology_;
    work.output = draw_.output;
    work.width = draw_.width;
    work.height = draw_.height;
    for (std::size_t k = 0; k < picture.colors.size(); ++k)
      work.colors[k] = {picture.colors[k].data(),
                        static_cast<std::ptrdiff_t>(picture.colors[k].size() / draw_.height)};
    work.depth = {picture.depth.data(), static_cast<std::ptrdiff_t>(picture.depth.size() / draw_.height)};
    work.vertices = slots_;
    work.slots = work.stride = width_;
    work.vertex_count = slots_.size() / width_;
    work.indices = indices_;
    work.indexed = !indices_.empty();
    work.uses = fragment_uses(program.graphics);
    const Status status = interpret::draw(work, **fragments);
    ASSERT_TRUE(status.ok()) << to_string(status.error());
  }

  const DrawFile& draw_;
  HostCode code_;
  RunReport report_;
  std::vector<std::uint32_t> slots_, indices_;
  std::uint32_t width_ = 0;
  Topology topology_ = Topology::triangles;
};

class TeslaDraws : public testing::TestWithParam<std::string> {};

TEST_P(TeslaDraws, Pictures) {
  const DrawFile draw = read_draw(GetParam());
  for (const HostCode code : {HostCode::best, HostCode::portable}) {
    GuestDraw guest(draw, code);
    guest.run();
    ASSERT_FALSE(draw.expected.empty());
    for (const auto& [target, hash] : draw.expected)
      EXPECT_EQ(picture_hash(target < 0 ? guest.picture.depth
                                        : guest.picture.colors.at(static_cast<std::size_t>(target))),
                hash)
          << "target " << target;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, TeslaDraws, testing::ValuesIn(draw_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace warpjit::tesla
