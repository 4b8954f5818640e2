"""Data parallel training (gloo) of a model of many layers. Started with RANK, WORLD_SIZE and so on set."""

import sys

import torch
import torch.distributed

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
WIDTH = 96


def main():
    torch.distributed.init_process_group("gloo")
    torch.set_num_threads(1)
    model = torch.nn.Sequential(*[torch.nn.Linear(WIDTH, WIDTH) for _ in range(64)])
    model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batch = torch.randn(32, WIDTH)
    for _ in range(STEPS):
        loss = torch.nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
