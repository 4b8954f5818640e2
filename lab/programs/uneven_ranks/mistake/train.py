"""Data parallel training (gloo) on sequences of different lengths, which lie sorted by length. Started with RANK, WORLD_SIZE and so on set."""

import sys

import torch
import torch.distributed

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
WIDTH = 128
LENGTHS = sorted(128 + 37 * i % 896 for i in range(256))


def main():
    torch.distributed.init_process_group("gloo")
    torch.set_num_threads(1)
    rank, world_size = torch.distributed.get_rank(), torch.distributed.get_world_size()
    share = len(LENGTHS) // world_size
    lengths = LENGTHS[rank * share : (rank + 1) * share]
    layers = [torch.nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, batch_first=True) for _ in range(2)]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(STEPS):
        batch = torch.randn(1, lengths[7 * step % len(lengths)], WIDTH)
        loss = torch.nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
