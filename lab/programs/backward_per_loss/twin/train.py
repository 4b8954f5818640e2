"""Four tasks on one trunk."""

import sys

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
WIDTH = 1024


def main():
    trunk = torch.nn.Sequential(
        *[torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU()) for _ in range(8)]
    ).cuda()
    heads = torch.nn.ModuleList([torch.nn.Linear(WIDTH, WIDTH) for _ in range(4)]).cuda()
    optimizer = torch.optim.SGD([*trunk.parameters(), *heads.parameters()], lr=1e-4)
    batch = torch.randn(8192, WIDTH, device="cuda")
    for _ in range(STEPS):
        features = trunk(batch)
        optimizer.zero_grad()
        loss = sum(torch.nn.functional.mse_loss(head(features), batch) for head in heads)
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
