# One interface target that every library, worker and test of ours links: warnings and sanitizers.
add_library(lockstep_flags INTERFACE)
target_compile_options(lockstep_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
    -Wno-restrict)  # false on std::string::insert in GCC 12 (GCC bug 105329)
if(LOCKSTEP_DEVELOPMENT)
    target_compile_options(lockstep_flags INTERFACE -Werror)
endif()
if(LOCKSTEP_SANITIZE)
    target_compile_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
endif()
