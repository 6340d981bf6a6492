"""The shared pictures as a Dataset, and the DataLoader of native input."""
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    """One picture a call, as float32 in 0..1, channels first, with its label: as torchvision's ToTensor."""

    def __init__(self, images, labels):
        self.pictures = torch.from_numpy(np.array(images.bytes)).permute(0, 3, 1, 2).contiguous()
        self.labels = torch.from_numpy(np.array(labels, np.int64))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, place):
        return self.pictures[place].to(torch.float32).div(255), self.labels[place]


def loader(dataset, job, workers):
    """Whole batches, shuffled anew in every epoch."""
    return DataLoader(dataset, batch_size=job.batch, shuffle=True, drop_last=True, num_workers=workers,
                      persistent_workers=workers > 0, pin_memory=job.device_kind == "gpu",
                      generator=torch.Generator().manual_seed(job.seed))
