"""A plain training loop. Nothing in it is for rankscope; run it as

    KINETO_USE_DAEMON=1 python train.py

beside `rankscope-agent`, and profile it while it runs: rankscope capture --server URL --hosts 127.0.0.1 --steps 3
"""

import torch


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024)).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(100_000):
        batch = torch.randn(256, 1024, device=device)
        loss = torch.nn.functional.mse_loss(model(batch), batch)
        loss.backward()
        optimizer.step()  # what Kineto counts as an iteration
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
