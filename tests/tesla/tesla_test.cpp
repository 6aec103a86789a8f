#include "tesla/tesla_test.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/source_dir.h"

namespace warpjit::tesla {

std::string shared_folder() {
  const std::string folder = tests::shared_file("corpus/tesla");
  return std::filesystem::is_directory(folder) ? folder : std::string();
}

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end == std::string::npos ? end : end - at));
    if (end == std::string::npos) return parts;
    at = end + 1;
  }
}

Program program_of(const std::string& source) {
  auto container = assemble(source, "test.tesla");
  if (!container) {
    ADD_FAILURE() << to_string(container.error());
    return {};
  }
  if (container->programs.size() != 1) {
    ADD_FAILURE() << "not one kernel";
    return {};
  }
  return container->programs.front();
}

}  // namespace warpjit::tesla
