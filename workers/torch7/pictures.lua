-- Native input: the pictures in a mapped torch.ByteStorage, shuffled by torch.randperm, a batch an index.
local pictures = {}

-- The files' bytes as a tensor that lies in them, and the labels from 1. `data`: train_images, train_labels
-- as the SDK gives them. Nothing is read until it is used.
function pictures.mapped(data)
    local images = data.train_images
    -- false: a private mapping of a file that exists; true would create or extend it.
    local storage = torch.ByteStorage(images.bytes.path, false)
    local shape = torch.LongStorage({ images.count, images.height, images.width, images.channels })
    local labels = torch.LongTensor(images.count)
    for place = 0, images.count - 1 do
        labels:data()[place] = data.train_labels.data[place] + 1
    end
    return { bytes = torch.ByteTensor(storage, images.bytes.offset + 1, shape), labels = labels,
             count = images.count }
end

-- One epoch in an order of its own: a function that gives (images, labels) of a whole batch each call.
-- `room`: where the images go (see Trainer:room).
function pictures.batches(mapped, room, batch)
    local order = torch.randperm(torch.LongTensor(), mapped.count)
    local bytes, labels, first = torch.ByteTensor(), torch.LongTensor(), 1
    return function()
        local chosen = order:narrow(1, first, batch)
        first = first + batch
        bytes:index(mapped.bytes, 1, chosen)
        labels:index(mapped.labels, 1, chosen)
        room.tensor:copy(bytes:transpose(3, 4):transpose(2, 3)):div(255) -- height x width x channels turned
        return room, labels
    end
end

-- The first `count` pictures as batches() makes them, height x width x channels.
function pictures.first(mapped, count)
    return mapped.bytes:narrow(1, 1, count):float():div(255)
end

return pictures
