// Appends in key order, in transactions of bounded size.
#include "harness/data/lmdb_writer.hpp"

#include <fmt/format.h>

#include <lmdb.h>

#include <string>

#include "harness/data/datum.hpp"

namespace lockstep::data {

namespace {

// Dirty pages stay in memory until a transaction ends.
constexpr std::int64_t kBytesATransaction = 32 << 20;

}  // namespace

struct LmdbWriter::State {
    std::filesystem::path folder;
    ImageShape shape;
    MDB_env* env = nullptr;
    MDB_txn* transaction = nullptr;
    MDB_dbi table = 0;
    std::int64_t count = 0;
    std::int64_t pending = 0;  // bytes in the open transaction
    std::string planes;
    std::string message;

    ~State()
    {
        if (transaction != nullptr) {
            ::mdb_txn_abort(transaction);
        }
        if (env != nullptr) {
            ::mdb_env_close(env);
        }
    }

    Result<void> check(int code) const
    {
        if (code == 0) {
            return {};
        }
        return fail(fmt::format("{} cannot be written: {}.", folder.string(), ::mdb_strerror(code)),
                    code == ENOSPC ? "Free some disk space, then run the same command again."
                                   : "Check that the folder exists and that you may write to it.");
    }

    Result<void> commit()
    {
        pending = 0;
        return check(::mdb_txn_commit(std::exchange(transaction, nullptr)));
    }
};

LmdbWriter::LmdbWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
LmdbWriter::LmdbWriter(LmdbWriter&&) noexcept = default;
LmdbWriter& LmdbWriter::operator=(LmdbWriter&&) noexcept = default;
LmdbWriter::~LmdbWriter() = default;

Result<LmdbWriter> LmdbWriter::create(const std::filesystem::path& folder, const ImageShape& shape,
                                      std::int64_t images)
{
    auto state = std::make_unique<State>();
    state->folder = folder;
    state->shape = shape;
    std::error_code none;
    std::filesystem::create_directories(folder, none);
    // A record takes its pixels, at most 64 bytes around them, and the rest of its last 4096-byte page; the
    // tree above adds less than a tenth. The file grows only as it fills.
    const std::size_t record = static_cast<std::size_t>((shape.pixels() + 64 + 4095) / 4096 * 4096 + 4096);
    const std::size_t map = (std::size_t{64} << 20) + static_cast<std::size_t>(images) * record / 10 * 11;
    int code = ::mdb_env_create(&state->env);
    code = code != 0 ? code : ::mdb_env_set_mapsize(state->env, map);
    code = code != 0 ? code : ::mdb_env_open(state->env, folder.c_str(), MDB_NOLOCK | MDB_NOSYNC, 0644);
    return state->check(code).map([&] { return LmdbWriter(std::move(state)); });
}

Result<void> LmdbWriter::add(std::span<const std::uint8_t> pixels, std::int32_t label)
{
    State& state = *state_;
    const ImageShape& shape = state.shape;
    const std::int64_t positions = shape.height * shape.width;
    state.planes.resize(pixels.size());
    for (std::int64_t c = 0; c < shape.channels; ++c) {
        const std::int64_t channel = shape.channels == 3 ? 2 - c : c;  // blue first
        for (std::int64_t p = 0; p < positions; ++p) {
            state.planes[static_cast<std::size_t>(c * positions + p)] =
                static_cast<char>(pixels[static_cast<std::size_t>(p * shape.channels + channel)]);
        }
    }
    Datum datum;
    datum.channels = shape.channels;
    datum.height = shape.height;
    datum.width = shape.width;
    datum.label = label;
    datum.data = state.planes;
    state.message.clear();
    write_datum(datum, state.message);
    int code = 0;
    if (state.transaction == nullptr) {
        code = ::mdb_txn_begin(state.env, nullptr, 0, &state.transaction);
        code = code != 0 ? code : ::mdb_dbi_open(state.transaction, nullptr, 0, &state.table);
    }
    std::string key = fmt::format("{:08}", state.count++);
    MDB_val key_value{key.size(), key.data()};
    MDB_val data_value{state.message.size(), state.message.data()};
    code = code != 0 ? code : ::mdb_put(state.transaction, state.table, &key_value, &data_value, MDB_APPEND);
    state.pending += static_cast<std::int64_t>(state.message.size());
    Result<void> added = state.check(code);
    return added && state.pending > kBytesATransaction ? state.commit() : added;
}

Result<void> LmdbWriter::finish()
{
    State& state = *state_;
    Result<void> committed = state.transaction != nullptr ? state.commit() : Result<void>();
    return committed ? state.check(::mdb_env_sync(state.env, 1)) : committed;
}

}  // namespace lockstep::data
