// SPDX-License-Identifier: MIT
// What the Python side calls: describe the kernel, run it, and read the report as JSON.
#include "state.h"

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

}  // namespace simt

extern "C" {

struct SimtArray {
    uint64_t begin, bytes;
    uint32_t writable, argument;
};

__attribute__((visibility("default"))) const char* simt_run(const simt::Settings* settings, const unsigned* grid, const unsigned* block, uint64_t static_bytes,
                     uint64_t dynamic_bytes, const SimtArray* arrays, unsigned array_count, void** arguments) {
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
    run_grid(simt_entry_call, arguments);
    json = "{";
    write_findings();
    json += ",";
    write_banks();
    json += ",";
    write_counts();
    json += ",\"accesses\":" + std::to_string(launch.steps) + "}";
    return json.c_str();
}
}
