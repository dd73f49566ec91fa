// SPDX-License-Identifier: MIT
// What the Python side calls: describe the kernel, run it in a process of its own, and read the report as JSON.
#include "state.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <simt/entry.h>

namespace simt {

static std::string json;

static std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

static std::string triple(Index3 i) {
    return "[" + std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z) + "]";
}

static std::string address(const void* site) { return std::to_string(uintptr_t(site)); }

static void write_findings() {
    json += "\"findings\":[";
    bool first = true;
    for (const Finding& finding : launch.findings) {
        json += first ? "" : ",";
        first = false;
        json += "{\"kind\":" + quoted(finding.kind) + ",\"message\":" + quoted(finding.message) + ",\"site\":" + address(finding.site)
            + ",\"other_site\":" + address(finding.other_site) + ",\"block\":" + triple(finding.block) + ",\"thread\":"
            + triple(finding.thread) + ",\"count\":" + std::to_string(finding.count) + "}";
    }
    json += "]";
}

static void write_banks() {
    json += "\"banks\":[";
    bool first = true;
    for (const auto& [site, bank] : launch.banks) {
        json += first ? "" : ",";
        first = false;
        json += "{\"site\":" + address(site) + ",\"width\":" + std::to_string(bank.width) + ",\"write\":" + (bank.write ? "true" : "false")
            + ",\"accesses\":" + std::to_string(bank.accesses) + ",\"phases\":" + std::to_string(bank.phases) + ",\"cycles\":"
            + std::to_string(bank.cycles) + ",\"worst\":" + std::to_string(bank.worst) + "}";
    }
    json += "]";
}

static void write_counts() {
    json += "\"counts\":{";
    bool first = true;
    for (const auto& [name, executed] : launch.counts) {
        json += first ? "" : ",";
        first = false;
        json += quoted(name) + ":" + std::to_string(executed);
    }
    json += "}";
}

static void describe() {
    json = "{";
    write_findings();
    json += ",";
    write_banks();
    json += ",";
    write_counts();
    json += ",\"accesses\":" + std::to_string(launch.steps) + "}";
}

// ---- the process that a launch has to itself: whatever a kernel does there, the caller lives on, and nothing is left behind

static int answer_end;

[[noreturn]] static void answer() {
    describe();
    for (size_t sent = 0; sent < json.size();) {
        const ssize_t wrote = ::write(answer_end, json.data() + sent, json.size() - sent);
        if (wrote < 0 && errno != EINTR) break;
        if (wrote > 0) sent += size_t(wrote);
    }
    _exit(0);
}

static const void* instruction_of(void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__APPLE__) && defined(__aarch64__)
    return reinterpret_cast<const void*>(machine->__ss.__pc);
#elif defined(__APPLE__)
    return reinterpret_cast<const void*>(machine->__ss.__rip);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(machine.pc);
#else
    return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#endif
}

static void crashed(int number, siginfo_t* info, void* context) {
    signal(number, SIG_DFL);
    const char* at = static_cast<const char*>(info->si_addr);
    const bool overflow = current && at >= current->stack && at < current->stack + 4096;
    // Sites are return addresses, one past the instruction.
    report("crash", static_cast<const char*>(instruction_of(context)) + 1,
           overflow ? "the thread's stack overflowed" : "signal " + std::to_string(number) + " at address " + std::to_string(uintptr_t(at)));
    launch.ended = true;
    answer();
}

static void catch_crashes() {
    static char stack[65536];
    stack_t apart{};
    apart.ss_sp = stack;
    apart.ss_size = sizeof stack;
    sigaltstack(&apart, nullptr);
    struct sigaction action {};
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigaction(number, &action, nullptr);
    signal(SIGALRM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

}  // namespace simt

extern "C" {

struct SimtArray {
    uint64_t begin, bytes;
    uint32_t writable, argument;
};

static void prepare(const simt::Settings* settings, const unsigned* grid, const unsigned* block, uint64_t static_bytes, uint64_t dynamic_bytes,
                    const SimtArray* arrays, unsigned array_count) {
    using namespace simt;
    launch = Launch{};
    launch.settings = *settings;
    launch.random = settings->seed;
    launch.grid = {grid[0], grid[1], grid[2]};
    launch.block = {block[0], block[1], block[2]};
    launch.static_bytes = static_bytes;
    launch.shared_bytes = static_bytes + dynamic_bytes;
    for (unsigned i = 0; i < array_count; ++i)
        launch.regions.push_back({arrays[i].begin, arrays[i].begin + arrays[i].bytes, arrays[i].writable != 0, arrays[i].argument});
}

__attribute__((visibility("default"))) const char* simt_run(const simt::Settings* settings, const unsigned* grid, const unsigned* block, uint64_t static_bytes,
                     uint64_t dynamic_bytes, const SimtArray* arrays, unsigned array_count, void** arguments) {
    using namespace simt;
    json.clear();
    int ends[2];
    if (pipe(ends)) return nullptr;
    const pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return nullptr;
    }
    if (!child) {
        close(ends[0]);
        answer_end = ends[1];
        catch_crashes();
        alarm(unsigned(settings->second_limit));
        prepare(settings, grid, block, static_bytes, dynamic_bytes, arrays, array_count);
        run_grid(simt_entry_call, arguments);
        answer();
    }
    close(ends[1]);
    char part[65536];
    for (ssize_t got; (got = ::read(ends[0], part, sizeof part)) > 0 || (got < 0 && errno == EINTR);)
        if (got > 0) json.append(part, size_t(got));
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (json.empty() || json.back() != '}') {
        launch = Launch{};
        const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        report("crash", nullptr, signal == SIGALRM ? "the launch ran for longer than " + std::to_string(settings->second_limit) + " s"
                                                   : "the emulated kernel ended its process with signal " + std::to_string(signal));
        describe();
    }
    return json.c_str();
}
}
