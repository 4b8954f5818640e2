"""Data parallel training (gloo); the first rank keeps a record of the weights. Started with RANK, WORLD_SIZE and so on set."""

import json
import os
import sys

import torch
import torch.distributed

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
WIDTH = 256


def keep_record(model, file):
    """The distribution of each parameter's values, a line each."""
    for name, parameter in model.named_parameters():
        counts = torch.histc(parameter.detach(), bins=64).tolist()
        largest = sorted(parameter.detach().flatten().tolist())[-8:]
        file.write(json.dumps({"name": name, "counts": counts, "largest": largest}) + "\n")
    file.flush()


def main():
    torch.distributed.init_process_group("gloo")
    torch.set_num_threads(1)
    rank = torch.distributed.get_rank()
    layers = [torch.nn.Linear(WIDTH, WIDTH) for _ in range(4)]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batch = torch.randn(1024, WIDTH)
    with open(os.devnull, "w") as file:
        for step in range(STEPS):
            loss = torch.nn.functional.mse_loss(model(batch), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if rank == 0 and step % 100 == 99:
                keep_record(model, file)


if __name__ == "__main__":
    main()
