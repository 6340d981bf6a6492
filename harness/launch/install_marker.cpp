// JSON, since a reader may meet a marker of another version: what is missing keeps its default.
#include "harness/launch/install_marker.hpp"

#include <cctype>
#include <nlohmann/json.hpp>

#include "harness/base/atomic_file.hpp"

namespace lockstep::launch {
namespace {

std::filesystem::path marker_of(const std::string& share, const Places& places)
{
    return places.prefix(share) / "installed.json";
}

}  // namespace

std::optional<Installed> installed(const std::string& share, const Places& places)
{
    const Result<std::string> text = read_file(marker_of(share, places));
    if (!text) {
        return std::nullopt;
    }
    try {
        const nlohmann::json json = nlohmann::json::parse(*text);
        Installed facts;
        facts.digest = json.at("digest").get<std::string>();
        facts.python = json.value("python", "");
        facts.versions = json.value("versions", facts.versions);
        facts.date = json.value("date", "");
        facts.seconds = json.value("seconds", 0.0);
        facts.warm_seconds = json.value("warm_seconds", facts.warm_seconds);
        return facts;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

Result<void> write_marker(const std::string& share, const Places& places, const Installed& facts)
{
    const nlohmann::json json{{"digest", facts.digest},     {"python", facts.python},
                              {"versions", facts.versions}, {"date", facts.date},
                              {"seconds", facts.seconds},   {"warm_seconds", facts.warm_seconds}};
    return write_file(marker_of(share, places), json.dump(2) + "\n");
}

void remove_marker(const std::string& share, const Places& places)
{
    std::error_code ignored;
    std::filesystem::remove(marker_of(share, places), ignored);
}

std::string normal_name(std::string_view package)
{
    std::string name(package);
    for (char& c : name) {
        c = c == '_' || c == '.' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return name;
}

std::map<std::string, std::string> parse_versions(std::string_view text)
{
    std::map<std::string, std::string> versions;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        const std::size_t equals = line.find("==");
        if (equals != std::string_view::npos && equals > 0 && line.find(' ') == std::string_view::npos) {
            versions[normal_name(line.substr(0, equals))] = line.substr(equals + 2);
        }
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return versions;
}

}  // namespace lockstep::launch
