// What the program's exit code says.
#pragma once

namespace lockstep::app {

enum ExitCode {
    kResolved = 0,      // done, and every question answered
    kTrialFailed = 1,   // a run failed, or a framework is mistrusted
    kBadInput = 2,      // wrong usage or bad input; nothing was measured
    kInconclusive = 3,  // measured, but not enough to tell
    kRefused = 4,       // measured, and refused to conclude
};

}  // namespace lockstep::app
