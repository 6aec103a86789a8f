// warpjit info of a scene: its jobs, and what each draw does.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "capture/pica200/draw_textures.h"
#include "capture/texture_folder.h"
#include "capture_names.h"
#include "command.h"
#include "frontend/pica200/facts/fragment_memory.h"
#include "frontend/pica200/facts/register_titles.h"
#include "output.h"
#include "scene/load_scene.h"
#include "scene/scene_commands.h"
#include "scene/scene_words.h"

namespace warpjit::tool {

namespace {

class DrawLister final : public pica200::DrawVisitor {
 public:
  DrawLister(const SceneInfo& options, const NameTable& names)
      : options_(options), names_(names), folder_(options.textures) {}

  Result<bool> visit(const pica200::DrawView& draw) override {
    const auto state = std::as_bytes(std::span(&draw.setup.state, 1));
    states_.insert(std::string(reinterpret_cast<const char*>(state.data()), state.size()));
    ++seen_;
    triangles_ += draw.triangles.count();
    std::map<unsigned, std::vector<std::string>> files;
    const Status found =
        pica200::find_textures(draw, [&](unsigned unit, const pica200::FoundTexture& texture) -> Status {
          if (!folder_.wanted()) return {};
          Status written;
          pica200::show_texture(draw, unit, texture, kThumbnailExtent, numbers_,
                                [&](const CaptureTexture& face) {
                                  auto file = folder_.write(face);
                                  written = file ? Status() : Status(file.error());
                                  if (file) files[unit].push_back(std::move(*file));
                                  return written.ok();
                                });
          return written;
        });
    if (!found && found.error().code == ErrorCode::io) return found.error();
    if (options_.all || draw.number < kShownDraws || !found) {
      Json json = named(draw, draw_json(draw), files);
      if (options_.registers) json["registers"] = changes(draw.registers);
      if (!found)
        json["refused"] = names_.in(std::string_view(fmt::format(
            "{}: {}", pica200::with_register_titles(found.error().where), found.error().message)));
      draws_.push_back(std::move(json));
    } else {
      ++hidden_;
    }
    WARPJIT_CHECK(found);
    return false;
  }

  std::size_t states() const { return states_.size(); }
  // Those of a list that ends with an error, too.
  std::uint64_t seen() const { return seen_; }
  std::uint64_t triangles() const { return triangles_; }
  std::uint64_t hidden() const { return hidden_; }
  // Since the last call.
  Json take() { return std::exchange(draws_, Json::array()); }

 private:
  // With the names of the draw and of addresses, and the files of its textures.
  Json named(const pica200::DrawView& draw, const Json& plain,
             const std::map<unsigned, std::vector<std::string>>& files) const {
    Json json = names_.with_addresses(plain);
    if (const std::string_view name = names_.find(CaptureName::Of::draw, draw.number); !name.empty())
      json["name"] = name;
    if (files.empty() || !json["textures"].is_array()) return json;
    Json textures = Json::array();
    for (Json texture : json["textures"]) {
      const Json& unit = texture["unit"];
      const auto found = unit.is_number() ? files.find(static_cast<unsigned>(unit.natural())) : files.end();
      if (found != files.end() && found->second.size() == 1) texture["file"] = found->second.front();
      if (found != files.end() && found->second.size() > 1) texture["files"] = found->second;
      textures.push_back(std::move(texture));
    }
    json["textures"] = std::move(textures);
    return json;
  }

  Json changes(pica200::GpuRegisters words) {
    Json list = Json::array();
    for (std::uint32_t id = 0; id < words.size(); ++id)
      if (words[id] != before_[id])
        list.push_back({{"id", fmt::format("{:#05x}", id)},
                        {"value", fmt::format("{:#010x}", words[id])},
                        {"name", title(id)}});
    std::ranges::copy(words, before_.begin());
    return list;
  }

  std::string title(std::uint32_t id) const {
    const std::string_view name = names_.find(CaptureName::Of::reg, id);
    const std::string title = pica200::register_title(id);
    return name.empty() ? title : title + " (" + std::string(name) + ")";
  }

  const SceneInfo& options_;
  const NameTable& names_;
  TextureFolder folder_;
  capture::TextureNumbers numbers_;
  Json draws_ = Json::array();
  std::set<std::string> states_;
  std::uint64_t seen_ = 0, triangles_ = 0, hidden_ = 0;
  std::array<std::uint32_t, pica200::kGpuRegisters> before_{};
};

std::string plain_value(const Json& value) { return value.is_string() ? value.string() : value.dump(); }

// "key value, key value" of those members that `left_out` does not name.
std::string setup_members(const Json& object, std::initializer_list<std::string_view> left_out) {
  std::string text;
  for (const auto& [key, value] : object.members())
    if (std::ranges::find(left_out, key) == left_out.end())
      text += (text.empty() ? "" : ", ") + key + " " + plain_value(value);
  return text;
}

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print_setup_line(const std::string& label, const std::string& text) {
  print_out("    {:15} {}\n", label, text);
}

void print_setup(const Json& draw) {
  print_out("  draw {}{}: {} of {} vertices, {}{}\n", plain_value(draw["draw"]),
            draw.contains("name") ? " (" + plain_value(draw["name"]) + ")" : "",
            counted(draw["triangles"].natural(), "triangle"), plain_value(draw["vertices"]),
            plain_value(draw["by"]),
            draw.contains("command") ? ", command at " + plain_value(draw["command"]) : "");
  constexpr std::array<std::string_view, 6> kFirst = {"draw", "name",     "command",
                                                      "by",   "vertices", "triangles"};
  for (const auto& [key, value] : draw.members()) {
    if (std::ranges::find(kFirst, key) != kFirst.end()) continue;
    if (key == "textures")
      for (const Json& texture : value)
        print_setup_line("texture" + plain_value(texture["unit"]),
                         plain_value(texture["type"]) + ", " + setup_members(texture, {"unit", "type"}));
    else if (key == "combiners")
      for (const Json& stage : value) {
        std::string text;
        for (const char* half : {"rgb", "a"})
          if (stage.contains(half))
            text += (text.empty() ? "" : "; ") + std::string(half) + " = " + plain_value(stage[half]);
        if (stage.contains("to buffer")) text += "; " + plain_value(stage["to buffer"]) + " to the buffer";
        print_setup_line("stage " + plain_value(stage["stage"]), text);
      }
    else if (key == "lights")
      for (const Json& light : value)
        print_setup_line(
            "light " + plain_value(light["light"]),
            setup_members(light, {"slot", "light", "at"}).insert(0, plain_value(light["at"]) + "; "));
    else if (key == "registers")
      for (const Json& row : value)
        print_setup_line(plain_value(row["id"]), plain_value(row["value"]) + "  " + plain_value(row["name"]));
    else if (value.is_array()) {
      std::string text;
      for (const Json& item : value) text += (text.empty() ? "" : "; ") + plain_value(item);
      print_setup_line(key, text);
    } else {
      print_setup_line(key, plain_value(value));
    }
  }
}

}  // namespace

int show_scene(const SceneInfo& options) {
  const auto scene = load_scene(options.file);
  if (!scene) return fail(scene.error());
  const auto machine = SceneMachine::make(*scene, options.file);
  if (!machine) return fail(machine.error());
  const NameTable names(scene->texts.names);
  if (const Status made = TextureFolder(options.textures).make(); !made) return fail(made.error());
  DrawLister lister(options, names);
  (*machine)->set_visitor(&lister);
  const Engine engine;
  RunOptions run;
  run.engine = engine.info().jit ? EngineKind::jit : EngineKind::guest;
  Json jobs = Json::array();
  Status status;
  for (std::size_t n = 0; n < scene->jobs.size() && status; ++n) {
    const std::uint64_t draws = lister.seen(), triangles = lister.triangles();
    status = (*machine)->run_job(n, engine, run);
    Json job{{"job", n}, {"does", names.with_addresses(std::string_view(job_text(scene->jobs[n])))}};
    if (std::holds_alternative<CommandList>(scene->jobs[n])) {
      job["draws"] = lister.seen() - draws;
      job["triangles"] = lister.triangles() - triangles;
      job["setups"] = lister.take();
    }
    jobs.push_back(std::move(job));
  }
  if (options.json) {
    Json json{{"file", options.file},      {"isa", "pica200"},
              {"draws", lister.seen()},    {"triangles", lister.triangles()},
              {"states", lister.states()}, {"jobs", std::move(jobs)},
              {"memory", Json::array()},   {"outputs", Json::array()}};
    for (const SceneMemory& piece : scene->memory)
      json["memory"].push_back(
          {{"address", fmt::format("{:#010x}", piece.address)}, {"bytes", piece.bytes.size()}});
    for (const SceneOutput& output : scene->outputs)
      json["outputs"].push_back(
          {{"name", output.name}, {"address", fmt::format("{:#010x}", output.address)}});
    if (const Json list = names.json(); !list.empty()) json["names"] = list;
    if (!status) json["error"] = message_of(names.in(status.error()));
    print_json(json);
  } else {
    print_out("{}: pica200, a scene of {}, {}, {}, {}\n", options.file, counted(scene->jobs.size(), "job"),
              counted(lister.seen(), "draw"), counted(lister.triangles(), "triangle"),
              counted(lister.states(), "fragment program"));
    for (const Json& job : jobs) {
      print_out("job {}: {}{}\n", plain_value(job["job"]), plain_value(job["does"]),
                job.contains("draws") ? ": " + counted(job["draws"].natural(), "draw") + ", " +
                                            counted(job["triangles"].natural(), "triangle")
                                      : "");
      for (const Json& draw : job["setups"]) print_setup(draw);
    }
    for (const std::string& line : names.lines()) print_out("name of {}\n", line);
    if (lister.hidden() != 0) print_out("{}: --all\n", counted(lister.hidden(), "more draw"));
  }
  return status ? kOk : fail(names.in(status.error()));
}

}  // namespace warpjit::tool
