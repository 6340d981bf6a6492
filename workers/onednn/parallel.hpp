// Work shared out to exactly the threads of the job.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace lockstep::onednn {

// Calls work(thread, begin, end) on `threads` threads, with consecutive shares of count; a share may be
// empty.
template <class Work>
void in_shares(int threads, std::int64_t count, const Work& work)
{
#pragma omp parallel num_threads(threads)
    {
        // A region may get fewer threads than it asked for; the shares are still whole.
        for (std::int64_t t = omp_get_thread_num(); t < threads; t += omp_get_num_threads()) {
            work(static_cast<int>(t), count * t / threads, count * (t + 1) / threads);
        }
    }
}

}  // namespace lockstep::onednn
