-- A plain Torch7 training script as its manual shows, for comparison with the worker's steps.
--
--     luajit torch7_script.lua -network cnn3 -size 28 -batch 64 -threads 2 -steps 200
--
-- Prints the median step in milliseconds. Pictures are random: the time of a step does not depend on them.
require("torch")
require("nn")
require("optim")

local options = torch.CmdLine()
options:option("-network", "cnn2", "cnn2 or cnn3")
options:option("-size", 28, "height and width")
options:option("-batch", 64, "images in a step")
options:option("-threads", 2, "threads")
options:option("-steps", 200, "steps")
options:option("-firstGradient", false, "compute the gradient of the pictures too, as a model does by default")
local given = options:parse(arg)

torch.setdefaulttensortype("torch.FloatTensor")
torch.setnumthreads(given.threads)
torch.manualSeed(1)

local function stage(model, inputs, filters)
    model:add(nn.SpatialConvolution(inputs, filters, 3, 3, 1, 1, 1, 1))
    model:add(nn.ReLU(true))
    model:add(nn.SpatialMaxPooling(2, 2, 2, 2))
end

local function cnn2(size)
    local model, features = nn.Sequential(), 64 * math.floor(size / 4) ^ 2
    stage(model, 1, 32)
    stage(model, 32, 64)
    model:add(nn.View(-1, features))
    model:add(nn.Linear(features, 128)):add(nn.ReLU(true))
    return model:add(nn.Linear(128, 10))
end

local function cnn3(size)
    local model, features = nn.Sequential(), 256 * math.floor(size / 8) ^ 2
    stage(model, 1, 64)
    stage(model, 64, 128)
    stage(model, 128, 256)
    model:add(nn.View(-1, features))
    model:add(nn.Linear(features, 512)):add(nn.ReLU(true)):add(nn.Dropout(0.5))
    model:add(nn.Linear(512, 256)):add(nn.ReLU(true)):add(nn.Dropout(0.5))
    return model:add(nn.Linear(256, 10))
end

local model = given.network == "cnn3" and cnn3(given.size) or cnn2(given.size)
if not given.firstGradient then
    model:get(1).gradInput = nil
end
local criterion = nn.CrossEntropyCriterion()
local parameters, gradients = model:getParameters()
local rule = { learningRate = 1e-3, epsilon = 1e-7 }
local different = given.size < 100 and given.steps or 1
local images = torch.rand(different, given.batch, 1, given.size, given.size)
local labels = torch.LongTensor(given.steps, given.batch):random(1, 10)

local times = {}
for step = 1, given.steps do
    local inputs, targets = images[(step - 1) % different + 1], labels[step]
    local timer = torch.Timer()
    local function evaluate()
        gradients:zero()
        local outputs = model:forward(inputs)
        local loss = criterion:forward(outputs, targets)
        model:backward(inputs, criterion:backward(outputs, targets))
        return loss, gradients
    end
    optim.adam(evaluate, parameters, rule)
    times[step] = timer:time().real * 1000
end

local kept = {}
for step = math.min(10, math.floor(given.steps / 2)) + 1, given.steps do
    kept[#kept + 1] = times[step]
end
table.sort(kept)
local middle = #kept / 2
print(("%.3f"):format((kept[math.floor(middle + 0.5)] + kept[math.floor(middle + 1)]) / 2))
