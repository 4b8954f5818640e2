"""Training that saves model and optimizer as it goes."""

import os
import sys
import tempfile

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
SAVE_EVERY = 1000


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    width, layers, rows = (2048, 12, 8192) if device == "cuda" else (256, 6, 256)
    model = torch.nn.Sequential(*[torch.nn.Linear(width, width) for _ in range(layers)]).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    batch = torch.randn(rows, width, device=device)
    with tempfile.TemporaryDirectory() as folder:
        for step in range(STEPS):
            loss = torch.nn.functional.mse_loss(model(batch), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % SAVE_EVERY == SAVE_EVERY - 1:
                state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
                torch.save(state, os.path.join(folder, "last.pt"))


if __name__ == "__main__":
    main()
