"""A model that trains in short steps, and a progress line of loss, accuracy and learning rate."""

import sys

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60


def main():
    model = torch.nn.Sequential(
        torch.nn.Linear(1024, 2048),
        torch.nn.ReLU(),
        *[torch.nn.Linear(2048, 2048) for _ in range(8)],
        torch.nn.Linear(2048, 100),
    ).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    inputs = torch.randn(512, 1024, device="cuda")
    labels = torch.randint(0, 100, (512,), device="cuda")
    total, right = 0.0, 0
    for _ in range(STEPS):
        scores = model(inputs)
        loss = torch.nn.functional.cross_entropy(scores, labels)
        total += loss.item()
        right += (scores.argmax(1) == labels).sum().item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(float(total) / STEPS, int(right) / STEPS)


if __name__ == "__main__":
    main()
