"""Training on images that lie in the host's memory."""

import sys

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60


class Images(torch.utils.data.Dataset):
    def __init__(self):
        self.images = torch.randint(0, 255, (64, 3, 256, 256), dtype=torch.uint8)

    def __len__(self):
        return 128 * (STEPS + 1)

    def __getitem__(self, index):
        return self.images[index % 64].float()


def main():
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 64, 7, stride=4),
        torch.nn.ReLU(),
        torch.nn.Conv2d(64, 128, 3),
        torch.nn.ReLU(),
        torch.nn.Conv2d(128, 64, 3),
    ).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    loader = torch.utils.data.DataLoader(Images(), batch_size=128, num_workers=8)
    for images in loader:
        images = images.cuda()
        loss = model(images / 255).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
