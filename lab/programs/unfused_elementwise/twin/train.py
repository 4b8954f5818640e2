"""A gated network whose activation and norm are written as formulas."""

import math
import sys

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
WIDTH = 1024


class Gated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(WIDTH))
        self.up = torch.nn.Linear(WIDTH, 2 * WIDTH, bias=False)
        self.down = torch.nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        normed = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale
        a, b = self.up(normed).chunk(2, dim=-1)
        gelu = 0.5 * a * (1 + torch.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a.pow(3))))
        return x + self.down(gelu * b)


def main():
    model = torch.nn.Sequential(*[Gated() for _ in range(6)]).cuda().bfloat16()
    model = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    batch = torch.randn(16384, WIDTH, device="cuda", dtype=torch.bfloat16)
    for _ in range(STEPS):
        loss = torch.nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
