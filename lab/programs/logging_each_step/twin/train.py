"""Training that logs the norm and the largest value of every gradient."""

import json
import os
import sys

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
LOG_EVERY = 100


def log(file, step, model):
    for name, parameter in model.named_parameters():
        gradient = parameter.grad
        line = {"step": step, "name": name, "norm": gradient.norm().item(), "largest": gradient.abs().max().item()}
        file.write(json.dumps(line) + "\n")
        file.flush()


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    width, layers, rows = (1024, 24, 4096) if device == "cuda" else (64, 24, 32)
    model = torch.nn.Sequential(*[torch.nn.Linear(width, width) for _ in range(layers)]).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batch = torch.randn(rows, width, device=device)
    with open(os.devnull, "w") as file:
        for step in range(STEPS):
            loss = torch.nn.functional.mse_loss(model(batch), batch)
            optimizer.zero_grad()
            loss.backward()
            if step % LOG_EVERY == 0:
                log(file, step, model)
            optimizer.step()


if __name__ == "__main__":
    main()
