// Reads with a cursor in key order; nothing is locked, since nobody writes during an import.
#include "harness/data/lmdb_file.hpp"

#include <fmt/format.h>

#include <lmdb.h>

#include "harness/data/datum.hpp"
#include "harness/data/image_codec.hpp"
#include "harness/data/source_layout.hpp"

namespace lockstep::data {

struct LmdbFile::State {
    std::string folder;
    std::string digest;
    MDB_env* env = nullptr;
    MDB_txn* transaction = nullptr;
    MDB_cursor* cursor = nullptr;
    ImageShape shape;
    std::int64_t given = 0;
    std::string label;
    DecodedImage decoded;

    ~State()
    {
        if (cursor != nullptr) {
            ::mdb_cursor_close(cursor);
        }
        if (transaction != nullptr) {
            ::mdb_txn_abort(transaction);
        }
        if (env != nullptr) {
            ::mdb_env_close(env);
        }
    }

    tl::unexpected<Error> broken(const std::string& why) const
    {
        return fail(fmt::format("{}, record {}: {}.", folder, given + 1, why),
                    "Check the database; nothing was imported.");
    }

    int open_all()
    {
        MDB_dbi table = 0;
        int code = ::mdb_env_create(&env);
        code =
            code != 0 ? code : ::mdb_env_open(env, folder.c_str(), MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS, 0644);
        code = code != 0 ? code : ::mdb_txn_begin(env, nullptr, MDB_RDONLY, &transaction);
        code = code != 0 ? code : ::mdb_dbi_open(transaction, nullptr, 0, &table);
        return code != 0 ? code : ::mdb_cursor_open(transaction, table, &cursor);
    }

    // The record at `where`; absent at the end.
    Result<std::optional<Datum>> record(MDB_cursor_op where)
    {
        MDB_val key{};
        MDB_val value{};
        const int code = ::mdb_cursor_get(cursor, &key, &value, where);
        if (code == MDB_NOTFOUND) {
            return std::optional<Datum>();
        }
        if (code != 0) {
            return broken(::mdb_strerror(code));
        }
        std::optional<Datum> datum = read_datum({static_cast<const char*>(value.mv_data), value.mv_size});
        if (!datum || datum->data.empty() || datum->has_floats) {
            return broken(datum && datum->has_floats ? "its values are floats, not bytes"
                                                     : "it is no Datum with image bytes");
        }
        return datum;
    }

    Result<ImageShape> shape_of(const Datum& datum)
    {
        if (datum.encoded) {
            Result<DecodedImage> image =
                decode_image({reinterpret_cast<const std::uint8_t*>(datum.data.data()), datum.data.size()},
                             fmt::format("{}, record {}", folder, given + 1));
            if (!image) {
                return tl::unexpected(image.error());
            }
            decoded = std::move(*image);
            return decoded.shape;
        }
        const ImageShape found{datum.height, datum.width, datum.channels};
        const auto fits = [](std::int64_t side, std::int64_t most) { return side >= 1 && side <= most; };
        if (!fits(found.height, kLargestSide) || !fits(found.width, kLargestSide) ||
            !fits(found.channels, 4) || found.pixels() != static_cast<std::int64_t>(datum.data.size())) {
            return broken(fmt::format("{} bytes are no image of {}x{}x{}", datum.data.size(), found.height,
                                      found.width, found.channels));
        }
        return found;
    }
};

LmdbFile::LmdbFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
LmdbFile::~LmdbFile() = default;

Result<std::unique_ptr<LmdbFile>> LmdbFile::open(const std::string& folder)
{
    auto state = std::make_unique<State>();
    state->folder = folder;
    if (const int code = state->open_all(); code != 0) {
        return fail(fmt::format("{} cannot be read as an LMDB database: {}.", folder, ::mdb_strerror(code)),
                    "Check that the folder holds data.mdb and that you may read it.");
    }
    const Result<std::string> digest = digest_of_item({SourceKind::lmdb, Part::train, folder, ""});
    const auto first = digest ? state->record(MDB_FIRST) : tl::unexpected(digest.error());
    if (!first) {
        return tl::unexpected(first.error());
    }
    if (!*first) {
        return fail(fmt::format("{} holds no record.", folder), "Check that it is the right database.");
    }
    const Result<ImageShape> shape = state->shape_of(**first);
    if (!shape) {
        return tl::unexpected(shape.error());
    }
    state->digest = *digest;
    state->shape = *shape;
    return std::unique_ptr<LmdbFile>(new LmdbFile(std::move(state)));
}

ImageShape LmdbFile::shape() const
{
    return state_->shape;
}
std::string LmdbFile::digest() const
{
    return state_->digest;
}

Result<bool> LmdbFile::next(std::span<std::uint8_t> pixels, SourceLabel& label)
{
    State& state = *state_;
    const auto datum = state.record(state.given == 0 ? MDB_FIRST : MDB_NEXT);
    if (!datum || !*datum) {
        return datum ? Result<bool>(false) : Result<bool>(tl::unexpected(datum.error()));
    }
    const Result<ImageShape> shape = state.shape_of(**datum);
    if (!shape) {
        return tl::unexpected(shape.error());
    }
    if (*shape != state.shape) {
        return state.broken(fmt::format("it is {}x{}x{}, the first is {}x{}x{}", shape->height, shape->width,
                                        shape->channels, state.shape.height, state.shape.width,
                                        state.shape.channels));
    }
    if ((*datum)->encoded) {
        std::copy(state.decoded.pixels.begin(), state.decoded.pixels.end(), pixels.begin());
    } else {
        const std::int64_t positions = shape->height * shape->width;
        for (std::int64_t c = 0; c < shape->channels; ++c) {
            const std::int64_t channel = shape->channels == 3 ? 2 - c : c;  // blue first
            for (std::int64_t p = 0; p < positions; ++p) {
                pixels[static_cast<std::size_t>(p * shape->channels + channel)] =
                    static_cast<std::uint8_t>((*datum)->data[static_cast<std::size_t>(c * positions + p)]);
            }
        }
    }
    ++state.given;
    state.label = std::to_string((*datum)->label);
    label = {state.label, {&state.folder, 0}};
    return true;
}

}  // namespace lockstep::data
