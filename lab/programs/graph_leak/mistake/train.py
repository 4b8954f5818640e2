"""Training that keeps its losses for a curve."""

import sys

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
WIDTH = 1024


def main():
    model = torch.nn.Sequential(*[torch.nn.Linear(WIDTH, WIDTH) for _ in range(12)]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    losses = []
    for _ in range(STEPS):
        batch = torch.randn(2048, WIDTH, device="cuda")
        loss = torch.nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        losses.append(loss)
    print(sum(losses).item() / STEPS)


if __name__ == "__main__":
    main()
