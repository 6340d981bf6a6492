// A table of words that pip, compilers, curl, Maven and shells use, in the order in which they decide: a
// full disk also breaks downloads, and a missing compiler also ends in "not found".
#include "harness/launch/install_failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "harness/launch/output_tail.hpp"

namespace lockstep::launch {
namespace {

struct Cause {
    std::vector<std::string_view> words;  // any of them, in lower case
    const char* what;                     // {} is the subject
    const char* remedy;
};

const std::vector<Cause>& causes()
{
    static const std::vector<Cause> all{
        {{"no space left on device", "errno 28", "disk quota exceeded"},
         "The disk is full, so {} failed.",
         "Free some space (lockstep uninstall removes what you no longer need), then run the same command "
         "again."},
        {{"do not match the hashes", "hash mismatch", "checksum mismatch", "computed checksum did not match",
          "hashes are required"},
         "A downloaded file is not the one that was pinned (its hash differs), so {} failed.",
         "Run the same command again; if it stays so, the index or a proxy hands out another file: do not "
         "use it."},
        {{"ensurepip is not available", "no module named ensurepip", "no module named venv"},
         "Python cannot make virtual environments here, so {} failed.",
         "Install python3-venv: sudo apt install python3-venv."},
        {{"python.h: no such file"},
         "Python's headers are missing, so {} failed.",
         "Install them: sudo apt install python3-dev."},
        {{"g++: not found", "g++: command not found", "c++: not found", "gcc: not found",
          "gcc: command not found", "gcc' failed: no such file", "g++' failed: no such file",
          "no cmake_cxx_compiler could be found", "unable to execute 'gcc'", "unable to execute 'g++'"},
         "There is no C++ compiler, so {} failed.",
         "Install one: sudo apt install g++."},
        {{"mvn: not found", "mvn: command not found", "mvn: no such file"},
         "Maven is missing, so {} failed.",
         "Install it: sudo apt install maven."},
        {{"permission denied", "errno 13", "read-only file system"},
         "A file or folder may not be written or run, so {} failed.",
         "Check who owns lockstep's home folder, or choose another with LOCKSTEP_HOME."},
        {{"failed to establish a new connection", "temporary failure in name resolution",
          "network is unreachable", "name or service not known", "could not resolve host", "unknown host",
          "connection refused", "connection timed out", "read timed out", "connecttimeouterror",
          "newconnectionerror", "connection reset", "failed to connect to", "proxyerror", "no route to host"},
         "The network cannot be reached, so {} failed.",
         "Check the connection or the proxy, then run the same command again; what was downloaded is kept."},
        {{"no matching distribution found", "is not a supported wheel on this platform",
          "requires a different python"},
         "No package was found that fits this Python and this machine, so {} failed.",
         "Check the connection; else use a Python that the worker's README names, or --python PATH."}};
    return all;
}

std::string lower(std::string_view text)
{
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return result;
}

std::string last_line(std::string_view text)
{
    std::string last;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (text.substr(0, end).find_first_not_of(" \t\r") != std::string_view::npos) {
            last = one_line(text.substr(0, end));
        }
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return last;
}

}  // namespace

Error explain_failure(const std::string& subject, const std::filesystem::path& log, std::string_view text)
{
    const std::string words = lower(text);
    for (const Cause& cause : causes()) {
        if (std::ranges::any_of(cause.words,
                                [&](auto word) { return words.find(word) != std::string::npos; })) {
            return {fmt::format(fmt::runtime(cause.what), subject),
                    fmt::format("{} The whole output is in {}.", cause.remedy, log.string())};
        }
    }
    const std::string last = last_line(text);
    std::string what = subject + (last.empty() ? " failed; its tools said nothing." : " failed: " + last);
    what.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(what.front())));
    return {what, fmt::format("The whole output is in {}; mend the cause and run the same command again.",
                              log.string())};
}

}  // namespace lockstep::launch
