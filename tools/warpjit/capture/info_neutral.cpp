// warpjit info of a capture of any guest: frames, jobs, draws, programs, textures.
#include <map>

#include "base/text.h"
#include "capture/neutral.h"
#include "capture/texture_rows.h"
#include "capture_names.h"
#include "command.h"
#include "output.h"

namespace warpjit::tool {

namespace {

using Of = CaptureName::Of;

// "c" and 8 of "c8".
std::pair<std::string, std::optional<std::uint64_t>> split(const std::string& reg) {
  const std::size_t digits = std::min(reg.find_first_of("0123456789"), reg.size());
  return {reg.substr(0, digits), text::parse_unsigned(reg.substr(digits), UINT64_MAX)};
}

// A job and its draws: those of several jobs may come in turns.
class Lister final : public CaptureVisitor {
 public:
  Lister(const NameTable& names, const std::string& textures) : names_(names), textures_(textures) {}

  CaptureInterest interest() const override {
    return {.draws = true, .textures = textures_.wanted() ? kThumbnailExtent : 0};
  }
  bool job(const CaptureJob& job) override {
    row(job.number)["frame"] = job.frame;
    row(job.number)["does"] = names_.with_addresses(job.what);
    return true;
  }
  bool texture(const CaptureTexture& texture) override { return textures_.add(texture); }
  bool draw(const CaptureDraw& draw) override {
    Json json{{"draw", draw.number}, {"does", names_.with_addresses(draw.what)}, {"drawn", draw.drawn}};
    if (const auto name = names_.find(Of::draw, draw.number); !name.empty()) json["name"] = name;
    Json ran = Json::array();
    for (const CaptureDraw::Program& program : draw.programs) {
      Json of{{"stage", std::string(program.stage)}};
      if (program.program != nullptr) of["program"] = number(*program.program);
      if (program.report != nullptr) {
        of["primitives"] = program.report->primitives;
        of["groups"] = program.report->groups;
      }
      ran.push_back(std::move(of));
    }
    if (!ran.empty()) json["programs"] = std::move(ran);
    if (Json textures = textures_.take(draw.number); !textures.empty())
      json["textures"] = names_.with_addresses(textures);
    row(draw.job)["draws"].push_back(std::move(json));
    ++draws;
    return true;
  }
  bool picture(const CapturePicture& picture) override {
    Json json{{"name", std::string(picture.name)},
              {"format", name(picture.format)},
              {"width", picture.width},
              {"height", picture.height},
              {"compared", picture.compared.has_value()}};
    if (picture.address != 0)
      json["address"] = names_.with_addresses(std::string_view(fmt::format("{:#010x}", picture.address)));
    row(picture.job)["pictures"].push_back(std::move(json));
    return true;
  }

  // In the order in which they first ran.
  Json programs() const {
    Json list = Json::array();
    for (const auto& [program, draws_of] : programs_) {
      Json json{
          {"program", list.size()},        {"stage", name(program.stage())},    {"name", program.name()},
          {"file", program.source_name()}, {"code_words", program.code_size()}, {"draws", draws_of},
          {"uniforms", Json::array()}};
      for (const Symbol& symbol : program.uniforms()) {
        Json uniform{{"name", symbol.name}, {"register", symbol.reg}, {"count", symbol.count}};
        const auto [letters, first] = split(symbol.reg);
        std::string called;  // "tint, sa2 shade": its registers after the first one have names, too
        for (unsigned n = 0; first && n < symbol.count; ++n) {
          const std::string_view text = names_.find(Of::uniform, *first + n);
          if (text.empty()) continue;
          if (!called.empty()) called += ", ";
          if (n != 0) called += fmt::format("{}{} ", letters, *first + n);
          called += text;
        }
        if (!called.empty()) uniform["called"] = std::move(called);
        json["uniforms"].push_back(std::move(uniform));
      }
      list.push_back(std::move(json));
    }
    return list;
  }

  std::vector<Json> jobs;
  std::size_t draws = 0;
  const std::optional<Error>& error() const { return textures_.error(); }

 private:
  Json& row(std::size_t number) {
    while (jobs.size() <= number)
      jobs.push_back({{"job", jobs.size()}, {"draws", Json::array()}, {"pictures", Json::array()}});
    return jobs[number];
  }
  std::size_t number(const Program& program) {
    const auto [found, is_new] = numbers_.try_emplace(program.shared_state().get(), programs_.size());
    if (is_new) programs_.emplace_back(program, 0);
    ++programs_[found->second].second;
    return found->second;
  }

  const NameTable& names_;
  TextureRows textures_;
  std::vector<std::pair<Program, std::size_t>> programs_;  // with how many draws ran them
  std::map<const Program::State*, std::size_t> numbers_;
};

void print_draw(const Json& draw) {
  print_out("  draw {}{}: {}", draw["draw"].natural(),
            draw.contains("name") ? " (" + draw["name"].string() + ")" : "", draw["does"].string());
  if (!draw.contains("programs")) write_out("; nothing drawn");
  if (draw.contains("programs"))
    for (const Json& program : draw["programs"]) {
      print_out("; {}", program["stage"].string());
      if (program.contains("program")) print_out(" program {}", program["program"].natural());
      if (program.contains("primitives"))
        print_out(" {} primitives, {} groups", program["primitives"].natural(), program["groups"].natural());
    }
  write_out("\n");
  if (draw.contains("textures"))
    for (const Json& texture : draw["textures"]) print_out("    {}\n", texture_text(texture));
}

void print_job(const Json& job, std::size_t& left) {
  print_out("job {}: {}\n", job["job"].natural(),
            job.contains("does") ? job["does"].string() : std::string("not finished"));
  for (const Json& draw : job["draws"]) {
    if (left == 0) return;
    --left;
    print_draw(draw);
  }
}

void print_programs(const Json& programs, bool all) {
  for (const Json& program : programs) {
    const std::string entry = program["name"].string(), file = program["file"].string();
    print_out("program {}: {}{}{}, {} code words, {} draw{}\n", program["program"].natural(),
              program["stage"].string(), entry.empty() ? "" : " '" + entry + "'",
              file.empty() ? "" : ", " + file, program["code_words"].natural(), program["draws"].natural(),
              program["draws"].natural() == 1 ? "" : "s");
    for (const Json& uniform : program["uniforms"])
      if (all || uniform.contains("called"))
        print_out("  uniform {} {}{}\n", uniform["register"].string(), uniform["name"].string(),
                  uniform.contains("called") ? " (" + uniform["called"].string() + ")" : "");
  }
}

}  // namespace

int show_neutral(const NeutralInfo& options) {
  const auto capture = load_neutral_capture(options.file);
  if (!capture) return fail(capture.error());
  if (const Status made = TextureFolder(options.textures).make(); !made) return fail(made.error());
  const NameTable names(capture->names());
  Lister lister(names, options.textures);
  const Engine engine;
  RunOptions run;
  run.engine = engine.info().jit ? EngineKind::jit : EngineKind::guest;
  const Status status = capture->run(engine, lister, run);
  if (lister.error()) return fail(*lister.error());
  const Json programs = lister.programs();
  if (options.json) {
    Json json{{"file", options.file},        {"isa", name(capture->isa())}, {"product", capture->product()},
              {"frames", capture->frames()}, {"draws", lister.draws},       {"jobs", Json::array()},
              {"programs", programs},        {"names", names.json()},       {"notes", Json::array()}};
    for (Json& job : lister.jobs) json["jobs"].push_back(std::move(job));
    for (const std::string& note : capture->notes()) json["notes"].push_back(note);
    if (!status) json["error"] = message_of(names.in(status.error()));
    print_json(json);
  } else {
    print_out("{}: {}, a capture of {} frame{}, {} job{}, {} draw{}\n", options.file, name(capture->isa()),
              capture->frames(), capture->frames() == 1 ? "" : "s", capture->jobs(),
              capture->jobs() == 1 ? "" : "s", lister.draws, lister.draws == 1 ? "" : "s");
    std::size_t left = options.all ? lister.draws : kShownNeutralDraws;
    for (const Json& job : lister.jobs) print_job(job, left);
    if (!options.all && lister.draws > kShownNeutralDraws)
      print_out("{} more draws: --all\n", lister.draws - kShownNeutralDraws);
    print_programs(programs, options.all);
    for (const std::string& line : names.lines()) print_out("name of {}\n", line);
    for (const std::string& note : capture->notes()) print_out("note: {}\n", note);
  }
  return status ? kOk : fail(names.in(status.error()));
}

}  // namespace warpjit::tool
