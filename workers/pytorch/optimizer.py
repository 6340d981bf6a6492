"""torch.optim as its users call it, and what makes its Adam equal to the contract's."""
import torch


class Adam(torch.optim.Adam):
    """PyTorch adds epsilon to sqrt(v_hat) = sqrt(v) / sqrt(1 - beta2^t), the contract to sqrt(v). Both are
    the same when PyTorch's epsilon at step t is the contract's divided by sqrt(1 - beta2^t)."""

    def __init__(self, parameters, rule, **more):
        super().__init__(parameters, lr=rule.learning_rate, betas=(rule.beta1, rule.beta2), **more)
        self.rule = rule
        self.updates = 0

    def step(self, closure=None):
        self.updates += 1
        self.param_groups[0]["eps"] = self.rule.epsilon / (1 - self.rule.beta2 ** self.updates) ** 0.5
        return super().step(closure)


def optimizer_of(job, parameters):
    more = {"fused": True} if job.flag("fused", False) else {}  # else PyTorch's own choice
    rule = job.optimizer
    if rule.kind == "adam":
        return Adam(parameters, rule, **more)
    return torch.optim.SGD(parameters, lr=rule.learning_rate, momentum=rule.momentum, **more)


def restart(optimizer):
    """As at its start, in the memory that it has."""
    for state in optimizer.state.values():
        for value in state.values():
            if torch.is_tensor(value):
                value.zero_()
    if isinstance(optimizer, Adam):
        optimizer.updates = 0
