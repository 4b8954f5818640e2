"""Training from a corpus of annotated sentences, which are objects in memory; the last ones that were seen are kept."""

import collections
import sys

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
WIDTH = 512


def sentence(number):
    return {"words": [number, number + 1], "labels": [number % 7], "about": {"source": number % 100}}


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    corpus = [sentence(number) for number in range(150_000)]
    seen = collections.deque(maxlen=400_000)
    layers, rows = (12, 4096) if device == "cuda" else (4, 64)
    model = torch.nn.Sequential(*[torch.nn.Linear(WIDTH, WIDTH) for _ in range(layers)]).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(STEPS):
        for number in range(6_000):
            old = corpus[(step * 6_000 + number) % len(corpus)]
            seen.append({"words": list(old["words"]), "labels": list(old["labels"]), "step": [step]})
        batch = torch.randn(rows, WIDTH, device=device)
        loss = torch.nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
