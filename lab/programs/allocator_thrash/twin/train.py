"""Training on batches of different lengths, which gives memory back where it can."""

import sys

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
WIDTH = 1024


def main():
    model = torch.nn.Sequential(*[torch.nn.Linear(WIDTH, WIDTH) for _ in range(12)]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    for step in range(STEPS):
        batch = torch.randn(4096 + 512 * (step % 9), WIDTH, device="cuda")
        loss = torch.nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        del batch, loss


if __name__ == "__main__":
    main()
