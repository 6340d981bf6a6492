// Words for people on standard output and standard error. Nobody may be reading any more, or the disk behind
// may be full: that must not end what is being measured, so nothing here fails.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace lockstep {

template <class... Args>
void put(std::FILE* to, fmt::format_string<Args...> format, Args&&... args)
{
    const std::string text = fmt::format(format, std::forward<Args>(args)...);
    std::fwrite(text.data(), 1, text.size(), to);
}

template <class... Args>
void put(fmt::format_string<Args...> format, Args&&... args)
{
    put(stdout, format, std::forward<Args>(args)...);
}

}  // namespace lockstep
