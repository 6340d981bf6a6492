// Through Caffe's own interface to LMDB, which grows the map as it fills.
#include "workers/caffe/database.hpp"

#include <caffe/util/db.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "workers/caffe/pixels.hpp"
#include "workers/sdk/cpp/faults.hpp"

namespace lockstep::caffe_worker {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kCommit = 1000;  // images in a transaction, as convert_imageset has it

// LMDB keeps values in pages of 4096 bytes, and a large one in whole pages.
void require_room(const fs::path& folder, std::int64_t count, std::size_t pixels)
{
    const auto needed = static_cast<std::uintmax_t>(count) * (pixels + 4096) + (1U << 20);
    std::error_code error;
    const fs::space_info space = fs::space(folder, error);
    if (!error && space.available < needed) {
        throw sdk::OutOfResources("the LMDB needs about " + std::to_string(needed / 1'000'000) + " MB and " +
                                  std::to_string(space.available / 1'000'000) + " MB are free in " +
                                  folder.string() + " (another folder: TMPDIR)");
    }
}

std::vector<std::size_t> order_of(std::int64_t count, std::optional<std::uint64_t> shuffle)
{
    std::vector<std::size_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (shuffle) {
        std::shuffle(order.begin(), order.end(), std::mt19937_64(*shuffle));
    }
    return order;
}

}  // namespace

Database::Database(const sdk::TrainingSet& set, std::int64_t count, std::optional<std::uint64_t> shuffle)
{
    const fs::path place = fs::temp_directory_path();
    const Picture picture(set.size);
    require_room(place, count, picture.pixels());
    std::string name = (place / "lockstep-caffe-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw sdk::OutOfResources(place.string() + " cannot be written (another folder: TMPDIR)");
    }
    folder_ = name;
    const std::unique_ptr<caffe::db::DB> database(caffe::db::GetDB("lmdb"));
    fs::remove(folder_);  // Caffe makes the folder itself
    database->Open(folder_, caffe::db::NEW);
    std::unique_ptr<caffe::db::Transaction> transaction(database->NewTransaction());
    caffe::Datum datum;
    datum.set_channels(picture.channels);
    datum.set_height(picture.height);
    datum.set_width(picture.width);
    std::string bytes(picture.pixels(), '\0');
    std::string value;
    std::int64_t done = 0;
    for (const std::size_t image : order_of(count, shuffle)) {
        picture.to_planes(set.images.data() + image * picture.pixels(), bytes.data());
        datum.set_data(bytes);
        datum.set_label(set.labels[image]);
        datum.SerializeToString(&value);
        char key[16];
        std::snprintf(key, sizeof key, "%08lld", static_cast<long long>(done));
        transaction->Put(key, value);
        if (++done % kCommit == 0) {
            transaction->Commit();
            transaction.reset(database->NewTransaction());
        }
    }
    transaction->Commit();
}

Database::~Database()
{
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

}  // namespace lockstep::caffe_worker
