"""Data parallel training (gloo) with gradients of four batches added up. Started with RANK, WORLD_SIZE and so on set."""

import contextlib
import sys

import torch
import torch.distributed

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
WIDTH = 768
ADDED = 4


def main():
    torch.distributed.init_process_group("gloo")
    torch.set_num_threads(1)
    model = torch.nn.Sequential(*[torch.nn.Linear(WIDTH, WIDTH) for _ in range(4)])
    model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batch = torch.randn(16, WIDTH)
    for _ in range(STEPS):
        optimizer.zero_grad()
        for part in range(ADDED):
            with contextlib.nullcontext() if part == ADDED - 1 else model.no_sync():
                loss = torch.nn.functional.mse_loss(model(batch), batch) / ADDED
                loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
