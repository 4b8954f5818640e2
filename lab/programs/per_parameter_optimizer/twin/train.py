"""A deep model of small layers."""

import sys

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, width)
        self.down = torch.nn.Linear(width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    blocks, width = (48, 512) if device == "cuda" else (40, 24)
    model = torch.nn.Sequential(*[Block(width) for _ in range(blocks)]).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)
    batch = torch.randn(128, width, device=device)
    for _ in range(STEPS):
        loss = torch.nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
