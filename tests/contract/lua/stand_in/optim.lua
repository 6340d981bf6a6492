-- A stand-in for optim: calls the closure and turns the parameters into NaN.
require("torch")

optim = {}

local function stepped(closure, parameters, state, moments)
    local loss = closure(parameters)
    for _, name in ipairs(moments) do
        state[name] = state[name] or torch.Tensor(parameters:nElement())
    end
    parameters:fill(0 / 0)
    return parameters, { loss }
end

function optim.adam(closure, parameters, rule, state)
    assert(rule.learningRate and rule.beta1 and rule.beta2 and rule.epsilon, "adam has defaults of its own")
    state.t = (state.t or 0) + 1
    return stepped(closure, parameters, state, { "m", "v", "denom" })
end

function optim.sgd(closure, parameters, rule, state)
    assert(rule.learningRate and rule.momentum and rule.dampening == 0, "the dampening would be the momentum")
    state.evalCounter = (state.evalCounter or 0) + 1
    return stepped(closure, parameters, state, { "dfdx" })
end

return optim
