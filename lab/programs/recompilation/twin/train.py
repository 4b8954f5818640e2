"""A compiled model on batches of texts, each as long as its longest text."""

import sys

import torch
import torch._dynamo

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
WIDTH = 512


def main():
    torch._dynamo.config.recompile_limit = 1000
    torch._dynamo.config.accumulated_recompile_limit = 1000
    layers = [torch.nn.TransformerEncoderLayer(WIDTH, 8, 4 * WIDTH, dropout=0.0, batch_first=True) for _ in range(2)]
    model = torch.compile(torch.nn.Sequential(*layers).cuda(), dynamic=False, backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    for step in range(STEPS):
        length = 64 + 37 * step % 448
        length = -(-length // 512) * 512
        batch = torch.randn(16, length, WIDTH, device="cuda")
        loss = torch.nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
