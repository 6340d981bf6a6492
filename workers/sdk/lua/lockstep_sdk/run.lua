-- One training: its order, its stamps, its epochs.
local clock = require("lockstep_sdk.clock")
local npy = require("lockstep_sdk.npy")
local system = require("lockstep_sdk.system")

local Run = {}
Run.__index = Run

-- `asked`: orders (see npy.mapped), batch, native, limit (absent: none), predictions (the file's name with
-- {epoch} in it; absent: no evaluation). In native input the framework feeds by its own means, and only the
-- number of steps counts.
function Run.new(trainer, channel, data, asked)
    local self = setmetatable({
        trainer = trainer, channel = channel, data = data, batch = asked.batch, native = asked.native,
        predictions = asked.predictions, orders = {}, steps = {}, total = 0, done = 0, epochs = {},
        evaluations = {}, prediction_files = {},
    }, Run)
    local left = asked.limit or math.huge
    for _, order in ipairs(asked.orders) do
        local steps = math.min(math.floor(order.count / self.batch), left)
        if steps > 0 then
            table.insert(self.orders, order)
            table.insert(self.steps, steps)
            self.total = self.total + steps
        end
        left = left - steps
    end
    self.stamps = system.array("int64_t", 2 * self.total)
    self.losses = system.array("float", self.total)
    self.span = clock.span()
    return self
end

local function record(self, loss)
    local done = self.done
    self.span:store(self.stamps, 2 * done)
    self.losses[done] = loss
    self.done = done + 1
    self.channel:progress(done + 1, self.total, #self.epochs + 1)
end

-- A batch stands ready before its step begins.
local function locked_epoch(self, trainer, order, steps)
    local images, room, labels = self.data.train_images, trainer:room(self.batch), self.labels
    local known, first = self.data.train_labels.data, trainer.identified.channels_first
    room.count = self.batch
    for step = 0, steps - 1 do
        local begin = step * self.batch
        images:gather(order.data, begin, self.batch, room.data, first)
        for place = 0, self.batch - 1 do
            labels[place] = known[tonumber(order.data[begin + place])]
        end
        self.span:begin()
        local loss = trainer:step(room, labels)
        self.span:finish()
        record(self, loss)
    end
end

-- The step's stamps hold the wait for its batch.
local function native_epoch(self, trainer, steps)
    local next_batch = trainer:native_batches(self.data)
    for _ = 1, steps do
        self.span:begin()
        local images, labels = next_batch()
        local loss = trainer:step(images, labels)
        self.span:finish()
        record(self, loss)
    end
end

local function evaluate(self)
    local path = self.predictions:gsub("{epoch}", tostring(#self.epochs))
    local images, begin = self.data.test_images, clock.now()
    local classes = self.trainer:predict_all(images)
    table.insert(self.evaluations, { begin, clock.now() })
    table.insert(self.prediction_files, npy.write(path, classes, "<i4", { images.count }))
end

local function mean(values, first, stop)
    local sum = 0
    for place = first, stop - 1 do
        sum = sum + values[place]
    end
    return sum / (stop - first)
end

function Run:train()
    self.labels = system.array("int32_t", self.batch)
    for epoch, order in ipairs(self.orders) do
        local first, begin = self.done, clock.now()
        if self.native then
            native_epoch(self, self.trainer, self.steps[epoch])
        else
            locked_epoch(self, self.trainer, order, self.steps[epoch])
        end
        local stop = clock.now()
        table.insert(self.epochs, { begin = begin, ["end"] = stop, steps = self.done - first,
                                    loss = mean(self.losses, first, self.done) })
        if self.predictions then
            evaluate(self)
        end
        -- Tensors look small to the collector, so it may keep gigabytes of them until it is asked.
        collectgarbage()
    end
end

return Run
